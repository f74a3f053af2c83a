#include "sc_models/dual_side/dual_side_mechanism.h"

#include "sc_models/dual_side/dual_side_energy.h"
#include "sc_models/dual_side/dual_side_figures.h"
#include "sc_models/dual_side/dual_side_rules.h"

namespace tessera {
namespace {

constexpr KeyCondition kSpwmmas = {
    "tensor_core.kind outer_product and SpWMMAs (workload.kind sparse_gemm or sparse_convolution, "
    "workload.sparse.method single or dual)",
    [](const Config& c) {
        const bool chains = c.workload.kind == WorkloadKind::kMicrobenchmarks;
        return c.tensor_core.kind == TensorCoreKind::kOuterProduct &&
               (c.workload.uses_spwmma() || chains);
    }};
constexpr KeyCondition kBanks = {
    "tensor_core.spwmma.accumulation memo, exact or collector", [](const Config& c) {
        return c.tensor_core.spwmma.accumulation != AccumulationDetail::kCount;
    }};
constexpr KeyCondition kCollector = {
    "tensor_core.spwmma.accumulation memo or collector", [](const Config& c) {
        const AccumulationDetail detail = c.tensor_core.spwmma.accumulation;
        return detail == AccumulationDetail::kMemo || detail == AccumulationDetail::kCollector;
    }};

class DualSideMechanism : public Mechanism {
public:
    [[nodiscard]] const MechanismKinds& kinds() const override {
        static constexpr MechanismKinds kKinds = {
            "sparse",      {"sparse_gemm", "sparse_convolution"},
            "sparse_gemm", "sparse_convolution",
            "sparse_gemm", "workload.sparse.method"};
        return kKinds;
    }

    [[nodiscard]] std::vector<KeyCondition> conditions_of(std::string_view key) const override {
        constexpr std::string_view kBuffer = "tensor_core.accumulation_buffer.";
        if (has_prefix(key, "tensor_core.spwmma.")) return {kSpwmmas};
        if (!has_prefix(key, kBuffer)) return {};
        const std::string_view name = key.substr(kBuffer.size());
        return {kSpwmmas, name == "banks" || name == "map" ? kBanks : kCollector};
    }

    void check_machine(const Config& config, const ConfigSource& source) const override {
        check_dual_side_machine(config, source);
    }
    void check_workload(const Config& config, const ConfigSource& source) const override {
        check_dual_side_workload(config, source);
    }

    [[nodiscard]] const MechanismFigures* figures() const override { return &dual_side_figures(); }
    [[nodiscard]] const MechanismEnergy* energy() const override { return &dual_side_energy(); }
};

}  // namespace

const Mechanism& dual_side_mechanism() {
    static const DualSideMechanism kDualSide;
    return kDualSide;
}

}  // namespace tessera
