// Condensed row and column groups: the bitmap positions that an OHMMA processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera {

/// Up to `kLanes` positions of set bits. Lanes that are not valid hold position 0.
template <std::size_t kLanes>
struct CondensedGroup {
    std::array<std::uint32_t, kLanes> index{};
    std::uint32_t valid = 0;  ///< bit per lane
};

/// Returns set bits number `group` * kLanes and following of `bitmap`, the lowest position first
/// (dual-side sparse tensor core paper, Figure 5).
template <std::size_t kLanes>
[[nodiscard]] CondensedGroup<kLanes> condensed_group(std::uint32_t bitmap, std::uint32_t group) {
    CondensedGroup<kLanes> result;
    for (std::size_t skipped = 0; skipped < group * kLanes && bitmap != 0; ++skipped) {
        bitmap &= bitmap - 1;
    }
    for (std::size_t lane = 0; lane < kLanes && bitmap != 0; ++lane, bitmap &= bitmap - 1) {
        result.index[lane] = static_cast<std::uint32_t>(__builtin_ctz(bitmap));
        result.valid |= 1U << lane;
    }
    return result;
}

}  // namespace tessera
