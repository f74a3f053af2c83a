// Figures of a mechanism in summaries, pages and timelines.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/config/config.h"

namespace tessera {

/// An enabled mechanism in the summary of a run.
struct MechanismFigure {
    std::string name;
    bool acted = false;
    std::string figure;  ///< its key figure, or why it did not act
};

/// Event counts of one mechanism, summed over the kernels of a run. The mechanism defines their
/// order; empty: no kernel has been counted.
using MechanismCounts = std::vector<std::uint64_t>;

/// Figure that the timeline shows over time: the sum of the counters `count` over the sum of `of`,
/// or per cycle without `of`. It is left out if the machine lacks one of the counters.
struct CounterRatio {
    std::string name, unit;
    std::vector<std::string> count, of = {};  ///< paths of counters
    double scale = 1;
    double peak = 0;  ///< 0: unknown
};

/// Figures of a mechanism. `config` is read for reports only and does not mark keys as used.
class MechanismFigures {
public:
    virtual ~MechanismFigures() = default;

    /// Returns the counts of the last kernel, always in the same number; empty if the mechanism is
    /// not part of the machine.
    [[nodiscard]] virtual MechanismCounts counts(const Config& config,
                                                 const StatGroup& statistics) const = 0;
    /// Appends the figures of the mechanism if it is enabled.
    virtual void add_figures(const Config& config, const MechanismCounts& counts,
                             std::vector<MechanismFigure>& figures) const = 0;
    /// Returns the lines of a kernel's summary, computed from its metrics; empty: none.
    [[nodiscard]] virtual std::string kernel_text(const nlohmann::ordered_json& /*metrics*/) const {
        return {};
    }
    /// Returns figures for the timeline.
    [[nodiscard]] virtual std::vector<CounterRatio> sampled() const { return {}; }
};

}  // namespace tessera
