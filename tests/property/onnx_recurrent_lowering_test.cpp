// Do recurrent networks come out on the machine's kernels as the host computes them?
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/storage.h"
#include "tests/support/lowered_network.h"
#include "tests/support/onnx_model.h"

namespace tessera {
namespace {

using network::Graph;
using network::Tensor;
using test::CaseOutcome;
using test::difference;
using test::largest_of;
using test::lower_all;

/// Sequences of different lengths, both directions: as steps on kernels and as one operator on the
/// host.
TEST(OnnxRecurrentLowering, SequencesOfTheirOwnLengthsComeOutOnKernels) {
    constexpr std::int64_t kSteps = 4, kBatch = 3, kWidth = 2, kHidden = 5;
    std::mt19937_64 random(5);
    const auto drawn = [&random](std::size_t count) {
        std::vector<float> reals(count);
        for (float& real : reals) real = static_cast<float>(random() % 17) / 16 - 0.5F;
        return reals;
    };
    const std::vector<std::pair<std::string, std::int64_t>> layers = {
        {"RNN", 1}, {"GRU", 3}, {"LSTM", 4}};
    for (const auto& [operation, gates] : layers) {
        SCOPED_TRACE(operation);
        const std::int64_t rows = gates * kHidden;
        test::OnnxModel model;
        model.input("x", {kSteps, kBatch, kWidth}).output("y").output("last");
        model.input("lengths", {kBatch}, onnx::TensorProto::INT32);
        model.weights("w", {2, rows, kWidth}, drawn(static_cast<std::size_t>(2 * rows * kWidth)));
        model.weights("r", {2, rows, kHidden}, drawn(static_cast<std::size_t>(2 * rows * kHidden)));
        model.node(operation, {"x", "w", "r", "", "lengths"}, {"y", "last"});
        model.with("hidden_size", kHidden).with_text("direction", "bidirectional");
        Graph graph = network::parse_onnx(model.bytes(), "sequences.onnx", "", {});
        Tensor x = Tensor::of_reals({kSteps, kBatch, kWidth},
                                    drawn(static_cast<std::size_t>(kSteps * kBatch * kWidth)));
        const Tensor lengths =
            Tensor::of_integers({kBatch}, {kSteps, 1, 3}, network::ElementType::kInt32);
        const std::vector<Tensor> expected = network::execute(graph, {x, lengths});
        network::store_as_halves(graph);
        x.type.type = network::ElementType::kHalf;
        CaseOutcome outcome;
        const std::vector<Tensor> got =
            lower_all(graph, {x, lengths}, EpilogueStyle::kFused, outcome);
        EXPECT_EQ(outcome.wrong, "");
        EXPECT_EQ(outcome.refused, "");
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(difference(got[i], expected[i], 1), "");
        }
        EXPECT_EQ(expected[0].reals.at(static_cast<std::size_t>(3 * 2 * kBatch + 1) * kHidden), 0);
    }
}

/// Every function that a gate may have, with a clip and without, in both directions: as operators
/// on kernels and as one on the host.
TEST(OnnxRecurrentLowering, FunctionsOfGatesComeOutOnKernels) {
    constexpr std::int64_t kSteps = 3, kBatch = 2, kWidth = 2, kHidden = 4;
    const std::vector<std::string> functions = {
        "Affine",  "Elu",      "HardSigmoid", "LeakyRelu", "Relu",           "ScaledTanh",
        "Sigmoid", "Softplus", "Softsign",    "Tanh",      "ThresholdedRelu"};
    std::mt19937_64 random(7);
    const auto drawn = [&random](std::int64_t count) {
        std::vector<float> reals(static_cast<std::size_t>(count));
        for (float& real : reals) real = static_cast<float>(random() % 17) / 16 - 0.5F;
        return reals;
    };
    struct Layer {
        const char* operation;
        std::int64_t gates;
        std::size_t functions;
    };
    std::set<std::string> seen;
    for (int round = 0; round < 30; ++round) {
        const Layer layer = std::array<Layer, 3>{
            {{"RNN", 1, 1}, {"GRU", 3, 2}, {"LSTM", 4, 3}}}[static_cast<std::size_t>(round % 3)];
        std::vector<std::string> names;
        for (std::size_t i = 0; i < 2 * layer.functions; ++i) {
            names.push_back(functions[random() % functions.size()]);
            seen.insert(names.back());
        }
        SCOPED_TRACE(std::string(layer.operation) + " " + testing::PrintToString(names));
        const std::int64_t rows = layer.gates * kHidden;
        test::OnnxModel model;
        model.input("x", {kSteps, kBatch, kWidth}).output("y").output("last");
        model.weights("w", {2, rows, kWidth}, drawn(2 * rows * kWidth));
        model.weights("r", {2, rows, kHidden}, drawn(2 * rows * kHidden));
        model.weights("b", {2, 2 * rows}, drawn(4 * rows));
        std::vector<std::string> inputs = {"x", "w", "r", "b"};
        if (layer.gates == 4 && random() % 2 == 0) {
            model.weights("p", {2, 3 * kHidden}, drawn(6 * kHidden));
            inputs.insert(inputs.end(), {"", "", "", "p"});
        }
        model.node(layer.operation, inputs, {"y", "last"});
        model.with("hidden_size", kHidden).with_text("direction", "bidirectional");
        model.with_texts("activations", names);
        model.with_reals("activation_alpha", {0.5F, 0.25F});
        model.with_reals("activation_beta", {0.25F});
        if (random() % 2 == 0) model.with_real("clip", 0.75F);
        if (layer.gates == 3) model.with("linear_before_reset", round / 3 % 2);
        if (layer.gates == 4) model.with("input_forget", round / 3 % 2);
        Graph graph = network::parse_onnx(model.bytes(), "functions.onnx", "", {});
        Tensor x = Tensor::of_reals({kSteps, kBatch, kWidth}, drawn(kSteps * kBatch * kWidth));
        const std::vector<Tensor> expected = network::execute(graph, {x});
        network::store_as_halves(graph);
        x.type.type = network::ElementType::kHalf;
        CaseOutcome outcome;
        const std::vector<Tensor> got = lower_all(graph, {x}, EpilogueStyle::kFused, outcome);
        EXPECT_EQ(outcome.wrong, "");
        EXPECT_EQ(outcome.refused, "");
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(difference(got[i], expected[i], largest_of(expected)), "");
        }
    }
    EXPECT_EQ(seen.size(), functions.size());
}

}  // namespace
}  // namespace tessera
