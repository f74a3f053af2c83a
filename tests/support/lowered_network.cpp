#include "tests/support/lowered_network.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/workload/onednn_check.h"
#include "tests/support/warp_interpreter.h"

namespace tessera::test {

using network::Graph;
using network::Node;
using network::Tensor;
using network::TensorOf;

namespace {

/// Other types than FP16 have the kernels of Ampere's libraries.
void set_kernel(OperandType operands, WorkloadConfig& config) {
    if (operands != OperandType::kFp16) config.kernel = ProductKernel::kMultistage;
}

WorkloadConfig config_of(const LoweredLayer& layer) {
    WorkloadConfig config;
    config.kernel = ProductKernel::kAuto;
    switch (layer.kind) {
        case LoweredLayer::Kind::kConvolution:
            config.kind = WorkloadKind::kConvolution;
            config.layer = layer.layer;
            set_kernel(config.layer.operands, config);
            config.pass = layer.pass;
            break;
        case LoweredLayer::Kind::kProduct:
            config.kind = WorkloadKind::kGemm;
            config.gemm = layer.gemm;
            config.gemm.order = ResultOrder::kRows;
            config.gemm.output =
                config.gemm.operands == OperandType::kBf16 ? OutputType::kBf16 : OutputType::kFp16;
            set_kernel(config.gemm.operands, config);
            break;
        case LoweredLayer::Kind::kAttention:
            config.kind = WorkloadKind::kAttention;
            config.attention = layer.attention;
            break;
        case LoweredLayer::Kind::kOperator:
            config.kind = WorkloadKind::kTensor;
            break;
    }
    config.epilogue = layer.given.epilogue;
    config.requantization = layer.given.requantization;
    config.given_layer = std::make_shared<const GivenLayer>(layer.given);
    return config;
}

/// The first error in the results of a layer's kernels; empty if there is none.
std::string problem_of(const LoweredLayer& layer) {
    const auto workload = make_workload(config_of(layer), 1, true);
    test::FlatMemory memory = test::make_memory(*workload);
    for (const auto& kernel : workload->kernels()) test::interpret(*kernel, memory);
    const VerificationReport report = workload->verify(memory.reader());
    if (!report.checked) return "not checked";
    if (!report.passed()) return report.first_mismatch;
    if (!layer.is_product()) return "";
    const OnednnReport onednn = compare_with_onednn(*workload, memory.reader());
    if (onednn.violations == 0) return "";
    return std::to_string(onednn.violations) + " outputs beyond oneDNN's bound";
}

std::string without_place(const std::string& what) {
    const std::size_t at = what.find("): ");
    return at == std::string::npos ? what : what.substr(at + 3);
}

}  // namespace

std::vector<Tensor> lower_all(const Graph& graph, const std::vector<Tensor>& inputs,
                              EpilogueStyle style, CaseOutcome& outcome) {
    const Layouts layouts(graph);
    return network::execute(
        graph, inputs,
        [&](const Node& node, const std::vector<Tensor>&, const TensorOf& tensor_of) {
            if (!outcome.wrong.empty()) return;
            if (is_for_host(graph, node)) {
                outcome.nodes.emplace(node.operation, "host");
                return;
            }
            try {
                const std::vector<LoweredLayer> layers =
                    lower(graph, node, layouts, tensor_of, style);
                outcome.nodes.emplace(node.operation, layers.empty() ? "free" : "runs");
                for (const LoweredLayer& layer : layers) {
                    ++outcome.layers;
                    const std::string problem = problem_of(layer);
                    if (problem.empty()) continue;
                    outcome.wrong = layer.operation + " of " + layer.shape + ": " + problem;
                }
            } catch (const ConfigError& error) {
                const std::string why = without_place(error.what());
                outcome.nodes.emplace(node.operation, why);
                if (outcome.refused.empty()) outcome.refused = why;
            } catch (const CheckError& error) {
                outcome.wrong = error.what();
            }
        });
}

std::string difference(const Tensor& got, const Tensor& expected, double largest) {
    const double rounding = got.type.type == network::ElementType::kBf16 ? 0x1p-5 : 0x1p-8;
    for (std::size_t i = 0; i < got.reals.size(); ++i) {
        const double a = got.reals[i];
        const double b = expected.reals[i];
        constexpr double kMostHalf = 65504;
        const bool same = a == b || (std::isnan(a) && std::isnan(b)) ||
                          (std::fabs(b) > kMostHalf && std::fabs(a) >= kMostHalf && a * b > 0);
        if (!same && !(std::fabs(a - b) <= rounding * std::max(largest, std::fabs(b)))) {
            return "element " + std::to_string(i) + ": got " + std::to_string(a) + ", expected " +
                   std::to_string(b);
        }
    }
    return "";
}

double largest_of(const std::vector<Tensor>& tensors) {
    double largest = 1;
    for (const Tensor& tensor : tensors) {
        for (const float x : tensor.reals) {
            if (std::isfinite(x)) largest = std::max(largest, std::fabs(static_cast<double>(x)));
        }
    }
    return largest;
}

}  // namespace tessera::test
