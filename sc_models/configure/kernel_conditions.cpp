#include "sc_models/configure/kernel_conditions.h"

#include <array>
#include <utility>

#include "sc_models/config/config.h"
#include "sc_models/workload/depthwise/depthwise_geometry.h"
#include "sc_models/workload/operators/tensor_operation.h"

namespace tessera {
namespace {

TensorOperator operator_of(const Config& config) {
    return config.workload.tensor.operation;
}

/// Depthwise kernels have one order of sums.
constexpr KeyCondition kNotDepthwise = {"a layer and a workload.kernel that are not depthwise",
                                        [](const Config& c) { return !is_depthwise(c.workload); }};
constexpr KeyCondition kOtherTensor = {
    "two operands, gather or expand (workload.tensor.operation)", [](const Config& c) {
        const TensorOperator op = operator_of(c);
        return is_binary(op) || is_of_several(op) || op == TensorOperator::kExpand ||
               op == TensorOperator::kGather;
    }};
constexpr KeyCondition kAxis = {"an operation along an axis (workload.tensor.operation)",
                                [](const Config& c) { return has_axis(operator_of(c)); }};
constexpr KeyCondition kPool = {"a pool (workload.tensor.operation)",
                                [](const Config& c) { return is_pool(operator_of(c)); }};
constexpr KeyCondition kPadded = {"a pool or pad (workload.tensor.operation)", [](const Config& c) {
                                      return is_pool(operator_of(c)) ||
                                             operator_of(c) == TensorOperator::kPad;
                                  }};
/// The first operand has the pattern of workload.activations.
constexpr KeyCondition kWeights = {
    "several operands (workload.tensor.operation)", [](const Config& c) {
        return c.workload.kind != WorkloadKind::kTensor || !c.workload.given.file.empty() ||
               operation_of(c.workload.tensor).operands.size() > 1;
    }};

constexpr std::array<std::pair<std::string_view, KeyCondition>, 7> kConditions = {
    {{"workload.sum_order", kNotDepthwise},
     {"workload.tensor.other", kOtherTensor},
     {"workload.tensor.axis", kAxis},
     {"workload.tensor.window", kPool},
     {"workload.tensor.stride", kPool},
     {"workload.tensor.pad", kPadded},
     {"workload.weights", kWeights}}};

}  // namespace

std::vector<KeyCondition> kernel_conditions_of(std::string_view key) {
    std::vector<KeyCondition> conditions;
    for (const auto& [name, condition] : kConditions) {
        if (name == key) conditions.push_back(condition);
    }
    return conditions;
}

}  // namespace tessera
