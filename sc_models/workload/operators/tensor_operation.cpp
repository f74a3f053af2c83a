#include "sc_models/workload/operators/tensor_operation.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "sc_models/common/error.h"
#include "sc_models/common/splitmix.h"
#include "sc_models/workload/operators/tensor_operators.h"

namespace tessera {
namespace {

using Op = TensorOperator;

constexpr std::array<std::string_view, kTensorOperators> kNames = {"Identity",
                                                                   "Relu",
                                                                   "LeakyRelu",
                                                                   "Clip",
                                                                   "Sigmoid",
                                                                   "HardSigmoid",
                                                                   "HardSwish",
                                                                   "Swish",
                                                                   "Tanh",
                                                                   "Erf",
                                                                   "Gelu",
                                                                   "Exp",
                                                                   "Log",
                                                                   "Sqrt",
                                                                   "Reciprocal",
                                                                   "Neg",
                                                                   "Abs",
                                                                   "Floor",
                                                                   "Ceil",
                                                                   "Elu",
                                                                   "Celu",
                                                                   "Selu",
                                                                   "Softplus",
                                                                   "Softsign",
                                                                   "Sin",
                                                                   "Cos",
                                                                   "Sign",
                                                                   "Round",
                                                                   "Mish",
                                                                   "ThresholdedRelu",
                                                                   "PRelu",
                                                                   "Add",
                                                                   "Sub",
                                                                   "Mul",
                                                                   "Div",
                                                                   "Min",
                                                                   "Max",
                                                                   "Pow",
                                                                   "Mod",
                                                                   "SwiGLU",
                                                                   "Where",
                                                                   "Sum",
                                                                   "Mean",
                                                                   "QuantizeLinear",
                                                                   "DequantizeLinear",
                                                                   "LstmCell",
                                                                   "LstmHidden",
                                                                   "GruReset",
                                                                   "GruState",
                                                                   "BatchNormalization",
                                                                   "Transpose",
                                                                   "Slice",
                                                                   "Pad",
                                                                   "Concat",
                                                                   "Split",
                                                                   "Gather",
                                                                   "GatherElements",
                                                                   "Expand",
                                                                   "Resize",
                                                                   "MaxPool",
                                                                   "AveragePool",
                                                                   "LRN",
                                                                   "ReduceSum",
                                                                   "ReduceMean",
                                                                   "ReduceMax",
                                                                   "ReduceMin",
                                                                   "ReduceProd",
                                                                   "ReduceL1",
                                                                   "ReduceL2",
                                                                   "ReduceSumSquare",
                                                                   "ReduceLogSum",
                                                                   "ReduceLogSumExp",
                                                                   "InvStdDev",
                                                                   "Softmax",
                                                                   "LogSoftmax",
                                                                   "LayerNormalization",
                                                                   "RMSNormalization",
                                                                   "InstanceNormalization"};

std::string text_of(const TensorShape& shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

[[noreturn]] void refuse(const TensorOperation& o, const std::string& what) {
    std::string shapes;
    for (const TensorShape& shape : o.operands) {
        shapes += (shapes.empty() ? "" : ", ") + text_of(shape);
    }
    throw ConfigError(fmt::format("{} of {}: expected {}", name_of(o.op), shapes, what));
}

void require(const TensorOperation& o, bool met, const std::string& what) {
    if (!met) refuse(o, what);
}

std::uint64_t pooled_size(const TensorOperation& o, std::size_t i) {
    const auto size = static_cast<std::int64_t>(o.operands[0][o.axes[i]]);
    const auto stride = static_cast<std::int64_t>(o.strides[i]);
    const std::int64_t wide = std::int64_t{o.window[i] - 1} * o.dilations[i] + 1;
    const std::int64_t room = size + o.pads_before[i] + o.pads_after[i] - wide;
    if (room < 0) return 0;
    std::int64_t count = room / stride + 1;
    if (o.ceil_mode && room % stride != 0 && count * stride < size + o.pads_before[i]) ++count;
    return static_cast<std::uint64_t>(count);
}

std::size_t operands_of(const TensorOperation& o) {
    if (is_binary(o.op)) return 2;
    if (o.op == Op::kBatchNormalization) return 5;
    if (o.op == Op::kInstanceNormalization || o.op == Op::kWhere) return 3;
    if (is_quantization(o.op)) return o.operands.size() == 3 ? 3 : 2;
    return 1;
}

/// Index of an operand that is a state of batch x hidden: the last, except with peepholes.
std::size_t state_operand(const TensorOperation& o) {
    return o.op == Op::kLstmCell || o.op == Op::kLstmHidden ? 1 : o.operands.size() - 1;
}

/// Checks types, and that scale and zero point are broadcast to the tensor.
void check_quantization(const TensorOperation& o) {
    const auto is_byte = [](TensorType type) { return bytes_of(type) == 1; };
    require(o, o.type == TensorType::kFp32 && o.types.size() == o.operands.size() + 1,
            "a type for each operand and the result");
    const bool makes_bytes = o.op == Op::kQuantizeLinear;
    const TensorType bytes = makes_bytes ? o.result_type() : o.operand_type(0);
    const TensorType real = makes_bytes ? o.operand_type(0) : o.result_type();
    require(o, is_byte(bytes) && !is_byte(real) && !is_byte(o.operand_type(1)),
            "INT8 or UINT8 on one side, and FP16 or FP32 on the other and as scale");
    require(o, o.operands.size() == 2 || o.operand_type(2) == bytes,
            "a zero point of the type of the integers");
    for (std::size_t i = 1; i < o.operands.size(); ++i) {
        require(o, broadcast_shape(o.operands[0], o.operands[i]) == o.operands[0],
                "a scale and a zero point that are broadcast to the tensor");
    }
}

/// Checks the operands of a recurrent step: sums of the gates come first, for a GRU those of the
/// input and of the state; then states.
void check_recurrent(const TensorOperation& o) {
    const std::size_t n = o.operands.size();
    const bool lstm = o.op == Op::kLstmCell || o.op == Op::kLstmHidden;
    const bool fits = lstm ? n == 2 || n == 3 : o.op == Op::kGruReset ? n == 3 : n == 3 || n == 4;
    require(o, fits, "sums of gates, and states");
    const TensorShape& state = o.operands[state_operand(o)];
    require(o, state.size() == 2, "a state of batch x hidden");
    const auto gates = [&](std::uint64_t count) { return TensorShape{state[0], count * state[1]}; };
    if (lstm) {
        require(o, o.operands[0] == gates(4), "four gates");
        require(o, n == 2 || o.operands[2] == TensorShape{3 * state[1]}, "three peepholes");
        return;
    }
    require(o, o.operands[0] == gates(3), "three gates");
    const bool linear = o.op == Op::kGruState && n == 3;
    require(o, o.operands[1] == gates(linear ? 3 : 2), "gates of the state");
    require(o, n < 4 || o.operands[2] == state, "a third gate of the state");
}

void check_axes(const TensorOperation& o) {
    const std::size_t rank = o.operands[0].size();
    std::vector<std::uint32_t> sorted = o.axes;
    std::sort(sorted.begin(), sorted.end());
    require(o, sorted.empty() || sorted.back() < rank, "axes that the tensor has");
    require(o, std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "each axis once");
    const bool single = o.op == Op::kConcat || o.op == Op::kSplit || gathers(o.op) ||
                        o.op == Op::kLrn || o.op == Op::kBatchNormalization ||
                        o.op == Op::kInstanceNormalization;
    require(o, !single || o.axes.size() == 1, "one axis");
    const bool some = is_pool(o.op) || is_reduction(o.op) || is_row_wise(o.op);
    require(o, !some || !o.axes.empty(), "at least one axis");
    if (o.op != Op::kLayerNormalization && o.op != Op::kRmsNormalization) return;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        require(o, sorted[i] + sorted.size() == rank + i, "all axes from the first on");
    }
}

void check_gather(const TensorOperation& o) {
    const TensorShape& x = o.operands[0];
    require(o, !x.empty(), "a tensor with axes");
    const auto size = static_cast<std::int64_t>(x[o.axes[0]]);
    require(o, o.indices.empty() || o.indices.size() == elements_of(o.sizes),
            "as many indices as their shape says");
    require(o, elements_of(o.sizes) > 0, "indices");
    const bool within = std::all_of(o.indices.begin(), o.indices.end(), [size](std::int64_t index) {
        return index >= -size && index < size;
    });
    require(o, within, "indices within the axis");
    if (o.op == Op::kGather) return;
    require(o, o.sizes.size() == x.size(), "indices of the operand's rank");
    for (std::size_t d = 0; d < x.size(); ++d) {
        require(o, d == o.axes[0] || o.sizes[d] <= x[d], "indices for axes that the operand has");
    }
}

void check_copy(const TensorOperation& o) {
    const TensorShape& x = o.operands[0];
    switch (o.op) {
        case Op::kTranspose: {
            std::vector<std::uint32_t> sorted = o.order;
            std::sort(sorted.begin(), sorted.end());
            bool all = sorted.size() == x.size();
            for (std::size_t i = 0; all && i < sorted.size(); ++i) all = sorted[i] == i;
            return require(o, all, "an order that has each axis once");
        }
        case Op::kSlice:
            require(o,
                    o.begins.size() == x.size() && o.steps.size() == x.size() &&
                        o.sizes.size() == x.size(),
                    "begin, step and size of each axis");
            for (std::size_t d = 0; d < x.size(); ++d) {
                const std::int64_t last =
                    o.begins[d] + (static_cast<std::int64_t>(o.sizes[d]) - 1) * o.steps[d];
                const auto within = [&](std::int64_t at) {
                    return at >= 0 && at < static_cast<std::int64_t>(x[d]);
                };
                require(o, o.sizes[d] == 0 || (within(o.begins[d]) && within(last)),
                        "a slice within the tensor");
            }
            return;
        case Op::kPad:
            require(o, o.pads_before.size() == x.size() && o.pads_after.size() == x.size(),
                    "pads of each axis");
            for (std::size_t d = 0; d < x.size(); ++d) {
                const auto size = static_cast<std::int64_t>(x[d]);
                const std::int64_t most = std::max(o.pads_before[d], o.pads_after[d]);
                require(o, size + o.pads_before[d] + o.pads_after[d] > 0, "something to be left");
                require(o,
                        o.pad_mode != PadMode::kReflect || most < std::max<std::int64_t>(size, 1),
                        "reflected pads shorter than their axes");
            }
            return;
        case Op::kConcat:
            for (TensorShape shape : o.operands) {
                require(o, shape.size() == x.size(), "tensors of one rank");
                shape[o.axes[0]] = x[o.axes[0]];
                require(o, shape == x, "tensors that differ in the axis only");
            }
            return;
        case Op::kSplit: {
            std::uint64_t sum = 0;
            for (TensorShape shape : o.results) {
                require(o, shape.size() == x.size(), "results of one rank");
                sum += shape[o.axes[0]];
                shape[o.axes[0]] = x[o.axes[0]];
                require(o, shape == x, "results that differ in the axis only");
            }
            return require(o, sum == x[o.axes[0]], "results that add up to the operand");
        }
        case Op::kGather:
        case Op::kGatherElements:
            return check_gather(o);
        case Op::kExpand:
            require(o, o.results.size() == 1 && broadcast_shape(x, o.results[0]) == o.results[0],
                    "a result that the operand can be broadcast to");
            return;
        case Op::kResize:
            require(o,
                    o.results.size() == 1 && o.results[0].size() == x.size() &&
                        (o.scales.empty() || o.scales.size() == x.size()),
                    "a result, and scales, of the operand's rank");
            require(o,
                    o.coordinates != ResizeCoordinates::kCropAndResize ||
                        o.region.size() == 2 * x.size(),
                    "begin and end of each axis");
            return;
        default:
            return;
    }
}

}  // namespace

std::uint64_t elements_of(const TensorShape& shape) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) count *= size;
    return count;
}

std::uint64_t gathered_index(const TensorOperation& o, std::uint64_t i) {
    const std::uint64_t size = o.operands[0][o.axes[0]];
    if (o.indices.empty()) return splitmix_at(0, i) % size;
    const std::int64_t index = o.indices[i];
    return static_cast<std::uint64_t>(index < 0 ? index + static_cast<std::int64_t>(size) : index);
}

std::optional<TensorOperator> tensor_operator(std::string_view name) {
    const auto* const found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return std::nullopt;
    return static_cast<TensorOperator>(found - kNames.begin());
}

std::string_view name_of(TensorOperator op) {
    return kNames.at(static_cast<std::size_t>(op));
}

TensorShape broadcast_shape(const TensorShape& a, const TensorShape& b) {
    const TensorShape& longer = a.size() >= b.size() ? a : b;
    const TensorShape& shorter = a.size() >= b.size() ? b : a;
    TensorShape result = longer;
    const std::size_t ahead = longer.size() - shorter.size();
    for (std::size_t d = 0; d < shorter.size(); ++d) {
        std::uint64_t& size = result[ahead + d];
        if (size == 1) size = shorter[d];
        if (shorter[d] != 1 && shorter[d] != size) {
            throw ConfigError(
                fmt::format("shapes {} and {}: expected equal axes, or 1 for those "
                            "that are broadcast",
                            text_of(a), text_of(b)));
        }
    }
    return result;
}

void check_tensor_operation(const TensorOperation& o) {
    constexpr std::size_t kMostAxes = 8;
    constexpr std::uint64_t kMostElements = std::uint64_t{1} << 36;
    const std::size_t wanted = operands_of(o);
    const bool normalizes = (o.op == Op::kLayerNormalization && o.operands.size() <= 3) ||
                            (o.op == Op::kRmsNormalization && o.operands.size() <= 2);
    const bool any =
        o.op == Op::kConcat || o.op == Op::kSum || o.op == Op::kMean || is_recurrent(o.op);
    if (!any && !normalizes && o.operands.size() != wanted) {
        refuse(o, fmt::format("{} tensors", wanted));
    }
    if (o.operands.empty()) refuse(o, "a tensor");
    require(o, !is_of_several(o.op) || o.operands.size() <= kMostMapOperands,
            fmt::format("at most {} tensors", kMostMapOperands));
    for (const std::vector<TensorShape>* shapes : {&o.operands, &o.results}) {
        for (const TensorShape& shape : *shapes) {
            require(o, shape.size() <= kMostAxes, fmt::format("at most {} axes", kMostAxes));
            double product = 1;
            for (const std::uint64_t size : shape) product *= static_cast<double>(size);
            require(o, product > 0, "no empty axis");
            require(o, product <= static_cast<double>(kMostElements), "at most 2^36 elements");
        }
    }
    check_axes(o);
    check_copy(o);
    const TensorShape& x = o.operands[0];
    if (is_sum_of_bytes(o)) {
        require(o,
                o.type == TensorType::kFp32 && o.types.size() == 3 &&
                    std::all_of(o.types.begin(), o.types.end(),
                                [](TensorType type) { return bytes_of(type) == 1; }) &&
                    o.scales.size() == kScalesOfSum,
                "INT8 or UINT8, and a scale and a zero point of each");
    }
    if (is_binary(o.op)) {
        const TensorShape result = broadcast_shape(x, o.operands[1]);
        require(o, o.op != Op::kPRelu || result == x, "a slope that is broadcast to the tensor");
    }
    if (is_of_several(o.op)) (void)result_shapes(o);
    if (is_quantization(o.op)) check_quantization(o);
    if (is_recurrent(o.op)) check_recurrent(o);
    if (is_pool(o.op) || o.op == Op::kLrn) {
        const std::size_t n = o.axes.size();
        require(o,
                o.window.size() == n && o.strides.size() == n && o.dilations.size() == n &&
                    o.pads_before.size() == n && o.pads_after.size() == n,
                "window, stride, dilation and pads of each axis");
        for (std::size_t i = 0; i < n; ++i) {
            require(o, o.window[i] > 0 && o.strides[i] > 0 && o.dilations[i] > 0,
                    "window, stride and dilation above 0");
            const std::int64_t wide = std::int64_t{o.window[i] - 1} * o.dilations[i] + 1;
            require(o,
                    o.pads_before[i] >= 0 && o.pads_after[i] >= 0 && o.pads_before[i] < wide &&
                        o.pads_after[i] < wide,
                    "padding of less than the window");
            require(o, pooled_size(o, i) > 0, "a window that fits the padded axis");
        }
    }
    if (o.op == Op::kBatchNormalization || o.op == Op::kInstanceNormalization) {
        const TensorShape channels = {x[o.axes[0]]};
        for (std::size_t i = 1; i < o.operands.size(); ++i) {
            require(o, o.operands[i] == channels, "a parameter for each channel");
        }
        require(o, o.op != Op::kInstanceNormalization || (o.axes[0] > 0 && x.size() > 2),
                "images of channels of pixels");
    }
    if (o.op == Op::kLayerNormalization || o.op == Op::kRmsNormalization) {
        const TensorShape inner(x.end() - static_cast<std::ptrdiff_t>(o.axes.size()), x.end());
        for (std::size_t i = 1; i < o.operands.size(); ++i) {
            require(o, o.operands[i] == inner, "scale and bias of the normalised axes");
        }
    }
}

std::vector<TensorShape> result_shapes(const TensorOperation& o) {
    TensorShape shape = o.operands[0];
    if (o.op == Op::kSplit || o.op == Op::kExpand || o.op == Op::kResize) return o.results;
    if (is_binary(o.op) || is_of_several(o.op)) {
        for (std::size_t i = 1; i < o.operands.size(); ++i) {
            shape = broadcast_shape(shape, o.operands[i]);
        }
        return {shape};
    }
    if (is_recurrent(o.op)) return {o.operands[state_operand(o)]};
    if (is_reduction(o.op)) {
        for (const std::uint32_t axis : o.axes) shape[axis] = 1;
    }
    if (is_pool(o.op)) {
        for (std::size_t i = 0; i < o.axes.size(); ++i) shape[o.axes[i]] = pooled_size(o, i);
    }
    switch (o.op) {
        case Op::kTranspose:
            for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = o.operands[0][o.order[d]];
            break;
        case Op::kSlice:
        case Op::kGatherElements:
            return {o.sizes};
        case Op::kGather: {
            const auto at = shape.begin() + o.axes[0];
            shape.insert(shape.erase(at), o.sizes.begin(), o.sizes.end());
            break;
        }
        case Op::kPad:
            for (std::size_t d = 0; d < shape.size(); ++d) {
                shape[d] += static_cast<std::uint64_t>(o.pads_before[d] + o.pads_after[d]);
            }
            break;
        case Op::kConcat:
            for (std::size_t i = 1; i < o.operands.size(); ++i) {
                shape[o.axes[0]] += o.operands[i][o.axes[0]];
            }
            break;
        default:
            break;
    }
    return {shape};
}

}  // namespace tessera
