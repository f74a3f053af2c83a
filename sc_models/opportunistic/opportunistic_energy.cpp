#include "sc_models/opportunistic/opportunistic_energy.h"

#include <string>

namespace tessera {
namespace {

/// Operations or lanes of vector operations, by whatever unit.
std::uint64_t all_outcomes(const CountedKernel& kernel, const std::string& prefix) {
    std::uint64_t sum = 0;
    for (const char* outcome : {"normal", "predicted", "assigned"}) {
        sum += kernel.sum("sm.opportunistic." + prefix + outcome);
    }
    return sum;
}

class OpportunisticEnergy : public MechanismEnergy {
public:
    [[nodiscard]] std::vector<const EnergyEvent*> events() const override {
        return {&energy_event::kPrecomputeSearch,      &energy_event::kPrecomputeWrite,
                &energy_event::kPrecomputeResultWrite, &energy_event::kPrecomputeResultRead,
                &energy_event::kAssignSearch,          &energy_event::kAssignWrite,
                &energy_event::kPrecomputeLeakage,     &energy_event::kAssignLeakage};
    }

    void count(const CountedKernel& kernel, const EventCounter& add) const override {
        if (!has_vector_operations(kernel.config.workload.kind)) return;
        const OpportunisticConfig& o = kernel.config.opportunistic;
        const std::uint64_t sms = kernel.config.gpu.sms;
        if (o.precomputes()) {
            const std::string table = "sm.opportunistic.precompute_table.";
            const std::uint64_t entries = o.pt_entries;
            add(energy_event::kPrecomputeSearch, all_outcomes(kernel, "operations_"), entries);
            add(energy_event::kPrecomputeWrite, kernel.sum(table + "inserted"), entries);
            add(energy_event::kPrecomputeResultWrite, kernel.sum(table + "completed"), 0);
            add(energy_event::kPrecomputeResultRead, kernel.sum(table + "used"), 0);
            add(energy_event::kPrecomputeLeakage, sms * kernel.cycles, entries);
        }
        if (!o.inter()) return;
        // Each L1 eviction searches the assign table, too.
        add(energy_event::kAssignSearch,
            kernel.sum("opportunistic.assign_table.lookups") + kernel.sum("sm.l1.evictions"),
            o.at_entries);
        add(energy_event::kAssignWrite, kernel.sum("opportunistic.assign_table.inserted"),
            o.at_entries);
        add(energy_event::kAssignLeakage, sms / o.cluster_sms * kernel.cycles, o.at_entries);
    }

    [[nodiscard]] MechanismWork work(const CountedKernel& kernel) const override {
        MechanismWork work;
        if (!has_vector_operations(kernel.config.workload.kind)) return work;
        const std::uint64_t operations = all_outcomes(kernel, "operations_");
        const std::uint64_t lanes = all_outcomes(kernel, "lanes_");
        // Predictions that were never used were computed, too.
        std::uint64_t wasted = 0;
        if (kernel.config.opportunistic.precomputes()) {
            const std::string table = "sm.opportunistic.precompute_table.";
            const std::uint64_t completed = kernel.sum(table + "completed");
            const std::uint64_t used = kernel.sum(table + "used");
            wasted = completed > used ? completed - used : 0;
        }
        const std::uint64_t length = kernel.config.workload.layer.filter_width;
        const std::uint64_t wasted_lanes = operations == 0 ? 0 : wasted * lanes / operations;
        work.vector_instructions = (operations + wasted) * length;
        work.vector_lanes = (lanes + wasted_lanes) * length;
        return work;
    }
};

}  // namespace

const MechanismEnergy& opportunistic_energy() {
    static const OpportunisticEnergy kEnergy;
    return kEnergy;
}

}  // namespace tessera
