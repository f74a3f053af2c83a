// A whole network on a machine, and on the same machine with mechanisms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/network/graph.h"
#include "sc_models/run/kernel_limits.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// What runs a network's layers: the machine alone (the first of a study), or with a mechanism.
struct NetworkVariant {
    std::string name;
    std::vector<std::string> configs;  ///< the machine first
    std::vector<std::string> sets;     ///< key=value, over them
};

/// Configurations by their names, a layer's file (empty: none) over them, and keys over all.
[[nodiscard]] ConfigSource source_of(const std::vector<std::string>& configs,
                                     const std::vector<std::string>& sets, const std::string& file);
/// What part of a run a configuration describes.
[[nodiscard]] ConfigPart part_of(const std::string& config);
/// The mechanism that a configuration describes; empty if it describes something else.
[[nodiscard]] std::string mechanism_of(const std::string& config);
/// A variant's configuration, without a layer. Throws ConfigError.
[[nodiscard]] Config config_of(const NetworkVariant& variant);

/// A layer of a network: of a node, or of a network in YAML.
struct NetworkLayer {
    std::string name;  ///< in results
    std::string node;
    std::string operation, shape;
    bool is_product = false;   ///< or a convolution
    bool is_matrices = false;  ///< of these, a product of matrices or a batch of them
    double flop = 0;
    std::uint64_t bytes = 0;
    double zeros_a = -1, zeros_b = -1;  ///< fractions; negative: not known
    /// Why nothing runs it; empty: it runs.
    std::string refused;
    /// By variant, which of the study's runs it is, the first of as many as there are seeds; none:
    /// as without the mechanism.
    std::vector<std::optional<std::size_t>> runs;
    /// By variant, why its mechanism does not run the layer; empty: it does, or has no use for it.
    std::vector<std::string> reasons;
};

/// What of a network is run, and how often.
struct NetworkPart {
    /// Launches drawn, each with its seed; empty: the seed that the configuration sets, once.
    std::vector<std::uint64_t> seeds;
    /// The one layer that is wanted, by the name of its node or by that in results; empty: all.
    std::string layer;
    bool share_runs = true;  ///< of layers that are alike, one runs for all
};

/// Told how far the lowering of a network is.
using LoweringProgress = std::function<void(std::size_t node, std::size_t nodes)>;

/// All layers of a network on each variant: planned, run by others, and gathered.
///
///     OUT/layers/LAYER.yaml, .tensors   the layer as a configuration (part: workload); with its
///                                       values: LAYER.values.yaml, LAYER.values.tensors
///     OUT/runs/LAYER/VARIANT/           a run of it; of several seeds VARIANT/seed1/ and so on
///
/// Bias, activations and residual additions are done by the kernels of products, unless a variant's
/// have no room for that (fragments, direct convolutions); then no variant's do.
///
/// A layer that is like one before (same shapes, and no values that anything depends on) is not run
/// again. Where a mechanism has no use for a layer, or cannot run it, the machine alone does (with
/// the settings that the variant has beside the mechanism, if they act there); if
/// it is the first machine's own, that machine without it.
class NetworkStudy {
public:
    /// `variants`: the machine alone first. Throws ConfigError for configurations that are wrong,
    /// whatever the layer.
    NetworkStudy(std::string name, std::vector<NetworkVariant> variants,
                 const std::filesystem::path& out, NetworkPart part = {});

    /// Whether a variant's time or checks depend on what tensors hold.
    [[nodiscard]] bool wants_values() const { return wants_values_; }

    /// Lowers a graph of halves, writes its layers and plans the runs. With wants_values() the
    /// graph is executed on the host for that with these inputs, in its order. Nodes that no kernel
    /// computes become layers that say why. Returns the graph's outputs if it was executed. Throws
    /// FileError, ConfigError, for a layer that is wanted and not there with the nearest that is,
    /// and Interrupted.
    std::vector<network::Tensor> add_graph(const network::Graph& graph,
                                           std::vector<network::Tensor> inputs,
                                           const LoweringProgress& progress);
    /// Plans the layers of a network in YAML: a path, or the name of a shipped one. A layer's zeros
    /// are of no concern to what does not make use of them.
    void add_yaml(const std::string& network);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::vector<NetworkVariant>& variants() const { return variants_; }
    [[nodiscard]] const std::vector<NetworkLayer>& layers() const { return layers_; }
    [[nodiscard]] const std::vector<PlannedRun>& runs() const { return runs_; }
    [[nodiscard]] const std::filesystem::path& out() const { return out_; }
    [[nodiscard]] const std::vector<std::uint64_t>& seeds() const { return part_.seeds; }
    /// Of each mechanism that runs none of the convolutions and products, a line that says why: it
    /// is not worth nothing, but in the wrong place.
    [[nodiscard]] std::vector<std::string> of_no_use() const;
    /// Runs of a layer on a variant.
    [[nodiscard]] std::size_t runs_each() const {
        return std::max<std::size_t>(1, part_.seeds.size());
    }
    /// Of the machine alone.
    [[nodiscard]] double core_clock_mhz() const { return core_clock_mhz_; }
    [[nodiscard]] const MachinePeaks& peaks(std::size_t variant) const {
        return machines_[variant].peaks;
    }
    [[nodiscard]] std::uint32_t sms(std::size_t variant) const { return machines_[variant].sms; }

private:
    /// A variant with what all its runs have in common.
    struct Machine {
        bool wants_values = false, is_sparse = false;
        bool library = false;         ///< kernels of libraries, not fragments
        bool computes_zeros = false;  ///< like any other number
        std::uint32_t sms = 0;
        MachinePeaks peaks;
        std::vector<std::string> plain;  ///< configurations without mechanisms
        std::vector<std::string> sets;
    };

    /// A run with its configuration.
    struct Planned {
        PlannedRun run;
        Config config;
        std::string key;  ///< of what makes two runs the same
    };

    void add_layer(NetworkLayer layer, const LoweredLayer& lowered);
    /// Whether the layer `name` of the node `node` is wanted.
    [[nodiscard]] bool is_wanted(const std::string& node, const std::string& name) const;
    [[noreturn]] void fail_unknown_layer(const network::Graph& graph) const;
    void plan(NetworkLayer& layer, const LoweredLayer* lowered,
              const std::vector<std::string>& files);
    [[nodiscard]] bool differs_from_machine(std::size_t variant) const;
    [[nodiscard]] std::optional<Planned> planned(const NetworkLayer& layer, std::size_t variant,
                                                 const LoweredLayer* lowered,
                                                 const std::string& file, bool alone,
                                                 std::string& refused) const;
    void check_direct_convolutions() const;
    void check_geometry() const;
    std::size_t add_runs(Planned planned);

    std::string name_;
    std::vector<NetworkVariant> variants_;
    std::vector<Machine> machines_;
    std::filesystem::path out_;
    NetworkPart part_;
    double core_clock_mhz_ = 0;  ///< of the machine alone
    bool wants_values_ = false;
    EpilogueStyle style_ = EpilogueStyle::kFused;
    std::vector<NetworkLayer> layers_;
    std::vector<PlannedRun> runs_;
    std::map<std::string, std::size_t> first_runs_;  ///< in runs_, by what makes two the same
};

}  // namespace tessera
