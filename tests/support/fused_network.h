// Networks of ONNX files before and after their operators are fused.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/common/splitmix.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/transformation_check.h"
#include "tests/support/onnx_model.h"

namespace tessera::test {

using network::Graph;
using network::Node;
using network::Tensor;

/// Numbers between -1 and 1.
inline std::vector<float> noise(std::size_t count, std::uint64_t key) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(splitmix_at(key, i) >> 40U) * 0x1p-23F - 1;
    }
    return values;
}

/// Drawn inputs of real numbers.
inline std::vector<Tensor> inputs_of(const Graph& graph) {
    std::vector<Tensor> inputs;
    for (const network::ValueId id : graph.inputs) {
        const network::TensorType& type = graph.value(id).type;
        inputs.push_back(Tensor::of_reals(type.shape, noise(type.elements(), inputs.size())));
    }
    return inputs;
}

/// Operators of the nodes, with the steps of their epilogues: "Conv+Relu".
inline std::vector<std::string> operators_of(const Graph& graph) {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes) {
        names.push_back(node.operation);
        for (const network::EpilogueStep& step : node.epilogue)
            names.back() += "+" + step.operation;
    }
    return names;
}

/// The model fused, having compared all its outputs before and after, and each tensor that is left
/// with that of the file.
inline Graph fused(const OnnxModel& model, network::FusionCounts& counts, double tolerance = 1e-5) {
    Graph file;
    Graph graph = network::parse_onnx(model.bytes(), "m.onnx", "", {}, &file);
    const std::vector<Tensor> expected = network::execute(graph, inputs_of(graph));
    counts = network::fuse(graph);
    (void)network::check_transformation(file, graph, inputs_of(graph));
    const std::vector<Tensor> got = network::execute(graph, inputs_of(graph));
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].type, expected[i].type);
        for (std::size_t x = 0; x < got[i].reals.size(); ++x) {
            if (std::isnan(got[i].reals[x]) && std::isnan(expected[i].reals[x])) continue;
            EXPECT_NEAR(got[i].reals[x], expected[i].reals[x], tolerance) << i << " " << x;
        }
    }
    return graph;
}

inline Graph fused(const OnnxModel& model) {
    network::FusionCounts counts;
    return fused(model, counts);
}

}  // namespace tessera::test
