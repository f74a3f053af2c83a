// Study of a whole network on one machine, without and with mechanisms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/network/graph.h"
#include "sc_models/study/decoder.h"
#include "sc_models/study/network_study/layer_planner.h"
#include "sc_models/study/network_study/network_layer.h"
#include "sc_models/study/network_study/network_variant.h"

namespace tessera {

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
    [[nodiscard]] bool wants_values() const { return planner_.wants_values(); }

    /// Kernels that the graph of add_graph() is rewritten for.
    [[nodiscard]] network::MachineKernels machine_kernels() const {
        return planner_.machine_kernels();
    }

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
    [[nodiscard]] const std::vector<NetworkVariant>& variants() const {
        return planner_.variants();
    }
    [[nodiscard]] const std::vector<NetworkLayer>& layers() const { return planned_.layers; }
    [[nodiscard]] const std::vector<PlannedRun>& runs() const { return planned_.runs; }
    [[nodiscard]] const std::filesystem::path& out() const { return out_; }
    [[nodiscard]] const std::vector<std::uint64_t>& seeds() const { return planner_.part().seeds; }
    /// One line with the reason for each mechanism that runs none of the convolutions and products:
    /// the mechanism does not apply, which differs from having no gain.
    [[nodiscard]] std::vector<std::string> of_no_use() const;
    /// Number of runs of a layer on a variant.
    [[nodiscard]] std::size_t runs_each() const { return std::max<std::size_t>(1, seeds().size()); }
    /// Core clock of the machine alone.
    [[nodiscard]] double core_clock_mhz() const { return planner_.machine(0).core_clock_mhz; }
    [[nodiscard]] const MachinePeaks& peaks(std::size_t variant) const {
        return planner_.machine(variant).peaks;
    }
    [[nodiscard]] std::uint32_t sms(std::size_t variant) const {
        return planner_.machine(variant).sms;
    }

private:
    void add_layer(NetworkLayer layer, const LoweredLayer& lowered);
    [[nodiscard]] NetworkLayer plan_operator(const DecoderOperator& op);
    /// Whether the layer `name` of the node `node` is selected.
    [[nodiscard]] bool is_selected(const std::string& node, const std::string& name) const;
    [[noreturn]] void fail_unknown_layer(const network::Graph& graph) const;
    void check_geometry() const;

    /// Name of the only layer to run; empty: all.
    [[nodiscard]] const std::string& selected_layer() const { return planner_.part().layer; }

    std::string name_;
    std::filesystem::path out_;
    LayerPlanner planner_;
    PlannedNetwork planned_;
};

}  // namespace tessera
