#include "sc_models/run/mechanisms.h"

#include <fmt/format.h>
#include <utility>

#include "sc_models/common/percent.h"
#include "sc_models/cosim/rtl_operations.h"
#include "sc_models/duplo/duplo_metrics.h"

namespace tessera {
namespace {

MechanismFigure duplo(const MechanismCounts& c) {
    if (c.loads_of_a == 0) return {"Duplo", false, "no load of A came by its detection units"};
    return {"Duplo", true,
            fmt::format("hit rate {:.2f} % of {} loads of A", percent(c.lhb_hits, c.loads_of_a),
                        c.loads_of_a)};
}

MechanismFigure spwmma(const MechanismCounts& c) {
    if (c.spwmmas == 0) return {"SpWMMA", false, "no sparse product was issued"};
    return {"SpWMMA", true,
            fmt::format("{} OHMMAs issued, {} skipped ({:.2f} %)", c.ohmmas, c.ohmmas_skipped,
                        percent(c.ohmmas_skipped, c.ohmmas + c.ohmmas_skipped))};
}

MechanismFigure outer_product(const MechanismCounts& c) {
    if (c.owmmas == 0) {
        return {"outer-product tensor cores", false, "no dense product was issued"};
    }
    return {"outer-product tensor cores", true, fmt::format("{} dense OWMMAs", c.owmmas)};
}

MechanismFigure opportunistic(const MechanismCounts& c) {
    if (c.predicted + c.assigned == 0) {
        return {
            "opportunistic computing", false,
            fmt::format("none of {} vector operations predicted or assigned", c.vector_operations)};
    }
    return {"opportunistic computing", true,
            fmt::format("{} vector operations, {} predicted ({:.2f} %) and {} assigned to other "
                        "SMs ({:.2f} %)",
                        c.vector_operations, c.predicted, percent(c.predicted, c.vector_operations),
                        c.assigned, percent(c.assigned, c.vector_operations))};
}

MechanismFigure rtl(RtlBlock block, Implementation implementation) {
    const std::uint64_t operations = rtl_operations(block);
    MechanismFigure figure{fmt::format("RTL of {}", text_of(block).name), operations > 0,
                           "nothing for it to do"};
    if (figure.acted) {
        // Other blocks are clocked (ClockedRtl); their unit of comparison is a clock cycle.
        const bool is_called = text_of(block).home == RtlHome::kDetectionUnit;
        const bool both = implementation == Implementation::kBoth;
        figure.figure = fmt::format("{} {} {} the model{}", operations,
                                    is_called ? "operations" : "clock cycles",
                                    both ? "compared with" : "in place of",
                                    !both                        ? ""
                                    : rtl_compares_cycles(block) ? " (results and cycles)"
                                                                 : " (results)");
    }
    return figure;
}

}  // namespace

void MechanismCounts::add(const Config& config, const StatGroup& statistics) {
    const auto sum = [&statistics](std::string_view path) { return statistics.sum(path); };
    if (config.duplo.enabled) {
        const DetectionCounts detection(statistics);
        loads_of_a += detection.units();
        lhb_hits += detection.all_hits;
    }
    if (config.tensor_core.kind == TensorCoreKind::kOuterProduct) {
        owmmas += sum("sm.sub_core.mmas");
        if (has_sparse_product(config.workload.kind)) {  // other workloads have no SpWMMA unit
            spwmmas += sum("sm.sub_core.tensor.spwmmas");
            ohmmas += sum("sm.sub_core.tensor.ohmmas");
            ohmmas_skipped += sum("sm.sub_core.tensor.ohmmas_skipped");
        }
    }
    if (has_vector_operations(config.workload.kind)) {
        const std::string unit = "sm.opportunistic.operations_";
        predicted += sum(unit + "predicted");
        assigned += sum(unit + "assigned");
        for (const char* outcome : {"normal", "predicted", "assigned"}) {
            vector_operations += sum(unit + outcome);
        }
    }
}

std::vector<MechanismFigure> mechanism_figures(const Config& config,
                                               const MechanismCounts& counts) {
    std::vector<MechanismFigure> figures;
    if (config.duplo.enabled) figures.push_back(duplo(counts));
    if (config.tensor_core.kind == TensorCoreKind::kOuterProduct) {
        const bool sparse = config.workload.uses_spwmma();
        if (sparse) figures.push_back(spwmma(counts));
        if (!sparse || counts.owmmas > 0) figures.push_back(outer_product(counts));
    }
    if (config.opportunistic.scheme != OpportunisticScheme::kNone) {
        figures.push_back(opportunistic(counts));
    }
    for (std::size_t i = 0; i < kRtlBlocks.size(); ++i) {
        const auto block = static_cast<RtlBlock>(i);
        if (config.impl.has_rtl(block)) figures.push_back(rtl(block, config.impl.of(block)));
    }
    return figures;
}

}  // namespace tessera
