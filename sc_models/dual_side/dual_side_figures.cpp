#include "sc_models/dual_side/dual_side_figures.h"

#include <fmt/format.h>

#include "sc_models/common/percent.h"

namespace tessera {
namespace {

class DualSideFigures : public MechanismFigures {
public:
    [[nodiscard]] MechanismCounts counts(const Config& config,
                                         const StatGroup& statistics) const override {
        if (config.tensor_core.kind != TensorCoreKind::kOuterProduct) return {};
        MechanismCounts counts(kCounts);
        counts[kOwmmas] = statistics.sum("sm.sub_core.mmas");
        if (has_sparse_product(config.workload.kind)) {  // other workloads have no SpWMMA unit
            counts[kSpwmmas] = statistics.sum("sm.sub_core.tensor.spwmmas");
            counts[kOhmmas] = statistics.sum("sm.sub_core.tensor.ohmmas");
            counts[kSkipped] = statistics.sum("sm.sub_core.tensor.ohmmas_skipped");
        }
        return counts;
    }

    void add_figures(const Config& config, const MechanismCounts& given,
                     std::vector<MechanismFigure>& figures) const override {
        if (config.tensor_core.kind != TensorCoreKind::kOuterProduct) return;
        const MechanismCounts counts = given.empty() ? MechanismCounts(kCounts) : given;
        const bool sparse = config.workload.uses_spwmma();
        if (sparse) figures.push_back(spwmmas(counts));
        if (!sparse || counts[kOwmmas] > 0) figures.push_back(owmmas(counts));
    }

    [[nodiscard]] std::vector<CounterRatio> sampled() const override {
        return {{"OHMMAs skipped (dual-side)",
                 "% of them",
                 {"sm.sub_core.tensor.ohmmas_skipped"},
                 {"sm.sub_core.tensor.ohmmas", "sm.sub_core.tensor.ohmmas_skipped"},
                 100}};
    }

private:
    enum Count { kOwmmas, kSpwmmas, kOhmmas, kSkipped, kCounts };

    static MechanismFigure spwmmas(const MechanismCounts& c) {
        if (c[kSpwmmas] == 0) return {"SpWMMA", false, "no sparse product was issued"};
        return {"SpWMMA", true,
                fmt::format("{} OHMMAs issued, {} skipped ({:.2f} %)", c[kOhmmas], c[kSkipped],
                            percent(c[kSkipped], c[kOhmmas] + c[kSkipped]))};
    }
    static MechanismFigure owmmas(const MechanismCounts& c) {
        if (c[kOwmmas] == 0) {
            return {"outer-product tensor cores", false, "no dense product was issued"};
        }
        return {"outer-product tensor cores", true, fmt::format("{} dense OWMMAs", c[kOwmmas])};
    }
};

}  // namespace

const MechanismFigures& dual_side_figures() {
    static const DualSideFigures kFigures;
    return kFigures;
}

}  // namespace tessera
