// A whole network on a machine, and on the same machine with mechanisms.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/network/graph.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// What runs a network's layers: the machine alone (the first of a study), or with a mechanism.
struct NetworkVariant {
    std::string name;
    std::vector<std::string> configs;  ///< the machine first
    std::vector<std::string> sets;     ///< key=value, over them
};

/// The mechanism that a configuration describes; empty if it describes something else.
[[nodiscard]] std::string mechanism_of(const std::string& config);

/// A layer of a network: of a node, or of a network in YAML.
struct NetworkLayer {
    std::string name;  ///< in results
    std::string node;
    std::string operation, shape;
    bool is_product = false;  ///< or a convolution
    double flop = 0;
    std::uint64_t bytes = 0;
    double zeros_a = -1, zeros_b = -1;  ///< fractions; negative: not known
    /// Why nothing runs it; empty: it runs.
    std::string refused;
    /// By variant, which of the study's runs it is; none: as without the mechanism.
    std::vector<std::optional<std::size_t>> runs;
};

/// Told how far the lowering of a network is.
using LoweringProgress = std::function<void(std::size_t node, std::size_t nodes)>;

/// All layers of a network on each variant: planned, run by others, and gathered.
///
///     OUT/layers/LAYER.yaml, .tensors   the layer as a configuration (part: workload); with its
///                                       values: LAYER.values.yaml, LAYER.values.tensors
///     OUT/runs/LAYER/VARIANT/           a run of it
///
/// Bias, activations and residual additions are done by the kernels of products, unless a variant's
/// have no room for that (fragments, direct convolutions); then no variant's do.
///
/// A layer that is like one before (same shapes, and no values that anything depends on) is not run
/// again. Where a mechanism has no use for a layer, or cannot run it, the machine alone does.
class NetworkStudy {
public:
    /// `variants`: the machine alone first. Throws ConfigError for configurations that are wrong,
    /// whatever the layer.
    NetworkStudy(std::string name, std::vector<NetworkVariant> variants,
                 const std::filesystem::path& out);

    /// Whether a variant's time or checks depend on what tensors hold.
    [[nodiscard]] bool wants_values() const { return wants_values_; }

    /// Lowers a graph of halves, writes its layers and plans the runs. With wants_values() the
    /// graph is executed on the host for that with these inputs, in its order. Nodes that nothing
    /// here runs become layers that say why. Throws ConfigError and Interrupted.
    void add_graph(const network::Graph& graph, std::vector<network::Tensor> inputs,
                   const LoweringProgress& progress);
    /// Plans the layers of a network in YAML: a path, or the name of a shipped one. A layer's zeros
    /// are of no concern to what does not make use of them.
    void add_yaml(const std::string& network);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::vector<NetworkVariant>& variants() const { return variants_; }
    [[nodiscard]] const std::vector<NetworkLayer>& layers() const { return layers_; }
    [[nodiscard]] const std::vector<PlannedRun>& runs() const { return runs_; }
    [[nodiscard]] const std::filesystem::path& out() const { return out_; }
    [[nodiscard]] double core_clock_mhz() const { return core_clock_mhz_; }
    /// Cycles that a launch behind another kernel takes more than one on an idle machine.
    [[nodiscard]] double launch_difference(std::size_t variant) const {
        return machines_[variant].launch_difference;
    }

private:
    /// A variant with what all its runs have in common.
    struct Machine {
        bool wants_values = false, is_sparse = false;
        bool library = false;  ///< kernels of libraries, not fragments
        double launch_difference = 0;
        std::vector<std::string> plain;  ///< configurations without mechanisms
        std::vector<std::string> sets;
    };

    void add_layer(NetworkLayer layer, const LoweredLayer& lowered);
    void plan(NetworkLayer& layer, const LoweredLayer* lowered,
              const std::vector<std::string>& files);
    [[nodiscard]] std::optional<PlannedRun> planned(const NetworkLayer& layer, std::size_t variant,
                                                    const LoweredLayer* lowered,
                                                    const std::string& file, std::string& key,
                                                    std::string& refused) const;
    std::size_t add_run(PlannedRun run, const std::string& key);

    std::string name_;
    std::vector<NetworkVariant> variants_;
    std::vector<Machine> machines_;
    std::filesystem::path out_;
    double core_clock_mhz_ = 0;  ///< of the machine alone
    bool wants_values_ = false;
    EpilogueStyle style_ = EpilogueStyle::kFused;
    std::vector<NetworkLayer> layers_;
    std::vector<PlannedRun> runs_;
    std::vector<std::string> run_keys_;  ///< of runs_: what makes two the same
};

}  // namespace tessera
