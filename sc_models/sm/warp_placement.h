// Placement of warps on sub-cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sc_models/isa/kernel.h"

namespace tessera {

/// Returns the sub-core of warp `warp` of the CTA in slot `cta_slot`: the kernel's placement,
/// rotated by the warps of the preceding slots, so that CTAs of few warps spread over all
/// sub-cores.
[[nodiscard]] inline std::uint32_t sub_core_of(const KernelInfo& kernel, std::uint32_t cta_slot,
                                               std::uint32_t warp, std::uint32_t sub_cores) {
    return (kernel.sub_core_of_warp[warp] + cta_slot * kernel.warps_per_cta) % sub_cores;
}

/// Returns the number of warps on the fullest sub-core of an SM that holds `ctas` CTAs.
[[nodiscard]] inline std::uint32_t fullest_sub_core(const KernelInfo& kernel, std::uint32_t ctas,
                                                    std::uint32_t sub_cores) {
    std::vector<std::uint32_t> warps(sub_cores, 0);
    for (std::uint32_t slot = 0; slot < ctas; ++slot) {
        for (std::uint32_t warp = 0; warp < kernel.warps_per_cta; ++warp) {
            ++warps[sub_core_of(kernel, slot, warp, sub_cores)];
        }
    }
    return *std::max_element(warps.begin(), warps.end());
}

}  // namespace tessera
