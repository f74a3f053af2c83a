#include "sc_models/run/mechanisms.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sc_models/cosim/rtl_operations.h"
#include "sc_models/mechanisms/mechanisms.h"

namespace tessera {
namespace {

/// Figures of all mechanisms that have some.
std::vector<const MechanismFigures*> all_figures() {
    std::vector<const MechanismFigures*> all;
    for (const Mechanism* mechanism : mechanisms()) {
        if (mechanism->figures() != nullptr) all.push_back(mechanism->figures());
    }
    return all;
}

MechanismFigure rtl(RtlBlock block, Implementation implementation) {
    const std::uint64_t operations = rtl_operations(block);
    MechanismFigure figure{fmt::format("RTL of {}", text_of(block).name), operations > 0,
                           "nothing for it to do"};
    if (figure.acted) {
        // Other blocks are clocked (ClockedRtl); their unit of comparison is a clock cycle.
        const RtlHome home = text_of(block).home;
        const bool is_called =
            home == RtlHome::kDetectionUnit || home == RtlHome::kOpportunisticUnit;
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

void MechanismTotals::add(const Config& config, const StatGroup& statistics) {
    const std::vector<const MechanismFigures*> all = all_figures();
    counts.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const MechanismCounts more = all[i]->counts(config, statistics);
        counts[i].resize(more.size());
        for (std::size_t place = 0; place < more.size(); ++place) counts[i][place] += more[place];
    }
}

std::vector<MechanismFigure> mechanism_figures(const Config& config,
                                               const MechanismTotals& totals) {
    std::vector<MechanismFigure> figures;
    const std::vector<const MechanismFigures*> all = all_figures();
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i]->add_figures(config, i < totals.counts.size() ? totals.counts[i] : MechanismCounts{},
                            figures);
    }
    for (std::size_t i = 0; i < kRtlBlocks.size(); ++i) {
        const auto block = static_cast<RtlBlock>(i);
        if (config.impl.has_rtl(block)) figures.push_back(rtl(block, config.impl.of(block)));
    }
    return figures;
}

std::string mechanism_text(const nlohmann::ordered_json& metrics) {
    std::string text;
    for (const MechanismFigures* figures : all_figures()) text += figures->kernel_text(metrics);
    return text;
}

}  // namespace tessera
