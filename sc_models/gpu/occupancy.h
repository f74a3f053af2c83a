// Occupancy: the number of CTAs of a kernel that an SM holds at once.
#pragma once

#include <string>

#include "sc_models/config/sm_config.h"
#include "sc_models/isa/kernel.h"

namespace tessera {

/// Limits on resident CTAs of one SM (CUDA occupancy rules; registers are allocated to warps in
/// units of 8 a thread, and every sub-core has its share of the warp slots).
struct Occupancy {
    std::uint32_t by_registers = 0;
    std::uint32_t by_shared_memory = 0;
    std::uint32_t by_warps = 0;
    std::uint32_t by_ctas = 0;
    std::uint32_t ctas = 0;                ///< resident CTAs
    bool registers_overcommitted = false;  ///< forced beyond the register file

    /// Returns the binding limit as text.
    [[nodiscard]] std::string limiter() const;
};

/// Computes the occupancy. Throws ConfigError if not even one CTA fits, or if the kernel forces
/// more CTAs than shared memory, warp slots or CTA slots allow. A forced count may exceed the
/// register file (Duplo II-C counts shared memory only); registers_overcommitted is then set.
[[nodiscard]] Occupancy occupancy_of(const KernelInfo& kernel, const SmConfig& sm);

}  // namespace tessera
