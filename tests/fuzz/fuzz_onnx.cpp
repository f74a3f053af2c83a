// libFuzzer harness: networks in ONNX files.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/node_work.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/random_inputs.h"
#include "tests/fuzz/fuzz_check.h"

namespace tessera::network {
namespace {

/// Whether to compute it takes moments.
bool is_small(const Graph& graph) {
    constexpr double kMostBytes = 1e5, kMostFlop = 1e6;
    double bytes = 0;
    double flop = 0;
    for (const Value& value : graph.values) bytes += static_cast<double>(value.type.bytes());
    for (const NodeWork& work : work_of(graph)) flop += work.flop;
    return bytes <= kMostBytes && flop <= kMostFlop;
}

/// Nodes stand behind what they read, and outputs have the types that were inferred.
void check(Graph& graph) {
    std::vector<bool> known(graph.values.size());
    for (const ValueId id : graph.inputs) known[id.value()] = true;
    const auto is_known = [&](ValueId id) {
        return !id.valid() || known[id.value()] || graph.value(id).constant != nullptr;
    };
    for (const Node& node : graph.nodes) {
        for (const ValueId id : node.inputs) fuzz::require(is_known(id), "read before it is made");
        for (const ValueId id : node.outputs) {
            if (id.valid()) known[id.value()] = true;
        }
    }
    if (!is_small(graph)) return;
    for (const bool fused : {false, true}) {
        std::vector<Tensor> inputs;
        for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
            inputs.push_back(random_input(graph, i, 1));
        }
        try {
            if (fused) {
                unroll_recurrent(graph);
                (void)fuse(graph);
            }
            const std::vector<Tensor> outputs = execute(graph, std::move(inputs));
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                fuzz::require(outputs[i].type == graph.value(graph.outputs[i]).type, "other type");
                fuzz::require(outputs[i].elements() == outputs[i].type.elements(), "other size");
            }
        } catch (const ConfigError& error) {  // an index of a Gather, a function of a gate
            fuzz::require_located(error.what(), {"node "});
        }
    }
}

}  // namespace
}  // namespace tessera::network

// The name is libFuzzer's. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    network::Graph graph;
    try {
        network::OnnxOptions options;
        options.folding.elements = 1U << 12U;
        options.folding.flop = 0x1p16;
        graph =
            network::parse_onnx({reinterpret_cast<const char*>(data), size}, "f.onnx", "", options);
    } catch (const ConfigError& error) {
        fuzz::require_located(error.what(), {"f.onnx: "});
        return 0;
    }
    network::check(graph);
    return 0;
}
