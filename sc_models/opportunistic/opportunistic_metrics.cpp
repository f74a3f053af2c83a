#include "sc_models/opportunistic/opportunistic_metrics.h"

#include <initializer_list>
#include <string>

#include "sc_models/common/percent.h"
#include "sc_models/opportunistic/block_pairs.h"
#include "sc_models/workload/direct/direct_convolution.h"

namespace tessera {
namespace {

/// Input, weight and sum of each of 32 lanes (opportunistic computing, IV).
constexpr std::uint64_t kAssistantRegisterBytes = 3 * 4 * 32;
constexpr std::uint64_t kMany = 800, kSome = 100;  ///< computations per pair (Figure 1)

/// Shares of the predictions that were not used, and of the operations that were not assigned, by
/// the reason.
void add_reasons(const OpportunisticConfig& o, const StatGroup& statistics,
                 std::uint64_t operations, nlohmann::ordered_json& m) {
    const auto share = [&](const std::string& group, const char* of,
                           std::initializer_list<const char*> parts) {
        std::uint64_t sum = 0;
        for (const char* part : parts) sum += statistics.sum(group + part);
        return percent(sum, statistics.sum(group + of));
    };
    const std::string table = "sm.opportunistic.precompute_table.";
    if (o.precomputes() && statistics.sum(table + "inserted") > 0) {
        m["prediction_accuracy_percent"] = share(table, "inserted", {"used"});
        m["prediction_late_percent"] = share(table, "inserted", {"too_late"});
        m["prediction_replaced_percent"] = share(table, "inserted", {"replaced", "eliminated"});
        m["prediction_unasked_percent"] = share(table, "inserted", {"flushed"});
    }
    const std::string assignments = "sm.opportunistic.assignments.";
    if (!o.inter() || statistics.sum(assignments + "missing") == 0) return;
    m["missing_percent"] = percent(statistics.sum(assignments + "missing"), operations);
    for (const char* reason : {"absent", "apart", "own", "no_room"}) {
        m[std::string("missing_") + reason + "_percent"] = share(assignments, "missing", {reason});
    }
    m["missing_assigned_percent"] = share(assignments, "missing", {"sent"});
}

void add_storage(const OpportunisticConfig& o, nlohmann::ordered_json& m) {
    std::uint64_t bits = 0;
    if (o.precomputes()) {
        m["precompute_table_bytes"] = o.pt_bits() / 8;
        bits += o.pt_bits();
    }
    if (o.inter()) {
        m["assign_table_bytes"] = o.at_bits() / 8;
        bits += o.at_bits() / o.cluster_sms;
    }
    if (bits > 0) m["storage_per_sm_bytes"] = bits / 8 + kAssistantRegisterBytes;
}

}  // namespace

void add_opportunistic_metrics(const Config& config, const Workload& workload,
                               const StatGroup& statistics, Cycle cycles,
                               nlohmann::ordered_json& m) {
    const OpportunisticConfig& o = config.opportunistic;
    const auto sum = [&statistics](const std::string& path) { return statistics.sum(path); };
    const std::string unit = "sm.opportunistic.";
    const KernelInfo& kernel = workload.kernels().back()->info();

    const std::uint64_t slots = sum("sm.sub_core.cycles");
    const std::uint64_t assisted = sum(unit + "assistant_cycles");
    const std::uint64_t stalled = slots - sum("sm.sub_core.issued") + assisted;
    m["ipc"] = static_cast<double>(sum("sm.sub_core.instructions")) / static_cast<double>(cycles);
    m["stall_cycles"] = stalled;
    m["stall_percent"] = percent(stalled, slots);
    m["idle_bound_percent"] = percent(stalled, slots - stalled);
    m["assistant_issue_percent"] = percent(assisted, slots);
    m["warps_per_sm"] = static_cast<double>(std::uint64_t{kernel.ctas} * kernel.warps_per_cta) /
                        static_cast<double>(config.gpu.sms);
    std::uint64_t operations = 0;
    for (const char* outcome : {"normal", "predicted", "assigned"}) {
        operations += sum(unit + "operations_" + outcome);
    }
    m["vector_operations"] = operations;
    const std::uint64_t predicted = sum(unit + "lanes_predicted");
    const std::uint64_t assigned = sum(unit + "lanes_assigned");
    const std::uint64_t lanes = sum(unit + "lanes_normal") + predicted + assigned;
    m["predicted_percent"] = percent(predicted, lanes);
    m["assigned_percent"] = percent(assigned, lanes);
    m["assistant_instructions"] = sum(unit + "assistant_instructions");
    add_reasons(o, statistics, operations, m);
    add_storage(o, m);
    if (!o.characterise) return;
    m["sharing_misses"] = sum("opportunistic.sharing.misses");
    m["sharing_found_elsewhere"] = sum("opportunistic.sharing.found_elsewhere");
    m["sharing_found_or_expected"] = sum("opportunistic.sharing.found_or_expected");
    m["found_elsewhere_percent"] =
        percent(sum("opportunistic.sharing.found_elsewhere"), sum("opportunistic.sharing.misses"));
    m["found_in_cluster_percent"] =
        percent(sum("opportunistic.sharing.found_in_cluster"), sum("opportunistic.sharing.misses"));
    const auto* const layer = dynamic_cast<const DirectConvolution*>(&workload);
    if (layer == nullptr) return;  // a composition
    const BlockPairs pairs(layer->kernel(), config.l1.line_bytes);
    m["block_pairs"] = pairs.pairs();
    m["block_pairs_over_800_percent"] = percent(pairs.over(kMany), pairs.pairs());
    m["block_pairs_over_100_percent"] = percent(pairs.over(kSome), pairs.pairs());
}

}  // namespace tessera
