// A network of one node, for tests of what operators compute.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/onnx_reader.h"
#include "tests/support/onnx_model.h"

namespace tessera::test {

using Reals = std::vector<float>;
using Integers = std::vector<std::int64_t>;

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// A node with inputs "a", "b", ... and outputs "y" and, if it has two, "z".
struct OneNode {
    using Type = network::ElementType;
    using Tensor = network::Tensor;

    OnnxModel model;
    std::vector<std::string> names;
    std::vector<Tensor> inputs;
    bool second;

    explicit OneNode(int operator_set = 13, bool two_outputs = false)
        : model(operator_set), second(two_outputs) {
        model.output("y");
        if (second) model.output("z");
    }
    OneNode& add(Tensor tensor) {
        using Proto = onnx::TensorProto;
        const int types[] = {Proto::FLOAT, Proto::FLOAT16, Proto::INT64, Proto::INT32,
                             Proto::INT8,  Proto::UINT8,   Proto::BOOL};
        names.emplace_back(1, static_cast<char>('a' + names.size()));
        model.input(names.back(), tensor.type.shape, types[static_cast<int>(tensor.type.type)]);
        inputs.push_back(std::move(tensor));
        return *this;
    }
    OneNode& reals(const Reals& values, network::Shape shape = {-1}) {
        if (shape == network::Shape{-1}) shape = {static_cast<std::int64_t>(values.size())};
        return add(Tensor::of_reals(std::move(shape), values));
    }
    OneNode& scalar(float value) { return reals({value}, {}); }
    OneNode& integers(const Integers& values, Type type = Type::kInt64) {
        return add(Tensor::of_integers({static_cast<std::int64_t>(values.size())}, values, type));
    }
    OneNode& integers32(const Integers& values) { return integers(values, Type::kInt32); }
    OneNode& matrix(const Integers& values, std::int64_t rows, Type type) {
        const auto columns = static_cast<std::int64_t>(values.size()) / rows;
        return add(Tensor::of_integers({rows, columns}, values, type));
    }
    OnnxModel& node(const std::string& operation) {
        std::vector<std::string> outputs = {"y"};
        if (second) outputs.emplace_back("z");
        return model.node(operation, names, outputs);
    }
    [[nodiscard]] std::vector<Tensor> run() const {
        return execute(network::parse_onnx(model.bytes(), "m.onnx", "", {}), inputs);
    }
};

inline Reals reals_of(const OneNode& one) {
    return one.run().at(0).reals;
}
inline Integers integers_of(const OneNode& one) {
    return one.run().at(0).integers;
}
inline OneNode of(OneNode one, const std::string& operation) {
    one.node(operation);
    return one;
}

/// The message that refuses the network, or "none".
inline std::string refusal_of(const OneNode& one) {
    try {
        (void)one.run();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "none";
}
inline std::string refusal_of(OneNode one, const std::string& operation) {
    return refusal_of(of(std::move(one), operation));
}

}  // namespace tessera::test
