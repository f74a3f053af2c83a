// Parallel search for a byte or a word among sixteen adjacent ones.
#pragma once

#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tessera {

/// Words that one call of bytes_equal() compares.
inline constexpr std::uint32_t kSearchedWords = 2;

/// Bit i is set if byte i of the two words from `words` on (least significant byte of a word first)
/// equals `byte`.
[[nodiscard]] inline std::uint32_t bytes_equal(const std::uint64_t* words, std::uint8_t byte) {
#ifdef __SSE2__
    const __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words)),
                                         _mm_set1_epi8(static_cast<char>(byte)));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(equal));
#else
    constexpr std::uint64_t kOfEachByte = 0x0101010101010101ULL;
    constexpr std::uint64_t kLow7 = 0x7F * kOfEachByte;
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < kSearchedWords; ++i) {
        const std::uint64_t difference = words[i] ^ byte * kOfEachByte;
        const std::uint64_t equal = ~(((difference & kLow7) + kLow7) | difference | kLow7);
        // Gather the top bits of the bytes.
        found |= static_cast<std::uint32_t>((equal >> 7U) * 0x0102040810204080ULL >> 56U) << 8 * i;
    }
    return found;
#endif
}

/// Bit i is set if word i of the sixteen from `words` on equals `word`.
[[nodiscard]] inline std::uint32_t words_equal(const std::uint32_t* words, std::uint32_t word) {
    constexpr std::uint32_t kWords = 16;
    std::uint32_t found = 0;
#ifdef __SSE2__
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(word));
    for (std::uint32_t i = 0; i < kWords; i += 4) {
        const __m128i equal =
            _mm_cmpeq_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words + i)), wanted);
        found |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(equal))) << i;
    }
#else
    for (std::uint32_t i = 0; i < kWords; ++i) found |= (words[i] == word ? 1U : 0U) << i;
#endif
    return found;
}

}  // namespace tessera
