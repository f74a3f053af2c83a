// Study of a whole network on one machine, without and with mechanisms.
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
#include "sc_models/study/decoder.h"
#include "sc_models/study/experiment.h"

namespace tessera {

/// A machine for the network's layers: the machine alone (the first of a study), or with a
/// mechanism.
struct NetworkVariant {
    std::string name;
    std::vector<std::string> configs;  ///< the machine first
    std::vector<std::string> sets;     ///< key=value, override the configurations
};

/// Configurations by name, then a layer's file (empty: none), then `sets`.
[[nodiscard]] ConfigSource source_of(const std::vector<std::string>& configs,
                                     const std::vector<std::string>& sets, const std::string& file);
/// The part of a run that a configuration describes.
[[nodiscard]] ConfigPart part_of(const std::string& config);
/// The mechanism that a configuration describes; empty if it describes something else.
[[nodiscard]] std::string mechanism_of(const std::string& config);
/// Configuration of a variant without a layer. Throws ConfigError.
[[nodiscard]] Config config_of(const NetworkVariant& variant);

/// Value of workload.kernel for the kernels of Ampere's libraries.
inline constexpr const char* kAmpereKernels = "multistage";
/// Settings with which libraries run a layer by this workload.kernel: multistage or cudnn.
[[nodiscard]] std::vector<std::string> kernel_settings(const std::string& kernel);

/// A layer of a network: a node of a graph, or a layer of a network in YAML.
struct NetworkLayer {
    std::string name;  ///< name in results
    std::string node;
    std::string operation, shape;
    bool is_product = false;   ///< a matrix product or a convolution
    bool is_matrices = false;  ///< a matrix product, or a batch of them
    bool of_decoder = false;   ///< products run on the kernel of the machine, by default auto
    double flop = 0;
    bool has_unknown_flop = false;  ///< of an operator that is not supported
    std::uint64_t bytes = 0;
    double zeros_a = -1, zeros_b = -1;  ///< fractions; negative: unknown
    /// Why no kernel runs the layer; empty: it runs.
    std::string refused;
    /// Per variant, index of the layer's first run in runs(), one per seed; empty: the layer takes
    /// the time of the run without the mechanism.
    std::vector<std::optional<std::size_t>> runs;
    /// Per variant, why its mechanism does not run the layer; empty: it runs, or does not apply.
    std::vector<std::string> reasons;
};

/// Layers of a network with the runs that they need.
struct PlannedNetwork {
    std::vector<NetworkLayer> layers;
    std::vector<PlannedRun> runs;
    /// Texts of the layers' configurations, by their paths below OUT (layers/LAYER.yaml).
    std::map<std::string, std::string> files{};
};

/// Selection of a network's layers, with the seeds of the runs.
struct NetworkPart {
    /// Seeds of launch jitter; empty: one run with the configured seed.
    std::vector<std::uint64_t> seeds;
    /// The only layer to run, by the name of its node or by its name in results; empty: all.
    std::string layer;
    bool share_runs = true;  ///< equal layers share one run
};

/// Reports the progress of lowering.
using LoweringProgress = std::function<void(std::size_t node, std::size_t nodes)>;

/// Layers of a network on each variant: plans the runs and collects their results. Runs are
/// executed by a Sweep.
///
///     OUT/layers/LAYER.yaml, .tensors   the layer as a configuration (part: workload); with
///                                       values: LAYER.values.yaml, LAYER.values.tensors
///     OUT/runs/LAYER/VARIANT/           a run of it; with several seeds VARIANT/seed1/ etc.
///
/// Bias, activations and residual additions are fused into the product kernels, unless a variant's
/// kernels do not support that (fragments, direct convolutions); then no variant fuses them.
///
/// A layer equal to an earlier one (same shapes, and no values that affect the run) is not run
/// again. If a mechanism does not apply to a layer or cannot run it, the machine alone runs it,
/// with the variant's other settings if they act there. If the mechanism belongs to the first
/// machine, that machine runs the layer without it.
class NetworkStudy {
public:
    /// `variants`: the machine alone first. Throws ConfigError for configurations that are invalid
    /// for every layer.
    NetworkStudy(std::string name, std::vector<NetworkVariant> variants,
                 const std::filesystem::path& out, NetworkPart part = {});

    /// Whether a variant's time or checks depend on tensor values.
    [[nodiscard]] bool wants_values() const { return wants_values_; }

    /// Lowers a graph in FP16, writes its layers and plans the runs. With wants_values(), the host
    /// first executes the graph on `inputs`, which are in the graph's order. Nodes without a kernel
    /// become layers with a reason in `refused`. Returns the graph's outputs if it was executed.
    /// Throws FileError, Interrupted, and ConfigError, which for an unknown selected layer names
    /// the nearest one.
    std::vector<network::Tensor> add_graph(const network::Graph& graph,
                                           std::vector<network::Tensor> inputs,
                                           const LoweringProgress& progress);
    /// Plans the layers of a network in YAML, given as a path or the name of a shipped one.
    /// Variants that do not exploit zeros ignore the zeros of a layer.
    void add_yaml(const std::string& network);
    /// Plans the operators of a pass through a decoder. Layers are equal and share their runs; each
    /// has entries of its own in layers(). Writes their configurations. Throws ConfigError and
    /// FileError.
    void add_decoder(const Decoder& decoder, const DecoderLoad& load);

    /// Takes what add_graph() planned before for an equal study, and writes the layers'
    /// configurations. Files of tensors are not written. Throws FileError.
    void take(PlannedNetwork planned);
    [[nodiscard]] const PlannedNetwork& planned() const { return planned_; }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::vector<NetworkVariant>& variants() const { return variants_; }
    [[nodiscard]] const std::vector<NetworkLayer>& layers() const { return planned_.layers; }
    [[nodiscard]] const std::vector<PlannedRun>& runs() const { return planned_.runs; }
    [[nodiscard]] const std::filesystem::path& out() const { return out_; }
    [[nodiscard]] const std::vector<std::uint64_t>& seeds() const { return part_.seeds; }
    /// One line with the reason for each mechanism that runs none of the convolutions and products:
    /// the mechanism does not apply, which differs from having no gain.
    [[nodiscard]] std::vector<std::string> of_no_use() const;
    /// Number of runs of a layer on a variant.
    [[nodiscard]] std::size_t runs_each() const {
        return std::max<std::size_t>(1, part_.seeds.size());
    }
    /// Core clock of the machine alone.
    [[nodiscard]] double core_clock_mhz() const { return core_clock_mhz_; }
    [[nodiscard]] const MachinePeaks& peaks(std::size_t variant) const {
        return machines_[variant].peaks;
    }
    [[nodiscard]] std::uint32_t sms(std::size_t variant) const { return machines_[variant].sms; }

private:
    /// A variant's properties common to all its runs.
    struct Machine {
        bool wants_values = false, is_sparse = false;
        bool library = false;         ///< uses library kernels instead of fragments
        std::string library_kernel;   ///< workload.kernel where the machine names none, or where
                                      ///< its own cannot run a layer
        bool multiplies = false;      ///< its kernel multiplies matrices, too: cudnn's do not
        bool computes_zeros = false;  ///< multiplies zeros like other numbers
        std::uint32_t sms = 0;
        MachinePeaks peaks;
        std::vector<std::string> plain;  ///< configurations without mechanisms
        std::vector<std::string> sets;
    };

    /// A run with its configuration.
    struct Planned {
        PlannedRun run;
        Config config;
        std::string key;  ///< equal for equal runs
    };

    void add_layer(NetworkLayer layer, const LoweredLayer& lowered);
    [[nodiscard]] NetworkLayer plan_operator(const DecoderOperator& op);
    /// Whether the layer `name` of the node `node` is selected.
    [[nodiscard]] bool is_selected(const std::string& node, const std::string& name) const;
    [[noreturn]] void fail_unknown_layer(const network::Graph& graph) const;
    void plan(NetworkLayer& layer, const LoweredLayer* lowered,
              const std::vector<std::string>& files);
    [[nodiscard]] bool differs_from_machine(std::size_t variant) const;
    [[nodiscard]] std::optional<Planned> plan_run(const NetworkLayer& layer, std::size_t variant,
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
    PlannedNetwork planned_;
    std::map<std::string, std::size_t> first_runs_;  ///< index into runs(), by Planned::key
};

}  // namespace tessera
