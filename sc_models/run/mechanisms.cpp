#include "sc_models/run/mechanisms.h"

#include <fmt/format.h>
#include <utility>

#include "sc_models/common/percent.h"
#include "sc_models/cosim/comparisons.h"
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

/// A block as RTL; `cycles` of its clock.
void add_rtl(std::vector<MechanismFigure>& figures, std::string_view block,
             Implementation implementation, std::uint64_t cycles) {
    if (implementation == Implementation::kTlm) return;
    MechanismFigure figure{fmt::format("RTL of {}", block), cycles > 0, ""};
    if (!figure.acted) {
        figure.figure = "nothing for it to do";
    } else if (implementation == Implementation::kBoth) {
        figure.figure =
            fmt::format("{} operations compared with the model", operations_compared(block));
    } else {
        figure.figure = fmt::format("in place of the model, {} cycles of its clock", cycles);
    }
    figures.push_back(std::move(figure));
}

}  // namespace

void MechanismCounts::add(const Config& config, const StatGroup& statistics) {
    const auto sum = [&statistics](std::string_view path) { return statistics.sum(path); };
    if (config.duplo.enabled) {
        const DetectionCounts detection(statistics);
        loads_of_a += detection.units();
        lhb_hits += detection.all_hits;
        id_generator_rtl_cycles += sum("sm.ldst.detection.id_generator_rtl_cycles");
        lhb_rtl_cycles += sum("sm.ldst.detection.lhb_rtl_cycles");
    }
    if (config.tensor_core.kind == TensorCoreKind::kOuterProduct) {
        owmmas += sum("sm.sub_core.mmas");
        if (has_sparse_product(config.workload.kind)) {  // others have no SpWMMA unit
            spwmmas += sum("sm.sub_core.tensor.spwmmas");
            ohmmas += sum("sm.sub_core.tensor.ohmmas");
            ohmmas_skipped += sum("sm.sub_core.tensor.ohmmas_skipped");
        }
        tensor_rtl_cycles += sum("sm.sub_core.tensor.rtl_cycles");
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
    const auto cycles = [&counts](RtlBlock block) {
        if (block == RtlBlock::kIdGenerator) return counts.id_generator_rtl_cycles;
        if (block == RtlBlock::kLoadHistoryBuffer) return counts.lhb_rtl_cycles;
        return counts.tensor_rtl_cycles;
    };
    for (std::size_t i = 0; i < kRtlBlocks.size(); ++i) {
        add_rtl(figures, kRtlBlocks[i].name, config.impl.blocks[i],
                cycles(static_cast<RtlBlock>(i)));
    }
    return figures;
}

}  // namespace tessera
