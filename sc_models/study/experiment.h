// An experiment: the same layers on several variants of a machine, as a YAML file describes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/config_node.h"
#include "sc_models/run/config_catalog.h"

namespace tessera {

/// One column of an experiment: what it sets over the base, and the variant it is compared with.
struct ExperimentVariant {
    std::string name;
    std::vector<std::string> configs;
    std::vector<ConfigNode::Member> set;      ///< dotted keys, in the order of the file
    std::string baseline;                     ///< name of a variant; its own for a baseline
    std::vector<ConfigNode::Member> point{};  ///< of the experiment's grid, set after `set`
};

/// A parsed experiment file (docs/experiments.md describes the format).
struct Experiment {
    std::string name;
    std::string title;
    std::vector<std::string> base;  ///< configurations of every run
    /// Full names; empty: the workload base sets. Layers of ONNX models (is_model_path()) are for
    /// others to plan.
    std::vector<std::string> layers;
    std::vector<ExperimentVariant> variants;
    std::vector<std::uint64_t> seeds;  ///< empty: the seed the configuration sets
};

/// Of an experiment, what is wanted of it.
struct ExperimentPart {
    std::vector<std::string> layers;    ///< or networks, for all their layers; empty: all
    std::vector<std::string> variants;  ///< empty: all
    std::vector<std::uint64_t> seeds;   ///< empty: as the experiment has them
};

/// The part of the experiment alone, in its own order. The baselines of wanted variants stay.
/// Throws ConfigError for layers and variants that it does not have.
[[nodiscard]] Experiment narrowed(Experiment experiment, const ExperimentPart& part);

/// One run of an experiment, configured and checked.
struct PlannedRun {
    std::string layer;     ///< the row: `resnet.C2`, or the workload's name
    std::string variant;   ///< the column
    std::string baseline;  ///< the variant it is compared with
    std::uint64_t seed = 0;
    std::filesystem::path folder;        ///< below the sweep's folder
    std::vector<std::string> arguments;  ///< of `tessera run`: configurations and --set
    std::vector<std::pair<std::string, std::string>> point;  ///< keys and values of the grid
    std::string hash;                                        ///< config_hash() of its configuration
    std::string acting;        ///< acting_hash() of it: equal ones take the same steps
    double work = 0;           ///< about proportional to its running time, among
    std::string kind;          ///< those of the same kind
    bool has_threads = false;  ///< its configuration says how many (host.threads)
};

/// A configuration whose workload can be made and fits.
struct CheckedRun {
    Config config;
    std::string workload;  ///< its name
};
/// Loads and validates `source`, makes the workload and fits its kernels onto an SM; then seed,
/// hashes, work, kind and has_threads of `run` are known. Throws ConfigError.
CheckedRun check_run(ConfigSource& source, PlannedRun& run, bool allow_unused = false);

/// The configuration that the arguments of a planned run make.
[[nodiscard]] Config config_of(const PlannedRun& run, const ConfigCatalog& catalog);

/// Reads an experiment file. Files it names are relative to it. Throws a located ConfigError for
/// unknown keys, layers, networks, configurations and baselines.
[[nodiscard]] Experiment read_experiment(const std::string& path, const ConfigCatalog& catalog);

/// Every run in the order of the file: layers, then variants, then seeds. Each is loaded and
/// validated, its workload made and its kernels fitted onto an SM, so that what starts can run.
/// `sets` are key=value assignments over everything. With `allow_unused` keys that a run does not
/// read do not make it another one. Throws ConfigError for the first bad one, naming layer and
/// variant.
[[nodiscard]] std::vector<PlannedRun> plan_runs(const Experiment& experiment,
                                                const ConfigCatalog& catalog,
                                                const std::vector<std::string>& sets,
                                                bool allow_unused = false);

}  // namespace tessera
