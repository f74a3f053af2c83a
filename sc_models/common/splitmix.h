// Counter-based random numbers, determined by a key and an index (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014).
#pragma once

#include <cstdint>

namespace tessera {

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15U;

/// The finaliser of splitmix64.
[[gnu::always_inline]] inline std::uint64_t splitmix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

/// Number `index` of the sequence of `key`.
[[gnu::always_inline]] inline std::uint64_t splitmix_at(std::uint64_t key, std::uint64_t index) {
    return splitmix(key + (index + 1) * kGoldenGamma);
}

/// Key of stream `stream` of a run with this seed.
[[gnu::always_inline]] inline std::uint64_t splitmix_key(std::uint64_t seed, std::uint64_t stream) {
    return splitmix(splitmix(seed + kGoldenGamma) ^ (stream * kGoldenGamma));
}

}  // namespace tessera
