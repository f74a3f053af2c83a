// Layers of a network, the runs that they need, and which of them to run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/study/experiment.h"

namespace tessera {

/// A layer of a network: a node of a graph, or a layer of a network in YAML.
struct NetworkLayer {
    std::string name;  ///< name in results
    std::string node;
    std::string operation, shape;
    /// Type of the operands in memory as the first machine runs the layer: "fp16", "fp32", "int8",
    /// or "fp16 to int8" of a conversion; empty of a layer that is refused.
    std::string type;
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

}  // namespace tessera
