#include "sc_models/workload/value_generator.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;

/// The finaliser of splitmix64 (Steele, Lea and Flood, 2014).
std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

}  // namespace

ValueGenerator::ValueGenerator(std::uint64_t seed, Tensor tensor, ValuePattern pattern)
    : key_(mix(mix(seed + kGolden) ^ (static_cast<std::uint64_t>(tensor) * kGolden))),
      pattern_(pattern) {}

float ValueGenerator::uniform(std::uint64_t index) const {
    const std::uint64_t random = mix(key_ + (index + 1) * kGolden);
    const auto grid = static_cast<std::int32_t>(random >> 40U) - (1 << 23);
    return static_cast<float>(grid) * 0x1p-23F;
}

float ValueGenerator::relu(std::uint64_t index) const {
    constexpr std::uint64_t kWords = 3;  // four 16-bit uniform numbers each
    std::int32_t sum = 0;
    for (std::uint64_t word = 0; word < kWords; ++word) {
        const std::uint64_t random = mix(key_ + (index * kWords + word + 1) * kGolden);
        for (std::uint32_t shift = 0; shift < 64; shift += 16) {
            sum += static_cast<std::int32_t>((random >> shift) & 0xffffU);
        }
    }
    // Twelve uniform numbers have variance 1; each averages 65535/2.
    return static_cast<float>(std::max(sum - 6 * 65535, 0)) * 0x1p-16F;
}

float ValueGenerator::dyadic(std::uint64_t index) const {
    constexpr std::uint64_t kValues = 17;
    const std::uint64_t random = mix(key_ + (index + 1) * kGolden) >> 40U;
    return static_cast<float>(static_cast<std::int32_t>(random % kValues) - 8) * 0.125F;
}

}  // namespace tessera
