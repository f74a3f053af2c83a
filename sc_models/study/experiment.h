// Experiment of a YAML file: the same layers on several variants of a machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/configure/config_catalog.h"

namespace tessera {

/// A variant of an experiment: its settings over the base, and its baseline.
struct ExperimentVariant {
    std::string name;
    std::vector<std::string> configs;
    std::vector<ConfigNode::Member> set;      ///< dotted keys, in the order of the file
    std::string baseline;                     ///< name of a variant; its own for a baseline
    std::vector<ConfigNode::Member> point{};  ///< its point of the experiment's grid, set after
                                              ///< `set`
};

/// A parsed experiment file (docs/experiments.md describes the format).
struct Experiment {
    std::string name;
    std::string title;
    std::vector<std::string> base;  ///< configurations of every run
    /// Full names; empty: the base sets the workload. Layers of ONNX models (is_model_path()) are
    /// not planned by plan_runs().
    std::vector<std::string> layers;
    std::vector<ExperimentVariant> variants;
    std::vector<std::uint64_t> seeds;  ///< empty: the seed the configuration sets
};

/// Selection of an experiment's layers, variants and seeds.
struct ExperimentPart {
    std::vector<std::string> layers;    ///< layers, or networks for all their layers; empty: all
    std::vector<std::string> variants;  ///< empty: all
    std::vector<std::uint64_t> seeds;   ///< empty: those of the experiment
};

/// Restricts the experiment to the part, in the experiment's order. Baselines of selected variants
/// stay. Throws ConfigError for layers and variants that it does not have.
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
    std::string hash;                                        ///< config_hash() of the configuration
    std::string acting;        ///< acting_hash() of the configuration; equal hashes mean equal
                               ///< steps
    double work = 0;           ///< about proportional to the running time,
    std::string kind;          ///< among runs of the same kind
    bool has_threads = false;  ///< the configuration sets host.threads
};

/// A configuration whose workload exists and fits the machine.
struct CheckedRun {
    Config config;
    std::string workload;  ///< name of the workload
};
/// Loads and validates `source`, makes the workload and checks that its kernels fit an SM. Sets
/// seed, hashes, work, kind and has_threads of `run`. Throws ConfigError.
CheckedRun check_run(ConfigSource& source, PlannedRun& run, bool allow_unused = false);

/// Configuration that results from the arguments of a planned run.
[[nodiscard]] Config config_of(const PlannedRun& run, const ConfigCatalog& catalog);

/// Reads an experiment file; it names other files relative to itself. Throws a located ConfigError
/// for unknown keys, layers, networks, configurations and baselines.
[[nodiscard]] Experiment read_experiment(const std::string& path, const ConfigCatalog& catalog);

/// Every run in the order of the file: layers, then variants, then seeds. Each configuration is
/// loaded and validated, its workload made and its kernels fitted onto an SM, so that no run fails
/// at its start. `sets` are key=value assignments that override everything. With `allow_unused`,
/// keys that a run does not read leave its acting hash unchanged. Throws ConfigError for the first
/// invalid run, naming layer and variant.
[[nodiscard]] std::vector<PlannedRun> plan_runs(const Experiment& experiment,
                                                const ConfigCatalog& catalog,
                                                const std::vector<std::string>& sets,
                                                bool allow_unused = false);

}  // namespace tessera
