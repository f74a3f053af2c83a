#include "sc_models/dual_side/dual_side_mechanism.h"

#include "sc_models/dual_side/dual_side_energy.h"
#include "sc_models/dual_side/dual_side_figures.h"
#include "sc_models/dual_side/dual_side_rules.h"

namespace tessera {
namespace {

class DualSideMechanism : public Mechanism {
public:
    [[nodiscard]] const MechanismKinds& kinds() const override {
        static constexpr MechanismKinds kKinds = {
            "sparse",      {"sparse_gemm", "sparse_convolution"},
            "sparse_gemm", "sparse_convolution",
            "sparse_gemm", "workload.sparse.method"};
        return kKinds;
    }

    [[nodiscard]] std::vector<KeyCondition> key_conditions() const override {
        return {
            {"tensor_core.accumulation_buffer.",
             "with SpWMMAs (workload.sparse.method single or dual) and "
             "tensor_core.spwmma.accumulation memo or collector"},
            {"tensor_core.spwmma.",
             "with tensor_core.kind outer_product and sparse products (workload.kind sparse_gemm "
             "or sparse_convolution)"}};
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
