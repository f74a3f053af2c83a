// Memory system, approximately timed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/gpu/memory_system.h"
#include "sc_models/memory/at/dram_channel_at.h"
#include "sc_models/memory/at/l2_slice_at.h"
#include "sc_models/tlm/at/at_context.h"

namespace tessera {

/// Memory system of approximately-timed blocks, with the statistics of MemorySystemLt.
class MemorySystemAt : public MemorySystem {
public:
    /// `ticker` must outlive it. Throws ConfigError on a configuration that cannot be built (see
    /// the parts).
    MemorySystemAt(const sc_core::sc_module_name& name, const MemorySystemPlan& plan,
                   CycleTicker& ticker);

    [[nodiscard]] std::size_t outstanding() const override;
    void describe_waiting(std::vector<std::string>& lines) const override;

private:
    [[nodiscard]] Totals check_blocks(std::vector<std::string>& violations) const override;

    /// Partition of a DRAM channel and its L2 slices.
    struct MemoryPartition : PartitionContext {
        MemoryPartition(CycleTicker& ticker, Observers watching, const AddressMap& of_all)
            : PartitionContext(ticker, watching), map(of_all) {}
        AddressMap map;  ///< separate copy, as a map caches its last lookup
    };

    std::vector<std::unique_ptr<MemoryPartition>> partitions_;  ///< by channel
    std::vector<std::unique_ptr<L2SliceAt>> slices_;
    std::vector<std::unique_ptr<DramChannelAt>> channels_;
};

}  // namespace tessera
