// Operators that cost a machine nothing: renamed or reshaped bytes, shapes as values, constants.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "sc_models/network/operators.h"

namespace tessera::network {
namespace {

void run_same(const OperatorCall& call, std::vector<Tensor>& outputs) {
    outputs[0].reals = call.tensor(0).reals;
    outputs[0].integers = call.tensor(0).integers;
}

std::vector<TensorType> infer_same(const OperatorCall& call) {
    return {call.type(0)};
}

// Dropout: the identity for inference, and a mask of ones

std::vector<TensorType> infer_dropout(const OperatorCall& call) {
    call.expect_real(0);
    const auto in_training = [](std::int64_t mode) { return mode != 0; };
    if (call.has(2) && (call.tensors[2] == nullptr ||
                        std::any_of(call.indices(2).begin(), call.indices(2).end(), in_training))) {
        call.fail_input(2, "expected the constant false: training is not supported");
    }
    // Up to operator set 9 the mask had the type of the data.
    return {call.type(0),
            {call.node->version < 10 ? call.type(0).type : ElementType::kBool, call.shape(0)}};
}

void run_dropout(const OperatorCall& call, std::vector<Tensor>& outputs) {
    run_same(call, outputs);
    std::fill(outputs[1].integers.begin(), outputs[1].integers.end(), 1);
    std::fill(outputs[1].reals.begin(), outputs[1].reals.end(), 1.0F);
}

// Reshaping operators

std::vector<TensorType> infer_reshape(const OperatorCall& call) {
    const Shape& in = call.shape(0);
    Shape wanted = call.integers("shape", 1);
    const bool zeros_stay = call.attributes().integer("allowzero") == 0;
    std::size_t open = wanted.size();
    Shape known;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] == 0 && zeros_stay && i < in.size()) wanted[i] = in[i];
        if (wanted[i] == -1 && open == wanted.size()) {
            open = i;
        } else {
            known.push_back(wanted[i]);
        }
    }
    const auto elements = static_cast<std::int64_t>(call.type(0).elements());
    const auto rest = static_cast<std::int64_t>(element_count(known));
    if (open < wanted.size()) wanted[open] = rest == 0 ? 0 : elements / rest;
    if (static_cast<std::int64_t>(element_count(wanted)) != elements) {
        call.fail("shape: got " + shape_text(wanted) + ", expected one of the " +
                  std::to_string(elements) + " elements of " + shape_text(in));
    }
    return {{call.type(0).type, wanted}};
}

std::vector<TensorType> infer_flatten(const OperatorCall& call) {
    const Shape& in = call.shape(0);
    // `axis` may equal the rank: the cut is then behind the last dimension.
    const std::int64_t given = call.attributes().integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(in.size());
    const std::size_t axis = given == rank             ? in.size()
                             : rank == 0 && given == 0 ? 0
                                                       : call.axis(given, in.size());
    const auto cut = in.begin() + static_cast<std::ptrdiff_t>(axis);
    return {{call.type(0).type,
             {static_cast<std::int64_t>(element_count({in.begin(), cut})),
              static_cast<std::int64_t>(element_count({cut, in.end()}))}}};
}

std::vector<TensorType> infer_squeeze(const OperatorCall& call) {
    const Shape& in = call.shape(0);
    const std::vector<std::size_t> named = call.axes(call.integers("axes", 1), in.size());
    TensorType type{call.type(0).type, {}};
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
        const bool named_one = std::find(named.begin(), named.end(), axis) != named.end();
        if (named_one && in[axis] != 1) {
            call.fail("got axis " + std::to_string(axis) + " of " + shape_text(in) +
                      ", expected one of side 1");
        }
        if (!named_one && (!named.empty() || in[axis] != 1)) type.shape.push_back(in[axis]);
    }
    return {type};
}

std::vector<TensorType> infer_unsqueeze(const OperatorCall& call) {
    const Shape& in = call.shape(0);
    const std::vector<std::int64_t> given = call.integers("axes", 1);
    if (given.size() > kMostSides) call.fail("axes: got more than tensors can have");
    const std::vector<std::size_t> named = call.axes(given, in.size() + given.size());
    TensorType type{call.type(0).type, Shape(in.size() + given.size())};
    for (const std::size_t axis : named) type.shape[axis] = 1;
    auto next = in.begin();
    for (std::size_t axis = 0; axis < type.shape.size(); ++axis) {
        if (std::find(named.begin(), named.end(), axis) == named.end()) type.shape[axis] = *next++;
    }
    return {type};
}

// Shapes as values

std::vector<std::int64_t> sides_asked_for(const OperatorCall& call) {
    const Shape& shape = call.shape(0);
    const auto rank = static_cast<std::int64_t>(shape.size());
    const auto clipped = [&](std::int64_t index) {
        return std::clamp<std::int64_t>(index < 0 && index >= -rank ? index + rank : index, 0,
                                        rank);
    };
    const std::int64_t start = clipped(call.attributes().integer("start", 0));
    const std::int64_t end =
        call.attributes().has("end") ? clipped(call.attributes().integer("end")) : rank;
    if (end <= start) return {};
    return {shape.begin() + start, shape.begin() + end};
}

std::vector<TensorType> infer_shape(const OperatorCall& call) {
    return {{ElementType::kInt64, {static_cast<std::int64_t>(sides_asked_for(call).size())}}};
}

void run_shape(const OperatorCall& call, std::vector<Tensor>& outputs) {
    outputs[0].integers = sides_asked_for(call);
}

std::vector<TensorType> infer_size(const OperatorCall& call) {
    (void)call.type(0);
    return {{ElementType::kInt64, {}}};
}

void run_size(const OperatorCall& call, std::vector<Tensor>& outputs) {
    outputs[0].integers = {static_cast<std::int64_t>(call.type(0).elements())};
}

// Constants

std::vector<TensorType> infer_range(const OperatorCall& call) {
    call.expect_same_type(0, 1);
    call.expect_same_type(0, 2);
    for (const std::size_t input : {0U, 1U, 2U}) call.expect_shape(input, {});
    double count = 0;
    if (is_real(call.type(0).type)) {
        const double delta = call.reals(2)[0];
        if (delta == 0) call.fail("delta: got 0, expected another number");
        count = std::ceil(static_cast<double>(call.reals(1)[0] - call.reals(0)[0]) / delta);
    } else {
        __extension__ using Wide = __int128;
        const Wide delta = call.indices(2)[0];
        if (delta == 0) call.fail("delta: got 0, expected another number");
        const Wide span = Wide{call.indices(1)[0]} - call.indices(0)[0];
        const Wide whole = span / delta;  // rounded towards zero
        count = static_cast<double>(whole * delta != span && (span > 0) == (delta > 0) ? whole + 1
                                                                                       : whole);
    }
    if (!(count < static_cast<double>(kMostElements))) call.fail("got too many elements");
    return {{call.type(0).type, {static_cast<std::int64_t>(std::max(count, 0.0))}}};
}

void run_range(const OperatorCall& call, std::vector<Tensor>& outputs) {
    // ONNX defines Range as a loop, so roundings accumulate.
    if (is_real(call.type(0).type)) {
        float next = call.reals(0)[0];
        for (float& value : outputs[0].reals) {
            value = next;
            next += call.reals(2)[0];
        }
    }
    for (std::size_t i = 0; i < outputs[0].integers.size(); ++i) {
        outputs[0].integers[i] =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(call.indices(0)[0]) +
                                      i * static_cast<std::uint64_t>(call.indices(2)[0]));
    }
}

using ConstantTensor = std::shared_ptr<const Tensor>;

Tensor constant_of(const OperatorCall& call) {
    const Attributes& attributes = call.attributes();
    if (attributes.has("value")) {
        const auto value = attributes.get<ConstantTensor>("value");
        if (value != nullptr) return *value;
    }
    if (attributes.has("value_float"))
        return Tensor::of_reals({}, {attributes.real("value_float")});
    if (attributes.has("value_int")) {
        return Tensor::of_integers({}, {attributes.integer("value_int")});
    }
    if (attributes.has("value_floats")) {
        const auto values = attributes.get<std::vector<float>>("value_floats");
        return Tensor::of_reals({static_cast<std::int64_t>(values.size())}, values);
    }
    if (attributes.has("value_ints")) {
        const std::vector<std::int64_t> values = attributes.integers("value_ints");
        return Tensor::of_integers({static_cast<std::int64_t>(values.size())}, values);
    }
    call.fail(
        "expected one of the attributes {value, value_float, value_floats, value_int, "
        "value_ints}");
}

std::vector<TensorType> infer_constant(const OperatorCall& call) {
    return {constant_of(call).type};
}

void run_constant(const OperatorCall& call, std::vector<Tensor>& outputs) {
    outputs[0] = constant_of(call);
}

std::vector<TensorType> infer_constant_of_shape(const OperatorCall& call) {
    const auto value = call.attributes().get<ConstantTensor>("value");
    if (value != nullptr && value->elements() != 1) {
        call.fail("value: got " + value->type.str() + ", expected one element");
    }
    return {{value == nullptr ? ElementType::kFloat : value->type.type, call.integers("", 0)}};
}

void run_constant_of_shape(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const auto value = call.attributes().get<ConstantTensor>("value");
    if (value == nullptr) return;
    if (is_real(value->type.type)) {
        std::fill(outputs[0].reals.begin(), outputs[0].reals.end(), value->reals[0]);
    } else {
        std::fill(outputs[0].integers.begin(), outputs[0].integers.end(), value->integers[0]);
    }
}

}  // namespace

std::vector<Operator> view_operators() {
    constexpr std::uint32_t kFirst = 1, kSecond = 2;
    return {
        {"Constant", WorkKind::kFree, infer_constant, run_constant},
        {"ConstantOfShape", WorkKind::kFree, infer_constant_of_shape, run_constant_of_shape,
         nullptr, kFirst},
        {"Dropout", WorkKind::kFree, infer_dropout, run_dropout, nullptr, 4},
        {"Flatten", WorkKind::kFree, infer_flatten, run_same},
        {"Identity", WorkKind::kFree, infer_same, run_same},
        {"Range", WorkKind::kFree, infer_range, run_range, nullptr, 7},
        {"Reshape", WorkKind::kFree, infer_reshape, run_same, nullptr, kSecond},
        {"Shape", WorkKind::kFree, infer_shape, run_shape, nullptr, 0, true},
        {"Size", WorkKind::kFree, infer_size, run_size, nullptr, 0, true},
        {"Squeeze", WorkKind::kFree, infer_squeeze, run_same, nullptr, kSecond},
        {"Unsqueeze", WorkKind::kFree, infer_unsqueeze, run_same, nullptr, kSecond},
    };
}

}  // namespace tessera::network
