// Comparisons, logic, choices and conversions, element by element.
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "sc_models/network/operators.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

double one_each(const OperatorCall& /*call*/, const std::vector<TensorType>& outputs) {
    return static_cast<double>(outputs[0].elements());
}

/// A relation of two operands that are broadcast.
struct Relation {
    const char* name;
    bool (*holds)(double a, double b);
    bool of_truth_values = false;
};

const Relation kRelations[] = {
    {"And", [](double a, double b) { return a != 0 && b != 0; }, true},
    {"Equal", [](double a, double b) { return a == b; }},
    {"Greater", [](double a, double b) { return a > b; }},
    {"GreaterOrEqual", [](double a, double b) { return a >= b; }},
    {"Less", [](double a, double b) { return a < b; }},
    {"LessOrEqual", [](double a, double b) { return a <= b; }},
    {"Or", [](double a, double b) { return a != 0 || b != 0; }, true},
    {"Xor", [](double a, double b) { return (a != 0) != (b != 0); }, true},
};

const Relation& relation_of(const OperatorCall& call) {
    const Relation* row = std::begin(kRelations);
    while (call.node->operation != row->name) ++row;
    return *row;
}

void expect_truth_value(const OperatorCall& call, std::size_t input) {
    if (call.type(input).type != ElementType::kBool) {
        call.fail_input(input, "got " + call.type(input).str() + ", expected BOOL");
    }
}

std::vector<TensorType> infer_relation(const OperatorCall& call) {
    call.expect_same_type(0, 1);
    if (relation_of(call).of_truth_values) expect_truth_value(call, 0);
    return {{ElementType::kBool, broadcast_shape(call)}};
}

double value_at(const Tensor& tensor, std::size_t i) {
    return is_real(tensor.type.type) ? static_cast<double>(tensor.reals[i])
                                     : static_cast<double>(tensor.integers[i]);
}

void run_relation(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Relation& relation = relation_of(call);
    const Shape& shape = outputs[0].type.shape;
    std::vector<double> left(outputs[0].elements());
    walk(shape, broadcast_strides(call.shape(0), shape),
         [&](std::size_t i, std::size_t from) { left[i] = value_at(call.tensor(0), from); });
    walk(shape, broadcast_strides(call.shape(1), shape), [&](std::size_t i, std::size_t from) {
        outputs[0].integers[i] = relation.holds(left[i], value_at(call.tensor(1), from)) ? 1 : 0;
    });
}

std::vector<TensorType> infer_not(const OperatorCall& call) {
    expect_truth_value(call, 0);
    return {call.type(0)};
}

void run_not(const OperatorCall& call, std::vector<Tensor>& outputs) {
    for (std::size_t i = 0; i < outputs[0].integers.size(); ++i) {
        outputs[0].integers[i] = call.indices(0)[i] == 0 ? 1 : 0;
    }
}

std::vector<TensorType> infer_where(const OperatorCall& call) {
    expect_truth_value(call, 0);
    call.expect_same_type(1, 2);
    return {{call.type(1).type, broadcast_shape(call)}};
}

void run_where(const OperatorCall& call, std::vector<Tensor>& outputs) {
    Tensor& out = outputs[0];
    const Shape& shape = out.type.shape;
    std::vector<bool> condition(out.elements());
    walk(shape, broadcast_strides(call.shape(0), shape),
         [&](std::size_t i, std::size_t from) { condition[i] = call.indices(0)[from] != 0; });
    for (const bool chosen : {true, false}) {
        const std::size_t input = chosen ? 1 : 2;
        with_values(out, call.tensor(input), [&](auto& to, const auto& values) {
            walk(shape, broadcast_strides(call.shape(input), shape),
                 [&](std::size_t i, std::size_t from) {
                     if (condition[i] == chosen) to[i] = values[from];
                 });
        });
    }
}

// Conversions of types

/// ONNX's numbers of the types (TensorProto.DataType).
ElementType type_of_number(const OperatorCall& call, std::int64_t number) {
    switch (number) {
        case 1:
            return ElementType::kFloat;
        case 6:
            return ElementType::kInt32;
        case 7:
            return ElementType::kInt64;
        case 9:
            return ElementType::kBool;
        case 10:
            return ElementType::kHalf;
        default:
            call.fail(
                "to: got type " + std::to_string(number) +
                ", expected one of {1 (FLOAT), 6 (INT32), 7 (INT64), 9 (BOOL), 10 (FLOAT16)}");
    }
}

std::vector<TensorType> infer_cast(const OperatorCall& call) {
    return {{type_of_number(call, call.attributes().integer("to")), call.shape(0)}};
}

std::vector<TensorType> infer_cast_like(const OperatorCall& call) {
    return {{call.type(1).type, call.shape(0)}};
}

/// What does not fit, which ONNX leaves open, becomes the nearest that does, and no number zero.
std::int64_t to_integer(double value, ElementType type) {
    if (type == ElementType::kBool) return value != 0 ? 1 : 0;
    const double limit = type == ElementType::kInt32 ? 0x1p31 : 0x1p63;
    if (std::isnan(value)) return 0;
    if (value <= -limit) return type == ElementType::kInt32 ? INT32_MIN : INT64_MIN;
    if (value >= limit) return type == ElementType::kInt32 ? INT32_MAX : INT64_MAX;
    return static_cast<std::int64_t>(value);
}

void run_cast(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Tensor& from = call.tensor(0);
    Tensor& to = outputs[0];
    const bool exact = !is_real(from.type.type) && to.type.type == ElementType::kInt64;
    for (std::size_t i = 0; i < to.elements(); ++i) {
        if (exact) {
            to.integers[i] = from.integers[i];
        } else if (is_real(to.type.type)) {
            to.reals[i] = static_cast<float>(value_at(from, i));
        } else {
            to.integers[i] = to_integer(value_at(from, i), to.type.type);
        }
    }
}

}  // namespace

std::vector<Operator> logic_operators() {
    std::vector<Operator> all = {
        {"Cast", WorkKind::kElementwise, infer_cast, run_cast, one_each},
        {"CastLike", WorkKind::kElementwise, infer_cast_like, run_cast, one_each},
        {"Not", WorkKind::kElementwise, infer_not, run_not, one_each},
        {"Where", WorkKind::kElementwise, infer_where, run_where, one_each}};
    for (const Relation& relation : kRelations) {
        all.push_back(
            {relation.name, WorkKind::kElementwise, infer_relation, run_relation, one_each});
    }
    return all;
}

}  // namespace tessera::network
