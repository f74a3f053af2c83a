#include "sc_models/duplo/duplo_figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sc_models/common/percent.h"
#include "sc_models/duplo/duplo_metrics.h"
#include "sc_models/duplo/hit_class.h"

namespace tessera {
namespace {

class DuploFigures : public MechanismFigures {
public:
    [[nodiscard]] MechanismCounts counts(const Config& config,
                                         const StatGroup& statistics) const override {
        if (!config.duplo.enabled) return {};
        const DetectionCounts detection(statistics);
        return {detection.units(), detection.all_hits};
    }

    void add_figures(const Config& config, const MechanismCounts& counts,
                     std::vector<MechanismFigure>& figures) const override {
        if (!config.duplo.enabled) return;
        const std::uint64_t loads = counts.empty() ? 0 : counts[kLoadsOfA];
        if (loads == 0) {
            figures.push_back({"Duplo", false, "no load of A came by its detection units"});
            return;
        }
        figures.push_back({"Duplo", true,
                           fmt::format("hit rate {:.2f} % of {} loads of A",
                                       percent(counts[kHits], loads), loads)});
    }

    [[nodiscard]] std::string kernel_text(const nlohmann::ordered_json& m) const override {
        if (!m.contains("loads_of_a") || m.at("loads_of_a") == 0) return {};
        std::string text = fmt::format("  LHB hit rate {:.2f} % of {} loads of A:\n",
                                       m.at("hit_rate_percent").get<double>(),
                                       m.at("loads_of_a").get<std::uint64_t>());
        for (const HitClassText& kind : kHitClassText) {
            text += fmt::format("    {:<32} {:6.2f} %\n", kind.label,
                                m.at(std::string(kind.metric)).get<double>());
        }
        text += fmt::format("  accesses of A to the L1 that are not made: {:.2f} %\n",
                            m.at("hit_rate_of_accesses_percent").get<double>());
        return text;
    }

    [[nodiscard]] std::vector<CounterRatio> sampled() const override {
        std::vector<std::string> hits;
        for (const HitClassText& text : kHitClassText) {
            hits.push_back("sm.ldst.detection." + std::string(text.statistic()));
        }
        std::vector<std::string> looked_up = hits;
        looked_up.emplace_back("sm.ldst.detection.misses");
        return {{"LHB hits (Duplo)", "% of look-ups", hits, looked_up, 100}};
    }

private:
    enum Count { kLoadsOfA, kHits };  ///< in rename units
};

}  // namespace

const MechanismFigures& duplo_figures() {
    static const DuploFigures kFigures;
    return kFigures;
}

}  // namespace tessera
