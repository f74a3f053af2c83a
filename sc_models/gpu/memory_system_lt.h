// Memory system, loosely timed.
#pragma once

#include <memory>
#include <vector>

#include "sc_models/gpu/memory_system.h"
#include "sc_models/memory/lt/dram_channel.h"
#include "sc_models/memory/lt/l2_slice.h"

namespace tessera {

/// The memory system of loosely-timed blocks.
class MemorySystemLt : public MemorySystem {
public:
    /// Throws ConfigError on a configuration that cannot be built (see the parts).
    MemorySystemLt(const sc_core::sc_module_name& name, const MemorySystemPlan& plan,
                   const ClockDomain& clock);

    [[nodiscard]] Cycle busy_until() const override;
    void start_kernel(Cycle first) override;
    [[nodiscard]] Cycle end_of_kernel(Cycle end) const override;

private:
    [[nodiscard]] Totals check_blocks(std::vector<std::string>& violations) const override;

    std::vector<std::unique_ptr<L2Slice>> slices_;
    std::vector<std::unique_ptr<DramChannel>> channels_;
    Cycle first_ = 0;                       ///< of the present kernel
    std::vector<Cycle> bus_cycles_before_;  ///< of each channel, when the present kernel began
};

}  // namespace tessera
