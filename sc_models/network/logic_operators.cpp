// Elementwise comparisons, logic, selections and type conversions.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

double one_each(const OperatorCall& /*call*/, const std::vector<TensorType>& outputs) {
    return static_cast<double>(outputs[0].elements());
}

/// A relation of two broadcast operands, for each kind of values.
struct Relation {
    const char* name;
    bool (*reals)(float a, float b);
    bool (*integers)(std::int64_t a, std::int64_t b);
    bool of_truth_values = false;
};

template <class Holds>
Relation relation(const char* name, const Holds& holds, bool of_truth_values = false) {
    return {name, holds, holds, of_truth_values};
}

const Relation kRelations[] = {
    relation(
        "And", [](auto a, auto b) { return a != 0 && b != 0; }, true),
    relation("Equal", [](auto a, auto b) { return a == b; }),
    relation("Greater", [](auto a, auto b) { return a > b; }),
    relation("GreaterOrEqual", [](auto a, auto b) { return a >= b; }),
    relation("Less", [](auto a, auto b) { return a < b; }),
    relation("LessOrEqual", [](auto a, auto b) { return a <= b; }),
    relation(
        "Or", [](auto a, auto b) { return a != 0 || b != 0; }, true),
    relation(
        "Xor", [](auto a, auto b) { return (a != 0) != (b != 0); }, true),
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

template <class Element, class Holds>
void relate(const OperatorCall& call, Tensor& out, std::vector<Element> Tensor::*values,
            const Holds& holds) {
    const Shape& shape = out.type.shape;
    std::vector<Element> left(out.elements());
    const std::vector<Element>& a = call.tensor(0).*values;
    const std::vector<Element>& b = call.tensor(1).*values;
    walk(shape, broadcast_strides(call.shape(0), shape),
         [&](std::size_t i, std::size_t from) { left[i] = a[from]; });
    walk(shape, broadcast_strides(call.shape(1), shape), [&](std::size_t i, std::size_t from) {
        out.integers[i] = holds(left[i], b[from]) ? 1 : 0;
    });
}

void run_relation(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Relation& relation = relation_of(call);
    if (is_real(call.type(0).type)) {
        relate(call, outputs[0], &Tensor::reals, relation.reals);
    } else {
        relate(call, outputs[0], &Tensor::integers, relation.integers);
    }
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

// Tests of real numbers for NaN and infinities

std::vector<TensorType> infer_test(const OperatorCall& call) {
    call.expect_real(0);
    return {{ElementType::kBool, call.shape(0)}};
}

void run_is_nan(const OperatorCall& call, std::vector<Tensor>& outputs) {
    std::transform(call.reals(0).begin(), call.reals(0).end(), outputs[0].integers.begin(),
                   [](float x) { return std::isnan(x) ? 1 : 0; });
}

void run_is_infinite(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const bool positive = call.attributes().integer("detect_positive", 1) != 0;
    const bool negative = call.attributes().integer("detect_negative", 1) != 0;
    std::transform(call.reals(0).begin(), call.reals(0).end(), outputs[0].integers.begin(),
                   [=](float x) { return std::isinf(x) && (x > 0 ? positive : negative) ? 1 : 0; });
}

// Bits of integers

std::vector<TensorType> infer_bits(const OperatorCall& call) {
    if (!is_byte(call.type(0).type)) expect_index_type(call, 0);
    for (std::size_t input = 1; input < call.inputs(); ++input) call.expect_same_type(0, input);
    return {{call.type(0).type, broadcast_shape(call)}};
}

void run_bits(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const std::string& name = call.node->operation;
    std::vector<std::int64_t>& out = outputs[0].integers;
    const Shape& shape = outputs[0].type.shape;
    walk(shape, broadcast_strides(call.shape(0), shape), [&](std::size_t i, std::size_t from) {
        const std::int64_t x = call.indices(0)[from];
        out[i] = name == "BitwiseNot" ? ~x : x;
    });
    if (name == "BitwiseNot") return;
    walk(shape, broadcast_strides(call.shape(1), shape), [&](std::size_t i, std::size_t from) {
        const std::int64_t y = call.indices(1)[from];
        out[i] = name == "BitwiseAnd" ? out[i] & y : name == "BitwiseOr" ? out[i] | y : out[i] ^ y;
    });
}

// Conversions of types

std::vector<TensorType> infer_cast(const OperatorCall& call) {
    return {{element_type_of_number(call, "to", call.attributes().integer("to")), call.shape(0)}};
}

std::vector<TensorType> infer_cast_like(const OperatorCall& call) {
    return {{call.type(1).type, call.shape(0)}};
}

void run_cast(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Tensor& from = call.tensor(0);
    Tensor& to = outputs[0];
    for (std::size_t i = 0; i < to.elements(); ++i) {
        if (is_real(to.type.type)) {
            to.reals[i] =
                is_real(from.type.type) ? from.reals[i] : static_cast<float>(from.integers[i]);
        } else if (is_real(from.type.type)) {
            to.integers[i] = to_integer(from.reals[i], to.type.type);
        } else {  // round_to_type() drops high bits later
            const bool truth = to.type.type == ElementType::kBool;
            to.integers[i] = truth ? from.integers[i] != 0 : from.integers[i];
        }
    }
}

}  // namespace

ElementType element_type_of_number(const OperatorCall& call, const char* attribute,
                                   std::int64_t number) {
    switch (number) {
        case 1:
            return ElementType::kFloat;
        case 2:
            return ElementType::kUint8;
        case 3:
            return ElementType::kInt8;
        case 6:
            return ElementType::kInt32;
        case 7:
            return ElementType::kInt64;
        case 9:
            return ElementType::kBool;
        case 10:
            return ElementType::kHalf;
        case 16:
            return ElementType::kBf16;
        default:
            call.fail(std::string(attribute) + ": got type " + std::to_string(number) +
                      ", expected one of {1 (FLOAT), 2 (UINT8), 3 (INT8), 6 (INT32), 7 (INT64), 9 "
                      "(BOOL), 10 (FLOAT16), 16 (BFLOAT16)}");
    }
}

std::pair<std::int64_t, std::int64_t> integer_range(ElementType type) {
    switch (type) {
        case ElementType::kBool:
            return {0, 1};
        case ElementType::kInt8:
            return {INT8_MIN, INT8_MAX};
        case ElementType::kUint8:
            return {0, UINT8_MAX};
        case ElementType::kInt32:
            return {INT32_MIN, INT32_MAX};
        default:
            return {INT64_MIN, INT64_MAX};
    }
}

std::int64_t to_integer(double value, ElementType type) {
    if (type == ElementType::kBool) return value != 0 ? 1 : 0;
    // Integers of 8 bits are the low bits of one of 32, which the caller keeps.
    if (is_byte(type)) type = ElementType::kInt32;
    const double limit = type == ElementType::kInt32 ? 0x1p31 : 0x1p63;
    // The least integer is exact; values below it fit only if truncation leads back to it.
    const double whole = std::trunc(value);
    if (!(whole >= -limit && whole < limit)) return integer_range(type).first;
    return static_cast<std::int64_t>(whole);
}

std::vector<Operator> logic_operators() {
    std::vector<Operator> all = {
        {"Cast", WorkKind::kElementwise, infer_cast, run_cast, one_each},
        {"CastLike", WorkKind::kElementwise, infer_cast_like, run_cast, one_each},
        {"IsInf", WorkKind::kElementwise, infer_test, run_is_infinite, one_each},
        {"IsNaN", WorkKind::kElementwise, infer_test, run_is_nan, one_each},
        {"Not", WorkKind::kElementwise, infer_not, run_not, one_each},
        {"Where", WorkKind::kElementwise, infer_where, run_where, one_each}};
    for (const char* const name : {"BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor"}) {
        all.push_back({name, WorkKind::kElementwise, infer_bits, run_bits, one_each});
    }
    for (const Relation& relation : kRelations) {
        all.push_back(
            {relation.name, WorkKind::kElementwise, infer_relation, run_relation, one_each});
    }
    return all;
}

}  // namespace tessera::network
