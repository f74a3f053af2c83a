#include "sc_models/tensor_core/structured_sparsity.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kIndexBits = 2;
constexpr std::uint32_t kGroupBits = 2 * kIndexBits;
constexpr std::uint32_t kIndexMask = (1U << kIndexBits) - 1;
constexpr std::uint32_t kGroups = kStructuredDepth / kStructuredGroup;

std::uint32_t magnitude(HalfBits half) {
    return half & 0x7fffU;
}

}  // namespace

std::uint32_t kept_of_group(const HalfBits group[kStructuredGroup]) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < kStructuredGroup; ++i) {
        std::uint32_t ahead = 0;  // elements that are kept rather than this one
        for (std::uint32_t j = 0; j < kStructuredGroup; ++j) {
            const bool larger = magnitude(group[j]) > magnitude(group[i]);
            const bool equal = magnitude(group[j]) == magnitude(group[i]);
            ahead += larger || (equal && j < i) ? 1 : 0;
        }
        if (ahead < 2) kept |= 1U << i;
    }
    return kept;
}

std::uint32_t compress_2of4(const HalfBits line[kStructuredDepth], HalfBits kept[kStructuredKept]) {
    std::uint32_t metadata = 0;
    for (std::uint32_t group = 0; group < kGroups; ++group) {
        const HalfBits* const elements = line + group * kStructuredGroup;
        const std::uint32_t mask = kept_of_group(elements);
        std::uint32_t place = 0;
        for (std::uint32_t i = 0; i < kStructuredGroup; ++i) {
            if ((mask >> i & 1U) == 0) continue;
            kept[2 * group + place] = elements[i];
            metadata |= i << (group * kGroupBits + place * kIndexBits);
            ++place;
        }
    }
    return metadata;
}

void expand_2of4(const HalfBits kept[kStructuredKept], std::uint32_t metadata,
                 HalfBits line[kStructuredDepth]) {
    std::fill_n(line, kStructuredDepth, HalfBits{0});
    for (std::uint32_t i = 0; i < kStructuredKept; ++i) {
        const std::uint32_t index = metadata >> (i * kIndexBits) & kIndexMask;
        line[i / 2 * kStructuredGroup + index] = kept[i];
    }
}

}  // namespace tessera
