// Operators whose results are places of elements, or follow from them: extremes, ranks, sums so
// far.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

constexpr std::uint32_t kFirst = 1, kSecond = 2;

double one_each_of_input(const OperatorCall& call, const std::vector<TensorType>& /*outputs*/) {
    return static_cast<double>(call.type(0).elements());
}

void expect_numbers(const OperatorCall& call, std::size_t input) {
    if (call.type(input).type == ElementType::kBool) {
        call.fail_input(input, "got " + call.type(input).str() + ", expected numbers");
    }
}

/// Calls `visit(values)` with the input's values: floats for real numbers, else integers.
template <class Visit>
void with_input(const OperatorCall& call, std::size_t input, const Visit& visit) {
    if (is_real(call.type(input).type)) {
        visit(call.reals(input));
    } else {
        visit(call.indices(input));
    }
}

bool is_nan(float x) {
    return std::isnan(x);
}
bool is_nan(std::int64_t /*x*/) {
    return false;
}

// ArgMax and ArgMin: the first extreme of each row, or the last. NaN is the extreme, as in numpy.

std::size_t axis_of(const OperatorCall& call, std::int64_t otherwise) {
    return call.axis(call.attributes().integer("axis", otherwise), call.shape(0).size());
}

std::vector<TensorType> infer_arg_extreme(const OperatorCall& call) {
    expect_numbers(call, 0);
    Shape shape = call.shape(0);
    const std::size_t axis = axis_of(call, 0);
    if (shape[axis] == 0) call.fail_input(0, "got no elements along the axis");
    shape[axis] = 1;
    if (call.attributes().integer("keepdims", 1) == 0) {
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    return {{ElementType::kInt64, shape}};
}

void run_arg_extreme(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AxisView view(call.shape(0), axis_of(call, 0));
    const bool largest = call.node->operation == "ArgMax";
    const bool last = call.attributes().integer("select_last_index") != 0;
    with_input(call, 0, [&](const auto& in) {
        for (std::size_t row = 0; row < outputs[0].integers.size(); ++row) {
            const std::size_t first = row / view.inner * view.side * view.inner + row % view.inner;
            std::size_t best = 0;
            for (std::size_t i = 1; i < view.side; ++i) {
                const auto x = in[first + i * view.inner];
                const auto so_far = in[first + best * view.inner];
                const bool beyond = largest ? x > so_far : x < so_far;
                const bool equal = x == so_far || (is_nan(x) && is_nan(so_far));
                const bool is_new = is_nan(so_far) ? false : is_nan(x) || beyond;
                if (is_new || (last && equal)) best = i;
            }
            outputs[0].integers[row] = static_cast<std::int64_t>(best);
        }
    });
}

// TopK: the k largest or smallest elements of each row, in order; equal ones by their place

std::int64_t count_of(const OperatorCall& call) {
    if (call.node->version < 10) return call.bounded("k", -1, 0, kMostElements);
    const std::vector<std::int64_t>& given = call.indices(1);
    if (given.size() != 1) {
        call.fail_input(1, "got " + call.type(1).str() + ", expected one element");
    }
    return given[0];
}

std::vector<TensorType> infer_top(const OperatorCall& call) {
    expect_numbers(call, 0);
    Shape shape = call.shape(0);
    const std::size_t axis = axis_of(call, -1);
    const std::int64_t count = count_of(call);
    if (count < 0 || count > shape[axis]) {
        call.fail("k: got " + std::to_string(count) + ", expected 0 to " +
                  std::to_string(shape[axis]) + ", the side of the axis");
    }
    shape[axis] = count;
    return {{call.type(0).type, shape}, {ElementType::kInt64, shape}};
}

/// NaN is larger than all numbers, as in numpy's sort.
bool is_larger(float a, float b) {
    return std::isnan(a) ? !std::isnan(b) : a > b;
}
bool is_larger(std::int64_t a, std::int64_t b) {
    return a > b;
}

void run_top(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AxisView from(call.shape(0), axis_of(call, -1));
    const AxisView to(outputs[0].type.shape, axis_of(call, -1));
    const bool largest = call.attributes().integer("largest", 1) != 0;
    std::vector<std::size_t> order(from.side);
    with_values(outputs[0], call.tensor(0), [&](auto& out, const auto& in) {
        for (std::size_t row = 0; row < from.outer * from.inner; ++row) {
            const std::size_t base = row / from.inner * from.side * from.inner + row % from.inner;
            const auto at = [&](std::size_t i) { return in[base + i * from.inner]; };
            std::iota(order.begin(), order.end(), std::size_t{0});
            const auto end = order.begin() + static_cast<std::ptrdiff_t>(to.side);
            std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
                const bool less = largest ? is_larger(at(a), at(b)) : is_larger(at(b), at(a));
                const bool more = largest ? is_larger(at(b), at(a)) : is_larger(at(a), at(b));
                return less || (!more && a < b);
            });
            for (std::size_t i = 0; i < to.side; ++i) {
                const std::size_t place =
                    row / from.inner * to.side * to.inner + i * to.inner + row % from.inner;
                out[place] = at(order[i]);
                outputs[1].integers[place] = static_cast<std::int64_t>(order[i]);
            }
        }
    });
}

// CumSum

std::vector<TensorType> infer_cumulative_sum(const OperatorCall& call) {
    expect_numbers(call, 0);
    call.expect_integers(1);
    if (call.type(1).elements() != 1) {
        call.fail_input(1, "got " + call.type(1).str() + ", expected one axis");
    }
    return {call.type(0)};
}

void run_cumulative_sum(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const AxisView view(call.shape(0), call.axis(call.indices(1)[0], call.shape(0).size()));
    const bool exclusive = call.attributes().integer("exclusive") != 0;
    const bool reverse = call.attributes().integer("reverse") != 0;
    const auto add_up = [&](auto& out, const auto& in, auto sum, const auto& add) {
        const auto zero = sum;
        for (std::size_t row = 0; row < view.outer * view.inner; ++row) {
            const std::size_t base = row / view.inner * view.side * view.inner + row % view.inner;
            sum = zero;
            for (std::size_t i = 0; i < view.side; ++i) {
                const std::size_t at = base + (reverse ? view.side - 1 - i : i) * view.inner;
                const auto before = sum;
                sum = add(sum, in[at]);
                using Element = std::decay_t<decltype(out[0])>;
                out[at] = static_cast<Element>(exclusive ? before : sum);
            }
        }
    };
    if (is_real(call.type(0).type)) {
        add_up(outputs[0].reals, call.reals(0), 0.0, [](double sum, float x) { return sum + x; });
    } else {
        add_up(
            outputs[0].integers, call.indices(0), std::uint64_t{0},
            [](std::uint64_t sum, std::int64_t x) { return sum + static_cast<std::uint64_t>(x); });
    }
}

// OneHot, NonZero, EyeLike

std::vector<TensorType> infer_one_hot(const OperatorCall& call) {
    expect_numbers(call, 0);
    const std::int64_t depth = one_hot_depth(call);
    if (call.type(2).elements() != 2) {
        call.fail_input(2, "got " + call.type(2).str() + ", expected the values off and on");
    }
    Shape shape = call.shape(0);
    const std::size_t axis = call.axis(call.attributes().integer("axis", -1), shape.size() + 1);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
    return {{call.type(2).type, shape}};
}

void run_one_hot(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const std::vector<bool> chosen = one_hot_places(call);
    with_values(outputs[0], call.tensor(2), [&](auto& out, const auto& values) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[chosen[i] ? 1 : 0];
    });
}

std::vector<std::size_t> places_of_others(const OperatorCall& call) {
    std::vector<std::size_t> places;
    (void)call.tensor(0);
    with_input(call, 0, [&](const auto& in) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (in[i] != 0) places.push_back(i);
        }
    });
    return places;
}

std::vector<TensorType> infer_non_zero(const OperatorCall& call) {
    return {{ElementType::kInt64,
             {static_cast<std::int64_t>(call.shape(0).size()),
              static_cast<std::int64_t>(places_of_others(call).size())}}};
}

void run_non_zero(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const std::vector<std::size_t> places = places_of_others(call);
    const std::vector<std::size_t> strides = strides_of(call.shape(0));
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::size_t rest = places[i];
        for (std::size_t axis = 0; axis < strides.size(); ++axis) {
            outputs[0].integers[axis * places.size() + i] =
                static_cast<std::int64_t>(rest / strides[axis]);
            rest %= strides[axis];
        }
    }
}

std::vector<TensorType> infer_eye(const OperatorCall& call) {
    if (call.shape(0).size() != 2) {
        call.fail_input(0, "got shape " + shape_text(call.shape(0)) + ", expected a matrix");
    }
    if (!call.attributes().has("dtype")) return {call.type(0)};
    return {
        {element_type_of_number(call, "dtype", call.attributes().integer("dtype")), call.shape(0)}};
}

void run_eye(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const Shape& shape = call.shape(0);
    const std::int64_t k =
        std::clamp(call.attributes().integer("k"), -kMostElements, kMostElements);
    for (std::int64_t row = std::max<std::int64_t>(0, -k); row < shape[0]; ++row) {
        if (row + k >= shape[1]) break;
        const auto at = static_cast<std::size_t>(row * shape[1] + row + k);
        if (is_real(outputs[0].type.type)) {
            outputs[0].reals[at] = 1;
        } else {
            outputs[0].integers[at] = 1;
        }
    }
}

}  // namespace

std::int64_t one_hot_depth(const OperatorCall& call) {
    if (call.type(1).elements() != 1) {
        call.fail_input(1, "got " + call.type(1).str() + ", expected one element");
    }
    const Tensor& depth = call.tensor(1);
    const std::int64_t sides = is_real(depth.type.type)
                                   ? to_integer(depth.reals[0], ElementType::kInt64)
                                   : depth.integers[0];
    if (sides < 1 || sides > kMostElements) {
        call.fail_input(
            1, "got " + std::to_string(sides) + ", expected 1 to " + std::to_string(kMostElements));
    }
    return sides;
}

std::vector<bool> one_hot_places(const OperatorCall& call) {
    const std::int64_t depth = one_hot_depth(call);
    Shape shape = call.shape(0);
    const std::size_t axis = call.axis(call.attributes().integer("axis", -1), shape.size() + 1);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
    const AxisView view(shape, axis);
    std::vector<bool> chosen(element_count(shape));
    with_input(call, 0, [&](const auto& indices) {
        for (std::size_t i = 0; i < indices.size(); ++i) {
            std::int64_t index = 0;
            if constexpr (std::is_same_v<std::decay_t<decltype(indices[0])>, float>) {
                index = to_integer(indices[i], ElementType::kInt64);
            } else {
                index = indices[i];
            }
            if (index < -depth || index >= depth) continue;  // no element is on
            const auto place = static_cast<std::size_t>(index < 0 ? index + depth : index);
            chosen[(i / view.inner * view.side + place) * view.inner + i % view.inner] = true;
        }
    });
    return chosen;
}

std::vector<Operator> index_operators() {
    return {
        {"ArgMax", WorkKind::kReduction, infer_arg_extreme, run_arg_extreme, one_each_of_input},
        {"ArgMin", WorkKind::kReduction, infer_arg_extreme, run_arg_extreme, one_each_of_input},
        {"CumSum", WorkKind::kReduction, infer_cumulative_sum, run_cumulative_sum,
         one_each_of_input},
        {"EyeLike", WorkKind::kFree, infer_eye, run_eye, nullptr, 0, true},
        {"NonZero", WorkKind::kCopy, infer_non_zero, run_non_zero, nullptr, kFirst},
        {"OneHot", WorkKind::kCopy, infer_one_hot, run_one_hot, nullptr, kSecond},
        {"TopK", WorkKind::kReduction, infer_top, run_top, one_each_of_input, kSecond},
    };
}

}  // namespace tessera::network
