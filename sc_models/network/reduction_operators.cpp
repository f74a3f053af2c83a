// Sums, norms and extremes along axes.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "sc_models/network/operator_details.h"
#include "sc_models/network/walk.h"

namespace tessera::network {
namespace {

/// How elements are taken in, and what becomes of the result.
struct Reduction {
    const char* name;
    double start;
    double (*add)(double so_far, double x);
    double (*finish)(double result, double count);
};

double plain(double result, double /*count*/) {
    return result;
}
double plus(double so_far, double x) {
    return so_far + x;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Reduction kReductions[] = {
    {"ReduceL1", 0, [](double so_far, double x) { return so_far + std::fabs(x); }, plain},
    {"ReduceL2", 0, [](double so_far, double x) { return so_far + x * x; },
     [](double result, double) { return std::sqrt(result); }},
    {"ReduceLogSum", 0, plus, [](double result, double) { return std::log(result); }},
    {"ReduceMax", -kInfinity, [](double so_far, double x) { return std::max(so_far, x); }, plain},
    {"ReduceMean", 0, plus, [](double result, double count) { return result / count; }},
    {"ReduceMin", kInfinity, [](double so_far, double x) { return std::min(so_far, x); }, plain},
    {"ReduceProd", 1, [](double so_far, double x) { return so_far * x; }, plain},
    {"ReduceSum", 0, plus, plain},
    {"ReduceSumSquare", 0, [](double so_far, double x) { return so_far + x * x; }, plain},
};

std::vector<TensorType> infer_reduction(const OperatorCall& call) {
    // Integers occur in computations of shapes: products and extremes of sides.
    if (call.type(0).type == ElementType::kBool) call.expect_real(0);
    const std::vector<bool> reduced = reduced_axes(call);
    const bool keep = call.attributes().integer("keepdims", 1) != 0;
    Shape shape;
    for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
        if (!reduced[axis]) shape.push_back(call.shape(0)[axis]);
        if (reduced[axis] && keep) shape.push_back(1);
    }
    return {{call.type(0).type, shape}};
}

double one_each_of_input(const OperatorCall& call, const std::vector<TensorType>& /*outputs*/) {
    return static_cast<double>(call.type(0).elements());
}

/// Calls `visit(i, to)` with each element of the input and the element of the output it goes to.
template <class Visit>
void for_each_reduced(const OperatorCall& call, const Visit& visit) {
    const std::vector<bool> reduced = reduced_axes(call);
    Shape kept = call.shape(0);
    for (std::size_t axis = 0; axis < kept.size(); ++axis) {
        if (reduced[axis]) kept[axis] = 1;
    }
    walk(call.shape(0), broadcast_strides(kept, call.shape(0)), visit);
}

std::int64_t rounded(double value) {
    constexpr double kMost = 0x1p62;
    return static_cast<std::int64_t>(std::min(kMost, std::max(-kMost, value)));
}

void run_reduction(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const auto* row =
        std::find_if(std::begin(kReductions), std::end(kReductions),
                     [&](const Reduction& one) { return call.node->operation == one.name; });
    const Tensor& in = call.tensor(0);
    const bool reals = is_real(in.type.type);
    std::vector<double> results(outputs[0].elements(), row->start);
    for_each_reduced(call, [&](std::size_t i, std::size_t to) {
        const double x =
            reals ? static_cast<double>(in.reals[i]) : static_cast<double>(in.integers[i]);
        results[to] = row->add(results[to], x);
    });
    const double count =
        results.empty() ? 0
                        : static_cast<double>(in.elements()) / static_cast<double>(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        const double result = row->finish(results[i], count);
        if (reals) {
            outputs[0].reals[i] = static_cast<float>(result);
        } else {
            outputs[0].integers[i] = rounded(result);
        }
    }
}

std::vector<TensorType> infer_log_sum_exp(const OperatorCall& call) {
    call.expect_real(0);
    return infer_reduction(call);
}

double two_each_of_input(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    return 2 * one_each_of_input(call, outputs);
}

/// With the maximum taken out, so that nothing overflows.
void run_log_sum_exp(const OperatorCall& call, std::vector<Tensor>& outputs) {
    std::vector<double> most(outputs[0].elements(), -kInfinity);
    std::vector<double> sums(most.size());
    const std::vector<float>& in = call.reals(0);
    for_each_reduced(
        call, [&](std::size_t i, std::size_t to) { most[to] = std::max<double>(most[to], in[i]); });
    for_each_reduced(
        call, [&](std::size_t i, std::size_t to) { sums[to] += std::exp(in[i] - most[to]); });
    for (std::size_t i = 0; i < sums.size(); ++i) {
        outputs[0].reals[i] = static_cast<float>(most[i] + std::log(sums[i]));
    }
}

}  // namespace

std::vector<bool> reduced_axes(const OperatorCall& call) {
    const std::size_t rank = call.shape(0).size();
    const std::vector<std::size_t> named = call.axes(call.integers("axes", 1), rank);
    const bool all = named.empty() && call.attributes().integer("noop_with_empty_axes") == 0;
    std::vector<bool> reduced(rank, all);
    for (const std::size_t axis : named) reduced[axis] = true;
    return reduced;
}

std::vector<Operator> reduction_operators() {
    constexpr std::uint32_t kAxes = 1U << 1U;
    std::vector<Operator> all = {{"ReduceLogSumExp", WorkKind::kReduction, infer_log_sum_exp,
                                  run_log_sum_exp, two_each_of_input, kAxes}};
    for (const Reduction& one : kReductions) {
        all.push_back({one.name, WorkKind::kReduction, infer_reduction, run_reduction,
                       one_each_of_input, kAxes});
    }
    return all;
}

}  // namespace tessera::network
