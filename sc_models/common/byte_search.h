// Search for a byte among sixteen side by side.
#pragma once

#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tessera {

/// Words that one call of bytes_equal looks at.
inline constexpr std::uint32_t kSearchedWords = 2;

/// Bit i: byte i of the two words from `words` on (least significant byte of a word first) is
/// `byte`.
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
        // The top bits of the bytes, side by side.
        found |= static_cast<std::uint32_t>((equal >> 7U) * 0x0102040810204080ULL >> 56U) << 8 * i;
    }
    return found;
#endif
}

}  // namespace tessera
