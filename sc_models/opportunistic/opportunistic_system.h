// State of opportunistic computing that the GPU's SMs share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/config/memory_config.h"
#include "sc_models/config/noc_config.h"
#include "sc_models/config/sm_config.h"
#include "sc_models/opportunistic/keys/opportunistic_config.h"
#include "sc_models/opportunistic/opportunistic_unit.h"

namespace tessera {

/// The parts of a machine's configuration that opportunistic computing uses; they must outlive the
/// plan.
struct OpportunisticPlan {
    const OpportunisticConfig& opportunistic;
    const SmConfig& sm;
    const L1Config& l1;
    const NocConfig& noc;
    std::uint32_t sms = 0;
    bool values;
};

/// Clusters with their assign tables, the ledger of outputs, and the statistics of sharing between
/// L1 caches; makes the unit of each SM. Exists only if the workload consists of vector operations.
class OpportunisticSystem {
public:
    using AssignMaker = std::function<std::unique_ptr<AssignDevice>(SmId home)>;

    /// Registers child `opportunistic` of `statistics`. The clusters become children of the module
    /// that is under construction, the GPU.
    /// `make_assign` (empty: none) makes what replaces the assign table of the cluster whose first
    /// SM is given, or null.
    OpportunisticSystem(const OpportunisticPlan& plan, StatGroup& statistics,
                        const AssignMaker& make_assign = {});

    /// Makes the unit of SM `sm`, in the constructor of that SM; SMs must come in ascending order.
    /// `port` is its end of the mesh, null with a crossbar; `precompute`
    /// (null: none) replaces its precompute table. The system keeps a pointer to the unit.
    [[nodiscard]] std::unique_ptr<OpportunisticUnit> make_unit(
        SmId sm, VectorUnitHost& host, BlockPresence& cache, VectorValues::Reader read,
        MeshPort* port, StatGroup& statistics, Observers observers,
        std::unique_ptr<PrecomputeDevice> precompute = nullptr);

    void start_kernel(const KernelInfo& info);
    /// Appends violations: outputs that did not receive each of their operations once, and lost
    /// assignments.
    void check(std::vector<std::string>& violations) const;

private:
    const OpportunisticPlan config_;
    OutputLedger ledger_;
    std::unique_ptr<BlockSharing> sharing_;
    std::vector<std::unique_ptr<AssignCluster>> clusters_;
    std::vector<std::unique_ptr<AssignLink>> links_;  ///< by SM
    std::vector<const OpportunisticUnit*> units_;     ///< by SM
};

}  // namespace tessera
