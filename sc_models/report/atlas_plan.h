// Which settings may carry a paper's claim.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sc_models/report/paper_figure.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// Keys and values that are set together.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// A setting that may carry a claim, and what it is set to in place of what is shipped.
struct AtlasSetting {
    std::string name;
    std::string source;   ///< where low and high are from, or "chosen"
    KeyValues low, high;  ///< at least one is there
};

/// Figures that one experiment answers, and the settings that are varied for them.
struct AtlasStudy {
    std::string name;
    std::vector<PaperFigure> figures;
    std::string experiment;
    ExperimentPart part;
    std::vector<AtlasSetting> settings;
    std::vector<std::vector<std::string>> together;  ///< `setting.low` or `setting.high`
};

/// One machine of an atlas: as shipped, or with settings changed.
struct AtlasPoint {
    std::string name;               ///< "shipped", "setting.low", "a.low+b.high"
    std::string source;             ///< of a single setting
    std::vector<std::string> sets;  ///< key=value
};

/// Studies of an atlas file (configs/atlas.yaml). Throws a located ConfigError for unknown keys,
/// figures, settings and experiments that do not answer a figure.
[[nodiscard]] std::vector<AtlasStudy> read_atlas(const std::string& path,
                                                 const std::vector<PaperFigure>& figures);

/// As shipped, each setting by itself, then those that are set together.
[[nodiscard]] std::vector<AtlasPoint> points_of(const AtlasStudy& study);

}  // namespace tessera
