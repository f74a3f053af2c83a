// Plan of the sensitivity studies: settings that may carry a paper's claim.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sc_models/reproduction/paper_figure.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// Keys and values that are set together.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// A setting that may carry a claim, with the values that replace the shipped ones.
struct AtlasSetting {
    std::string name;
    std::string source;   ///< source of low and high, or "chosen"
    KeyValues low, high;  ///< at least one is not empty
};

/// Figures measured by one experiment, and the settings varied for them.
struct AtlasStudy {
    std::string name;
    std::vector<PaperFigure> figures;
    std::string experiment;
    ExperimentPart part;
    std::vector<AtlasSetting> settings;
    std::vector<std::vector<std::string>> together;  ///< `setting.low` or `setting.high`
};

/// One machine of a sensitivity study: the shipped one, or one with changed settings.
struct AtlasPoint {
    std::string name;               ///< "shipped", "setting.low", "a.low+b.high"
    std::string source;             ///< of a single setting
    std::vector<std::string> sets;  ///< key=value
};

/// Reads the studies of configs/atlas.yaml. Throws a located ConfigError for unknown keys, figures
/// and settings, and for experiments that do not measure a figure.
[[nodiscard]] std::vector<AtlasStudy> read_atlas(const std::string& path,
                                                 const std::vector<PaperFigure>& figures);

/// Points in the order: the shipped machine, each setting alone, the combined settings.
[[nodiscard]] std::vector<AtlasPoint> points_of(const AtlasStudy& study);

}  // namespace tessera
