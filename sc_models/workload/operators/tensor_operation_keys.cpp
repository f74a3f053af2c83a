#include <fmt/format.h>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/workload/operators/tensor_operation.h"

// Creation of tensor operations from the keys of workload.tensor.

namespace tessera {
namespace {

using Op = TensorOperator;

TensorShape parse_shape(const std::string& key, const std::string& text) {
    constexpr std::size_t kMostDigits = 11;
    TensorShape shape;
    std::string digits;
    const auto end_number = [&] {
        const bool good = !digits.empty() && digits.size() <= kMostDigits;
        const std::uint64_t size = good ? std::stoull(digits) : 0;
        if (size == 0) {
            throw ConfigError(
                fmt::format("{}: got '{}', expected sizes above 0 joined by 'x', such "
                            "as 8x56x56x64",
                            key, text));
        }
        shape.push_back(size);
        digits.clear();
    };
    for (const char c : text) {
        if (c == 'x') {
            end_number();
        } else {
            digits += c;
            if (c < '0' || c > '9') digits = std::string(kMostDigits + 1, '0');
        }
    }
    end_number();
    return shape;
}

void set_windows(TensorOperation& o, const TensorConfig& config) {
    const std::size_t rank = o.operands[0].size();
    for (std::uint32_t d = 2; d < rank; ++d) {
        o.axes.push_back(d);
        o.window.push_back(config.window);
        o.strides.push_back(config.stride);
        o.dilations.push_back(1);
        o.pads_before.push_back(config.pad);
        o.pads_after.push_back(config.pad);
    }
}

/// Sets gates for a state of batch x hidden; an LSTM without peepholes, a GRU like cuDNN's.
void set_recurrent(TensorOperation& o) {
    const TensorShape state = o.operands[0];
    if (state.size() != 2) {
        throw ConfigError("workload.tensor.shape: got " + std::to_string(state.size()) +
                          " axes, expected BATCHxHIDDEN for steps of recurrent layers");
    }
    const auto gates = [&state](std::uint64_t count) {
        return TensorShape{state[0], count * state[1]};
    };
    const bool lstm = o.op == Op::kLstmCell || o.op == Op::kLstmHidden;
    o.operands = {gates(lstm ? 4 : 3)};
    if (!lstm) o.operands.push_back(gates(o.op == Op::kGruState ? 3 : 2));
    o.operands.push_back(state);
}

/// Sets the parameters of AlexNet's LRN.
void set_neighbours(TensorOperation& o) {
    constexpr std::uint32_t kSize = 5;
    o.window = {kSize};
    o.strides = o.dilations = {1};
    o.pads_before = o.pads_after = {kSize / 2};
    o.alpha = 1e-4F;
    o.beta = 0.75F;
    o.gamma = 1;
}

void set_copy(TensorOperation& o, const TensorConfig& config, std::uint32_t axis) {
    const TensorShape& x = o.operands[0];
    const std::size_t rank = x.size();
    switch (o.op) {
        case Op::kTranspose:
            for (std::size_t d = rank; d-- > 0;) o.order.push_back(static_cast<std::uint32_t>(d));
            return;
        case Op::kSlice:
            o.begins.assign(rank, 0);
            o.steps.assign(rank, 1);
            o.sizes = x;
            if (x[axis] <= 2) {
                throw ConfigError(
                    "workload.tensor.axis: expected one of more than 2 elements, of "
                    "which slice leaves out the first and the last");
            }
            o.begins[axis] = 1;
            o.sizes[axis] -= 2;
            return;
        case Op::kPad:
            o.pads_before.assign(rank, 0);
            o.pads_before[axis] = config.pad;
            o.pads_after = o.pads_before;
            return;
        case Op::kConcat:
            o.operands.push_back(x);
            return;
        case Op::kSplit:
            if (x[axis] < 2) {
                throw ConfigError(
                    "workload.tensor.axis: expected one of at least 2 elements, "
                    "which split halves");
            }
            o.results = {x, x};
            o.results[0][axis] = x[axis] / 2;
            o.results[1][axis] -= x[axis] / 2;
            return;
        case Op::kResize:
            o.coordinates = ResizeCoordinates::kAsymmetric;
            o.rounding = ResizeRounding::kFloor;
            o.results = {x};
            for (std::size_t d = rank < 2 ? 0 : rank - 2; d < rank; ++d) o.results[0][d] *= 2;
            return;
        default:
            return;
    }
}

/// One FP32 scale and no zero point; the integers are INT8.
void set_quantization(TensorOperation& o) {
    o.operands.push_back({1});
    const bool makes_bytes = o.op == Op::kQuantizeLinear;
    o.types = {makes_bytes ? o.type : TensorType::kInt8, TensorType::kFp32,
               makes_bytes ? TensorType::kInt8 : o.type};
    o.type = TensorType::kFp32;
}

}  // namespace

TensorOperation operation_of(const TensorConfig& config) {
    constexpr float kEpsilon = 1e-5F;
    TensorOperation o;
    o.op = config.operation;
    o.type = config.type;
    o.operands = {parse_shape("workload.tensor.shape", config.shape)};
    const auto rank = static_cast<std::uint32_t>(o.operands[0].size());
    const auto other = [&] {
        return config.other.empty() ? parse_shape("workload.tensor.shape", config.shape)
                                    : parse_shape("workload.tensor.other", config.other);
    };
    const auto axis_of = [&] {
        const std::uint32_t axis = config.axis == TensorConfig::kLastAxis ? rank - 1 : config.axis;
        if (axis >= rank) {
            throw ConfigError(
                fmt::format("workload.tensor.axis: got '{}', expected less than the "
                            "{} axes of workload.tensor.shape",
                            axis, rank));
        }
        return axis;
    };
    if (is_binary(o.op) || is_of_several(o.op)) o.operands.push_back(other());
    if (o.op == Op::kWhere) o.operands.push_back(o.operands[0]);
    if (is_quantization(o.op)) set_quantization(o);
    if (is_recurrent(o.op)) set_recurrent(o);
    if (o.op == Op::kExpand) o.results = {other()};
    if (o.op == Op::kLeakyRelu) o.alpha = 0.01F;
    if (o.op == Op::kElu || o.op == Op::kCelu || o.op == Op::kThresholdedRelu) o.alpha = 1;
    if (o.op == Op::kSelu) {
        o.alpha = 1.67326319217681884765625F;
        o.beta = 1.05070102214813232421875F;
    }
    if (o.op == Op::kClip) o.beta = 6;
    if (o.op == Op::kHardSigmoid) {
        o.alpha = 0.2F;
        o.beta = 0.5F;
    }
    if (is_pool(o.op)) set_windows(o, config);
    const std::uint32_t axis = has_axis(o.op) ? axis_of() : 0;
    if (is_in(o.op, Op::kTranspose, Op::kResize)) set_copy(o, config, axis);
    if (has_axis(o.op) && o.op != Op::kSlice && o.op != Op::kPad) o.axes = {axis};
    const TensorShape channels = {o.operands[0][axis]};
    if (o.op == Op::kGather) o.sizes = config.other.empty() ? channels : other();
    if (o.op == Op::kGatherElements) o.sizes = o.operands[0];
    if (o.op == Op::kLrn) set_neighbours(o);
    if (o.op == Op::kBatchNormalization) o.operands.resize(5, channels);
    if (o.op == Op::kInstanceNormalization) o.operands.resize(3, channels);
    if (o.op == Op::kLayerNormalization || o.op == Op::kRmsNormalization) {
        const TensorShape& x = o.operands[0];
        const TensorShape inner(x.begin() + axis, x.end());
        for (std::uint32_t d = axis + 1; d < rank; ++d) o.axes.push_back(d);
        o.operands.resize(o.op == Op::kRmsNormalization ? 2 : 3, inner);
    }
    if (o.op == Op::kBatchNormalization || is_normalization(o.op) || o.op == Op::kReduceInvStdDev) {
        o.beta = kEpsilon;
    }
    try {
        check_tensor_operation(o);
    } catch (const ConfigError& error) {
        throw ConfigError("workload.tensor.shape: " + std::string(error.what()));
    }
    return o;
}

}  // namespace tessera
