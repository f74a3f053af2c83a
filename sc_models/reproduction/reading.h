// Readings of the papers: settings that hold for every experiment of a paper, in place of the
// shipped ones.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sc_models/study/experiment.h"

namespace tessera {

/// A variant of an experiment that a reading runs with other configurations.
struct ReadVariant {
    std::vector<std::string> configs;       ///< in place of the variant's
    std::vector<ConfigNode::Member> set{};  ///< after the variant's own
};

/// Contents of a file of configs/readings. A reading is of a whole paper, never of a figure or a
/// layer.
struct Reading {
    std::string name;    ///< name of the file without its ending
    std::string letter;  ///< of the paper (kPaperNames)
    std::string title, why, source;
    /// Configurations in place of one that experiments name.
    std::map<std::string, std::vector<std::string>> replace;
    std::vector<ConfigNode::Member> set;  ///< dotted keys for all runs, below a variant's own
    /// Other variants, by experiment and name.
    std::map<std::string, std::map<std::string, ReadVariant>> variants;
};

/// Reads the readings of these names of configs/readings or paths of files, or all shipped ones for
/// the name `all`. Throws a located ConfigError for an unknown name, paper, configuration,
/// experiment or variant, and for a reading without reason or source.
[[nodiscard]] std::vector<Reading> read_readings(const std::vector<std::string>& names,
                                                 const ConfigCatalog& catalog);

/// The experiment with the reading's settings. The name stays the experiment's, so that the rules
/// of its figures apply.
[[nodiscard]] Experiment under_reading(Experiment experiment, const Reading& reading);

}  // namespace tessera
