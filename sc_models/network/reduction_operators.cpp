// Reductions along axes: sums, norms and extremes.
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

/// Wide enough for sums of INT64.
__extension__ using Wide = __int128;

/// Accumulation and final step of a reduction; on integers the same, exactly.
struct Reduction {
    const char* name;
    double start;
    double (*add)(double so_far, double x);
    double (*finish)(double result, double count);
    std::int64_t (*integers)(const std::vector<std::int64_t>& row, ElementType type);
};

double plain(double result, double /*count*/) {
    return result;
}
double plus(double so_far, double x) {
    return so_far + x;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// NaN exceeds all numbers, as in numpy.
double larger(double a, double b) {
    return b > a || std::isnan(b) ? b : a;
}
double smaller(double a, double b) {
    return b < a || std::isnan(b) ? b : a;
}

using Row = std::vector<std::int64_t>;

/// The sum of `each` over all elements.
template <class Each>
Wide wide_sum(const Row& row, const Each& each) {
    return std::accumulate(row.begin(), row.end(), Wide{0},
                           [&](Wide sum, std::int64_t x) { return sum + each(Wide{x}); });
}
Wide identity(Wide x) {
    return x;
}
Wide magnitude(Wide x) {
    return x < 0 ? -x : x;
}
std::int64_t low_bits(Wide x) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(x));
}

std::int64_t sum_of(const Row& row, ElementType /*type*/) {
    return low_bits(wide_sum(row, identity));
}
std::int64_t magnitudes_of(const Row& row, ElementType /*type*/) {
    return low_bits(wide_sum(row, magnitude));
}
std::int64_t squares_of(const Row& row, ElementType /*type*/) {
    std::uint64_t sum = 0;
    for (const std::int64_t x : row) {
        sum += static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(x);
    }
    return static_cast<std::int64_t>(sum);
}
std::int64_t product_of(const Row& row, ElementType /*type*/) {
    std::uint64_t product = 1;
    for (const std::int64_t x : row) product *= static_cast<std::uint64_t>(x);
    return static_cast<std::int64_t>(product);
}
/// Mean rounded towards zero.
std::int64_t mean_of(const Row& row, ElementType /*type*/) {
    return row.empty() ? 0 : low_bits(wide_sum(row, identity) / static_cast<Wide>(row.size()));
}
std::int64_t norm_of(const Row& row, ElementType type) {
    double squares = 0;
    for (const std::int64_t x : row) squares += static_cast<double>(x) * static_cast<double>(x);
    return to_integer(std::sqrt(squares), type);
}
std::int64_t log_sum_of(const Row& row, ElementType type) {
    return to_integer(std::log(static_cast<double>(wide_sum(row, identity))), type);
}
std::int64_t most_of(const Row& row, ElementType type) {
    return row.empty() ? integer_range(type).first : *std::max_element(row.begin(), row.end());
}
std::int64_t least_of(const Row& row, ElementType type) {
    return row.empty() ? integer_range(type).second : *std::min_element(row.begin(), row.end());
}

const Reduction kReductions[] = {
    {"ReduceL1", 0, [](double so_far, double x) { return so_far + std::fabs(x); }, plain,
     magnitudes_of},
    {"ReduceL2", 0, [](double so_far, double x) { return so_far + x * x; },
     [](double result, double) { return std::sqrt(result); }, norm_of},
    {"ReduceLogSum", 0, plus, [](double result, double) { return std::log(result); }, log_sum_of},
    {"ReduceMax", -kInfinity, larger, plain, most_of},
    {"ReduceMean", 0, plus, [](double result, double count) { return result / count; }, mean_of},
    {"ReduceMin", kInfinity, smaller, plain, least_of},
    {"ReduceProd", 1, [](double so_far, double x) { return so_far * x; }, plain, product_of},
    {"ReduceSum", 0, plus, plain, sum_of},
    {"ReduceSumSquare", 0, [](double so_far, double x) { return so_far + x * x; }, plain,
     squares_of},
};

std::vector<TensorType> infer_reduction(const OperatorCall& call) {
    // Integers occur in computations of shapes: products and extremes of dimensions.
    const std::string& name = call.node->operation;
    const bool takes_truth_values =
        call.node->version >= 20 && (name == "ReduceMax" || name == "ReduceMin");
    if (call.type(0).type == ElementType::kBool && !takes_truth_values) call.expect_real(0);
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

/// Calls `visit(i, to)` with each input element and the output element that it is reduced into.
template <class Visit>
void for_each_reduced(const OperatorCall& call, const Visit& visit) {
    const std::vector<bool> reduced = reduced_axes(call);
    Shape kept = call.shape(0);
    for (std::size_t axis = 0; axis < kept.size(); ++axis) {
        if (reduced[axis]) kept[axis] = 1;
    }
    walk(call.shape(0), broadcast_strides(kept, call.shape(0)), visit);
}

void reduce_integers(const OperatorCall& call, const Reduction& reduction, Tensor& out) {
    std::vector<Row> rows(out.elements());
    const Row& in = call.indices(0);
    for_each_reduced(call, [&](std::size_t i, std::size_t to) { rows[to].push_back(in[i]); });
    std::transform(rows.begin(), rows.end(), out.integers.begin(),
                   [&](const Row& row) { return reduction.integers(row, out.type.type); });
}

void run_reduction(const OperatorCall& call, std::vector<Tensor>& outputs) {
    const auto* row =
        std::find_if(std::begin(kReductions), std::end(kReductions),
                     [&](const Reduction& one) { return call.node->operation == one.name; });
    if (!is_real(call.type(0).type)) {
        reduce_integers(call, *row, outputs[0]);
        return;
    }
    const std::vector<float>& in = call.reals(0);
    std::vector<double> results(outputs[0].elements(), row->start);
    for_each_reduced(
        call, [&](std::size_t i, std::size_t to) { results[to] = row->add(results[to], in[i]); });
    const double count =
        results.empty() ? 0 : static_cast<double>(in.size()) / static_cast<double>(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        outputs[0].reals[i] = static_cast<float>(row->finish(results[i], count));
    }
}

std::vector<TensorType> infer_log_sum_exp(const OperatorCall& call) {
    call.expect_real(0);
    return infer_reduction(call);
}

double two_each_of_input(const OperatorCall& call, const std::vector<TensorType>& outputs) {
    return 2 * one_each_of_input(call, outputs);
}

/// Subtracts the maximum first to avoid overflow. An infinite maximum is not subtracted:
/// differences from it would be NaN.
void run_log_sum_exp(const OperatorCall& call, std::vector<Tensor>& outputs) {
    std::vector<double> most(outputs[0].elements(), -kInfinity);
    std::vector<double> sums(most.size());
    const std::vector<float>& in = call.reals(0);
    for_each_reduced(call,
                     [&](std::size_t i, std::size_t to) { most[to] = larger(most[to], in[i]); });
    for (double& one : most) {
        if (!std::isfinite(one)) one = 0;
    }
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
