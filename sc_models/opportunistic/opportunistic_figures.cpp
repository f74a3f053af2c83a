#include "sc_models/opportunistic/opportunistic_figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sc_models/common/percent.h"

namespace tessera {
namespace {

class OpportunisticFigures : public MechanismFigures {
public:
    [[nodiscard]] MechanismCounts counts(const Config& config,
                                         const StatGroup& statistics) const override {
        if (!has_vector_operations(config.workload.kind)) return {};
        const std::string unit = "sm.opportunistic.operations_";
        const std::uint64_t predicted = statistics.sum(unit + "predicted");
        const std::uint64_t assigned = statistics.sum(unit + "assigned");
        return {statistics.sum(unit + "normal") + predicted + assigned, predicted, assigned};
    }

    void add_figures(const Config& config, const MechanismCounts& given,
                     std::vector<MechanismFigure>& figures) const override {
        if (config.opportunistic.scheme == OpportunisticScheme::kNone) return;
        const MechanismCounts c = given.empty() ? MechanismCounts(kCounts) : given;
        if (c[kPredicted] + c[kAssigned] == 0) {
            figures.push_back({"opportunistic computing", false,
                               fmt::format("none of {} vector operations predicted or assigned",
                                           c[kOperations])});
            return;
        }
        figures.push_back(
            {"opportunistic computing", true,
             fmt::format("{} vector operations, {} predicted ({:.2f} %) and {} assigned to other "
                         "SMs ({:.2f} %)",
                         c[kOperations], c[kPredicted], percent(c[kPredicted], c[kOperations]),
                         c[kAssigned], percent(c[kAssigned], c[kOperations]))});
    }

    /// Effect of precompute and assign tables, with the figures that limit it.
    [[nodiscard]] std::string kernel_text(const nlohmann::ordered_json& m) const override {
        const auto has = [&m](const char* key) { return m.contains(key) && m.at(key) > 0; };
        if (!has("vector_operations") || !has("storage_per_sm_bytes")) return {};
        std::string text = fmt::format(
            "  {} vector operations: {:.2f} % predicted, {:.2f} % assigned to other SMs\n",
            m.at("vector_operations").get<std::uint64_t>(), m.at("predicted_percent").get<double>(),
            m.at("assigned_percent").get<double>());
        if (m.contains("prediction_accuracy_percent")) {
            text += fmt::format("    predictions that were used: {:.2f} %\n",
                                m.at("prediction_accuracy_percent").get<double>());
        }
        const double stalled = m.at("stall_percent");
        const double assisted = m.at("assistant_issue_percent");
        text += fmt::format(
            "    issue slots: {:.2f} % issued by the kernel's warps, {:.2f} % issued by assistant "
            "warps, {:.2f} % empty\n",
            100 - stalled, assisted, stalled - assisted);
        return text +
               fmt::format("    {:.1f} warps an SM, {} bytes an SM for tables and registers\n",
                           m.at("warps_per_sm").get<double>(),
                           m.at("storage_per_sm_bytes").get<std::uint64_t>());
    }

    [[nodiscard]] std::vector<CounterRatio> sampled() const override {
        return {{"lanes predicted (opportunistic)",
                 "lanes a cycle",
                 {"sm.opportunistic.lanes_predicted"},
                 {}},
                {"lanes assigned (opportunistic)",
                 "lanes a cycle",
                 {"sm.opportunistic.lanes_assigned"},
                 {}}};
    }

private:
    enum Count { kOperations, kPredicted, kAssigned, kCounts };
};

}  // namespace

const MechanismFigures& opportunistic_figures() {
    static const OpportunisticFigures kFigures;
    return kFigures;
}

}  // namespace tessera
