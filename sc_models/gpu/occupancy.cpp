#include "sc_models/gpu/occupancy.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/error.h"
#include "sc_models/sm/warp_placement.h"

namespace tessera {

std::string Occupancy::limiter() const {
    if (registers_overcommitted) return "workload.tiling.ctas_per_sm (registers overcommitted)";
    if (ctas == by_registers) return "registers";
    if (ctas == by_warps) return "warp slots";
    if (ctas == by_ctas)
        return "CTA slots";  // before shared memory, which a kernel may not use at all
    if (ctas == by_shared_memory) return "shared memory";
    return "workload.tiling.ctas_per_sm";
}

Occupancy occupancy_of(const KernelInfo& kernel, const SmConfig& sm) {
    constexpr std::uint32_t kRegisterUnit = 8;
    Occupancy result;
    const std::uint32_t registers =
        round_up(kernel.registers_per_thread, kRegisterUnit) * kernel.warps_per_cta;
    result.by_registers = sm.warp_registers() / registers;
    result.by_shared_memory = kernel.shared_memory_bytes == 0
                                  ? sm.max_ctas
                                  : sm.shared_memory_kib * 1024 / kernel.shared_memory_bytes;
    result.by_warps = sm.max_warps / kernel.warps_per_cta;
    const std::uint32_t slots = sm.max_warps / sm.sub_cores;
    while (result.by_warps > 0 && fullest_sub_core(kernel, result.by_warps, sm.sub_cores) > slots) {
        --result.by_warps;
    }
    result.by_ctas = sm.max_ctas;
    const std::uint32_t hard = std::min({result.by_shared_memory, result.by_warps, result.by_ctas});
    result.ctas = std::min(hard, result.by_registers);
    if (kernel.forced_ctas_per_sm != 0) {
        if (kernel.forced_ctas_per_sm > hard) {
            throw ConfigError(fmt::format(
                "workload.tiling.ctas_per_sm: got '{}', but kernel {} fits an SM at most {} times "
                "(shared memory {}, warp slots {}, CTA slots {})",
                kernel.forced_ctas_per_sm, kernel.name, hard, result.by_shared_memory,
                result.by_warps, result.by_ctas));
        }
        result.ctas = kernel.forced_ctas_per_sm;
        result.registers_overcommitted = result.ctas > result.by_registers;
    }
    if (result.ctas == 0) {
        throw ConfigError(
            fmt::format("kernel {}: a CTA fits no SM: it needs {} warp registers of {}, {} of {} "
                        "bytes of shared "
                        "memory and {} of {} warps",
                        kernel.name, registers, sm.warp_registers(), kernel.shared_memory_bytes,
                        sm.shared_memory_kib * 1024, kernel.warps_per_cta, sm.max_warps));
    }
    return result;
}

}  // namespace tessera
