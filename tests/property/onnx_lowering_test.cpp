// Do operators come out on the machine's kernels as ONNX's own test data says? Every case of real
// numbers is lowered, with epilogues fused and apart, and its layers are interpreted.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error_kinds.h"
#include "sc_models/lowering/lowered_layer.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/integer_products.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/storage.h"
#include "sc_models/network/transformation_check.h"
#include "tests/support/lowered_network.h"
#include "tests/support/onnx_cases.h"
#include "tests/support/onnx_model.h"
#include "tests/support/quantised_models.h"

namespace tessera {
namespace {

using network::Graph;
using network::Tensor;
using test::CaseOutcome;
using test::difference;
using test::largest_of;
using test::lower_all;
using test::OnnxCase;

/// The graph that runs, compared with the file's own.
Graph rewritten(const test::ReadCase& read, bool fused, CaseOutcome& outcome,
                network::ProductNumbers numbers = network::ProductNumbers::kReal,
                network::ElementType halves = network::ElementType::kHalf) {
    Graph graph = read.graph;
    (void)network::rewrite(graph, fused, {numbers}, &read.as_written);
    try {
        (void)network::check_transformation(read.as_written, graph, read.inputs);
    } catch (const CheckError& error) {
        outcome.wrong = error.what();
    }
    network::store_as_halves(graph, {numbers}, halves);
    return graph;
}

CaseOutcome run_case(const OnnxCase& one, test::ReadCase read, network::ElementType halves) {
    CaseOutcome outcome;
    std::vector<Tensor> inputs = read.inputs;
    for (Tensor& input : inputs) {
        if (network::is_real(input.type.type)) input.type.type = halves;
        input.round_to_type();
    }
    const double largest = largest_of(inputs);
    for (const EpilogueStyle style : {EpilogueStyle::kApart, EpilogueStyle::kFused}) {
        outcome.layers = 0;
        const Graph graph = rewritten(read, style == EpilogueStyle::kFused, outcome,
                                      network::ProductNumbers::kReal, halves);
        const std::vector<Tensor> outputs = lower_all(graph, inputs, style, outcome);
        for (std::size_t i = 0; i < outputs.size() && outcome.wrong.empty(); ++i) {
            const Tensor expected =
                network::read_tensor_file(one.tensor("output", static_cast<int>(i)).string());
            if (expected.reals.empty()) continue;
            outcome.wrong = difference(outputs[i], expected, largest);
        }
    }
    return outcome;
}

/// Runs all cases of a kind; at least `expected` of them must run on kernels.
void run_cases(const std::string& kind, std::size_t expected,
               network::ElementType halves = network::ElementType::kHalf) {
    const std::vector<OnnxCase> cases = test::onnx_cases(kind);
    ASSERT_FALSE(cases.empty()) << test::kOnnxTestData / kind << " is missing (tools/setup)";
    std::size_t runs = 0;
    std::size_t refused = 0;
    std::size_t nothing = 0;
    std::ofstream out;
    const char* const path = std::getenv("TESSERA_ONNX_CASES");
    if (path != nullptr && halves == network::ElementType::kHalf) out.open(path, std::ios::app);
    for (const OnnxCase& one : cases) {
        SCOPED_TRACE(one.name);
        test::ReadCase read = test::read_case(one);
        if (!read.left_out.empty()) continue;
        const CaseOutcome outcome = run_case(one, std::move(read), halves);
        EXPECT_EQ(outcome.wrong, "");
        std::string what = "runs";
        if (!outcome.refused.empty()) {
            what = outcome.refused;
            ++refused;
        } else if (outcome.layers == 0) {
            what = "nothing to run";
            ++nothing;
        } else {
            ++runs;
        }
        out << "machine\t" << kind << '\t' << one.name << '\t' << what << '\n';
        for (const auto& [operation, became] : outcome.nodes) {
            out << "node\t" << one.name << '\t' << operation << '\t' << became << '\n';
        }
    }
    std::printf("%s: %zu cases run on kernels, %zu need none, %zu are refused\n", kind.c_str(),
                runs, nothing, refused);
    EXPECT_GE(runs, expected);
}

/// A convolution of images or volumes with random groups, taps, strides, dilations and padding, of
/// which ONNX's own cases have few.
test::OnnxModel random_convolution(std::mt19937_64& random, std::size_t count, bool transposed,
                                   network::Shape& image) {
    const auto below = [&random](std::int64_t bound) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
    };
    const std::int64_t groups = 1 + below(3);
    const std::int64_t channels = groups * (1 + below(3));
    const std::int64_t filters = groups * (1 + below(3));
    image = {1 + below(2), channels};
    network::Shape taps, strides, dilations, added, pads(2 * count);
    for (std::size_t side = 0; side < count; ++side) {
        taps.push_back(1 + below(3));
        strides.push_back(1 + below(2));
        dilations.push_back(1 + below(3));
        added.push_back(below(std::max(strides[side], dilations[side])));
        const std::int64_t reach = (taps[side] - 1) * dilations[side] + 1;
        image.push_back(reach + below(4));
        pads[side] = below(std::min<std::int64_t>(reach, 3));
        pads[count + side] = below(std::min<std::int64_t>(reach, 3));
    }
    network::Shape sides = transposed ? network::Shape{channels, filters / groups}
                                      : network::Shape{filters, channels / groups};
    sides.insert(sides.end(), taps.begin(), taps.end());
    std::vector<float> weights(network::element_count(sides));
    for (float& weight : weights) weight = static_cast<float>(below(17) - 8) / 8;
    test::OnnxModel model;
    model.input("x", image).output("y").weights("w", sides, weights);
    model.weights("b", {filters}, std::vector<float>(static_cast<std::size_t>(filters), 0.5F));
    model.node(transposed ? "ConvTranspose" : "Conv", {"x", "w", "b"}, {"sum"});
    model.with("group", groups).with("strides", strides).with("dilations", dilations);
    model.with("pads", pads);
    if (transposed) model.with("output_padding", added);
    model.node("Relu", {"sum"}, {"y"});
    return model;
}

TEST(OnnxLowering, RandomConvolutionsComeOutOnKernels) {
    std::mt19937_64 random(11);
    for (std::size_t i = 0; i < 100; ++i) {
        SCOPED_TRACE(i);
        network::Shape image;
        const test::OnnxModel model = random_convolution(random, 2 + i / 2 % 2, i % 2 == 1, image);
        test::ReadCase read;
        read.graph = network::parse_onnx(model.bytes(), "random.onnx", "", {}, &read.as_written);
        Tensor x;
        x.type = {network::ElementType::kHalf, image};
        x.reals.resize(network::element_count(image));
        for (float& real : x.reals) real = static_cast<float>(random() % 17) / 8 - 1;
        read.inputs = {Tensor::of_reals(image, x.reals)};
        for (const EpilogueStyle style : {EpilogueStyle::kApart, EpilogueStyle::kFused}) {
            CaseOutcome outcome;
            const Graph graph = rewritten(read, style == EpilogueStyle::kFused, outcome);
            (void)lower_all(graph, {x}, style, outcome);
            EXPECT_EQ(outcome.wrong, "");
            EXPECT_EQ(outcome.refused, "");
            EXPECT_GE(outcome.layers, 1U);
        }
    }
}

/// Quantised products and convolutions, as real numbers and as integers: both give what the file
/// does, and each layer of integers has the bytes of its node.
TEST(OnnxLowering, QuantisedProductsComeOutOnKernelsOfIntegers) {
    std::mt19937_64 random(17);
    for (std::uint32_t i = 0; i < 60; ++i) {
        SCOPED_TRACE(i);
        test::QuantisedModel quantised(random, i);
        test::ReadCase read;
        read.graph =
            network::parse_onnx(quantised.model().bytes(), "random.onnx", "", {}, &read.as_written);
        Tensor x;
        x.type = {network::ElementType::kHalf, quantised.input()};
        x.reals.resize(network::element_count(quantised.input()));
        for (float& real : x.reals) {
            real = half_to_float(float_to_half(static_cast<float>(random() % 4001) / 2000 - 1));
        }
        read.inputs = {Tensor::of_reals(quantised.input(), x.reals)};
        for (const auto numbers :
             {network::ProductNumbers::kReal, network::ProductNumbers::kIntegers}) {
            CaseOutcome outcome;
            const Graph graph = rewritten(read, true, outcome, numbers);
            const bool is_taken =
                std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
                    return network::is_integer_product(graph, node) && node.name == "p";
                });
            EXPECT_EQ(is_taken, numbers == network::ProductNumbers::kIntegers);
            if (is_taken) {
                EXPECT_EQ(graph.nodes.size(), 3U) << "with two conversions";
            }
            (void)lower_all(graph, {x}, EpilogueStyle::kFused, outcome);
            EXPECT_EQ(outcome.wrong, "");
            EXPECT_EQ(outcome.refused, "");
        }
    }
}

/// Nodes of one input of 1x4x5x4 that ONNX's own cases leave out: even sizes of LRN, padding of
/// transposed convolutions that grows the result, windows behind the image, slices back to element
/// 0. tests/unit/network_definitions_test.cpp says whether the host's results are right.
std::vector<test::OnnxModel> edge_cases() {
    std::vector<test::OnnxModel> models;
    const auto add = [&models](const std::string& operation, std::vector<std::string> inputs = {}) {
        inputs.insert(inputs.begin(), "x");
        models.emplace_back(12);
        models.back().input("x", {1, 4, 5, 4}).output("y");
        return &models.back().node(operation, inputs, {"y"});
    };
    for (const std::int64_t size : {2, 4, 6}) add("LRN")->with("size", size).with_real("alpha", 2);
    for (const char* const operation : {"MaxPool", "AveragePool"}) {
        const std::array<network::Shape, 4> pads = {
            {{0, 0, 0, 0}, {0, 0, 1, 1}, {1, 0, 0, 1}, {1, 1, 0, 0}}};
        for (std::size_t i = 0; i < pads.size(); ++i) {
            const std::int64_t taps = i == 0 ? 1 : 2;
            add(operation)->with("kernel_shape", {taps, taps}).with("pads", pads.at(i));
            models.back().with("strides", {3, 2}).with("ceil_mode", 1);
        }
    }
    for (const char* const padding : {"NOTSET", "SAME_UPPER", "SAME_LOWER"}) {
        for (const network::Shape& sides : {network::Shape{11, 12}, {12, 9}, {13, 8}, {9, 11}}) {
            add("ConvTranspose", {"w"})->weights("w", {4, 1, 2, 3}, std::vector<float>(24, 0.5F));
            models.back().with("strides", {2, 2}).with("output_shape", sides);
            models.back().with_text("auto_pad", padding);
        }
    }
    add("Slice", {"starts", "ends", "axes", "steps"})->integers("starts", {-1, 3, 9});
    models.back().integers("ends", {-9, -6, -99}).integers("axes", {1, 2, 3});
    models.back().integers("steps", {-1, -3, -2});
    return models;
}

TEST(OnnxLowering, EdgesOfWindowsComeOutOnKernels) {
    std::mt19937_64 random(13);
    for (const test::OnnxModel& model : edge_cases()) {
        Graph graph = network::parse_onnx(model.bytes(), "edge.onnx", "", {});
        SCOPED_TRACE(graph.nodes.at(0).operation);
        network::store_as_halves(graph);
        Tensor x;
        x.type = {network::ElementType::kHalf, {1, 4, 5, 4}};
        x.reals.resize(80);
        for (float& real : x.reals) real = static_cast<float>(random() % 17) / 8 - 1;
        CaseOutcome outcome;
        (void)lower_all(graph, {x}, EpilogueStyle::kApart, outcome);
        EXPECT_EQ(outcome.wrong, "");
        EXPECT_EQ(outcome.refused, "");
        EXPECT_GE(outcome.layers, 1U);
    }
}

/// Nodes that move a tensor of 2x4x5x6, of integers of 8 bits.
std::vector<test::OnnxModel> moves_of_bytes(int type) {
    std::vector<test::OnnxModel> models;
    const auto add = [&](const std::string& operation,
                         std::vector<std::string> inputs = {}) -> test::OnnxModel& {
        inputs.insert(inputs.begin(), "x");
        models.emplace_back(13);
        models.back().input("x", {2, 4, 5, 6}, type).output("y");
        return models.back().node(operation, inputs, {"y"});
    };
    add("Concat", {"x"}).with("axis", 1);
    add("Concat", {"x", "x"}).with("axis", 3);
    add("Slice", {"from", "to", "axes", "steps"}).integers("from", {3, 9}).integers("to", {-9, 0});
    models.back().integers("axes", {1, 3}).integers("steps", {-2, -3});
    add("Split", {"sides"}).integers("sides", {1, 3}).with("axis", 1);
    models.back().graph().mutable_node(0)->add_output("z");
    add("Gather", {"i"}).integers("i", {4, 0, -1}).with("axis", 2);
    add("DepthToSpace").with("blocksize", 2);
    add("Transpose").with("perm", {3, 1, 0, 2});
    add("Pad", {"pads", "v"}).integers("pads", {0, 1, 2, -1, 0, 0, 1, 2}).weights("n", {}, {77});
    models.back().node("Cast", {"n"}, {"v"}).with("to", type);
    models.back().graph().mutable_node()->SwapElements(0, 1);
    add("Pad", {"pads"}).integers("pads", {0, 1, 2, 3, 0, 0, 1, 2}).with_text("mode", "reflect");
    add("Expand", {"sides"}).integers("sides", {3, 2, 4, 5, 6});
    add("Tile", {"repeats"}).integers("repeats", {1, 3, 1, 2});
    return models;
}

/// Layers of integers of 8 bits have the bytes of their node, which lower_all() compares.
TEST(OnnxLowering, MovesOfBytesComeOutOnKernels) {
    std::mt19937_64 random(19);
    for (const bool is_signed : {true, false}) {
        const int type = is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
        for (const test::OnnxModel& model : moves_of_bytes(type)) {
            test::ReadCase read;
            read.graph = network::parse_onnx(model.bytes(), "moves.onnx", "", {}, &read.as_written);
            SCOPED_TRACE(read.graph.nodes.back().operation);
            Tensor x;
            x.type = {is_signed ? network::ElementType::kInt8 : network::ElementType::kUint8,
                      {2, 4, 5, 6}};
            for (std::size_t i = 0; i < 240; ++i) {
                const auto drawn = static_cast<std::int64_t>(random() % 256);
                x.integers.push_back(is_signed ? drawn - 128 : drawn);
            }
            read.inputs = {x};
            CaseOutcome outcome;
            const Graph graph = rewritten(read, true, outcome, network::ProductNumbers::kIntegers);
            (void)lower_all(graph, {x}, EpilogueStyle::kFused, outcome);
            EXPECT_EQ(outcome.wrong, "");
            EXPECT_EQ(outcome.refused, "");
            EXPECT_GE(outcome.layers, 1U);
        }
    }
}

TEST(OnnxLowering, NodeCasesComeOutOnKernels) {
    run_cases("node", 461);
}

TEST(OnnxLowering, NodeCasesComeOutInBf16) {
    run_cases("node", 461, network::ElementType::kBf16);
}

TEST(OnnxLowering, OwnCasesComeOutInBf16) {
    run_cases(test::kOwnCases, 206, network::ElementType::kBf16);
}

TEST(OnnxLowering, OwnCasesComeOutOnKernels) {
    run_cases(test::kOwnCases, 206);
}

TEST(OnnxLowering, ConvertedModelsComeOutOnKernels) {
    run_cases("pytorch-converted", 59);
}

}  // namespace
}  // namespace tessera
