// Do operators of networks run whole on the machine, at both levels of timing?
#include <gtest/gtest.h>

#include "sc_models/gpu/gpu.h"
#include "sc_models/run/simulation.h"
#include "sc_models/workload/tensor_workload.h"
#include "tests/support/in_child.h"
#include "tests/support/run_problems.h"
#include "tests/support/tensor_operations.h"

namespace tessera {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t kOperations = 12;  // of a test: slow
#else
constexpr std::uint32_t kOperations = 3 * kTensorOperators;
#endif

std::string problems(const TensorOperation& operation, Timing timing, std::uint64_t seed) {
    Config config = test::small_machine(timing);
    config.values = true;
    const TensorWorkload workload(operation, config.workload, seed, true, target_machine(config));
    StatGroup statistics("gpu");
    Gpu gpu("gpu", config, statistics, {});
    workload.initialise(
        [&](Address a, const void* d, std::size_t n) { gpu.write_memory(a, d, n); });
    std::string text = gpu.run(*workload.kernels()[0]).finished ? "" : "not complete\n";
    std::vector<std::string> violations;
    gpu.check(violations);
    for (const std::string& violation : violations) text += violation + "\n";
    const VerificationReport report =
        workload.verify([&](Address a, void* d, std::size_t n) { gpu.read_memory(a, d, n); },
                        TensorCoreKind::kFedp);
    if (report.outputs == 0) text += "not checked\n";
    return text + (report.passed() ? "" : report.first_mismatch);
}

class TensorOperators : public testing::TestWithParam<std::tuple<Timing, std::uint32_t>> {};

TEST_P(TensorOperators, AreBitExactAndWithinTheBoundOfTheirDefinition) {
    const auto [timing, part] = GetParam();
    test::RandomOperations operations(100 + part);
    for (std::uint32_t i = 0; i < kOperations; ++i) {
        const TensorOperation o = operations.make(part + 4 * i);
        SCOPED_TRACE(testing::Message()
                     << "operation " << i << " of part " << part << ": " << test::text_of(o));
        EXPECT_EQ(test::in_child([&, level = timing] { return problems(o, level, i); }), "");
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, TensorOperators,
    testing::Combine(testing::Values(Timing::kLooselyTimed, Timing::kApproximatelyTimed),
                     testing::Range(0U, 4U)),
    [](const auto& param) {
        return std::string(std::get<0>(param.param) == Timing::kLooselyTimed ? "lt" : "at") + "_" +
               std::to_string(std::get<1>(param.param));
    });

/// Many CTAs on an SM, each with registers of its own.
TEST(TensorWorkloads, WarpsKeepTheirRegistersApart) {
    for (const TensorOperator op :
         {TensorOperator::kLayerNormalization, TensorOperator::kBatchNormalization}) {
        TensorOperation o;
        o.op = op;
        o.operands = {{200, 8}};
        o.operands.resize(op == TensorOperator::kLayerNormalization ? 3 : 5, {8});
        o.axes = {1};
        o.beta = 1e-5F;
        EXPECT_EQ(test::in_child([&] { return problems(o, Timing::kLooselyTimed, 1); }), "")
            << name_of(op);
    }
}

/// Whether values are simulated does not change when things happen.
TEST(TensorWorkloads, ValuesCostNoCycles) {
    for (const char* const shape : {"8x30x50", "4x7x9x33"}) {
        for (const TensorOperator op :
             {TensorOperator::kAdd, TensorOperator::kTranspose, TensorOperator::kSoftmax,
              TensorOperator::kMaxPool, TensorOperator::kReduceSum, TensorOperator::kSlice}) {
            const auto cycles = [&](bool values) {
                return test::in_child([&] {
                    Config config = test::small_machine(Timing::kLooselyTimed);
                    config.values = values;
                    config.workload.kind = WorkloadKind::kTensor;
                    config.workload.tensor.operation = op;
                    config.workload.tensor.shape = std::string(shape);
                    Simulation simulation(config, {});
                    return std::to_string(simulation.run().kernels[0].result.cycles);
                });
            };
            EXPECT_EQ(cycles(true), cycles(false)) << name_of(op) << " " << shape;
        }
    }
}

/// Streams of large tensors are bound by DRAM: what it moves is what the operator names, and in at
/// most a fifth more than the time that takes.
TEST(TensorWorkloads, LargeTensorsWaitForDram) {
    for (const TensorOperator op :
         {TensorOperator::kAdd, TensorOperator::kSoftmax, TensorOperator::kTranspose}) {
        const std::string text = test::in_child([&]() -> std::string {
            Config config;
            config.workload.kind = WorkloadKind::kTensor;
            config.workload.tensor.operation = op;
            config.workload.tensor.shape = std::string("8192x2048");
            Simulation simulation(config, {});
            const RunReport report = simulation.run();
            for (const auto& share : report.kernels[0].limits.shares) {
                if (share.unit == "DRAM" && share.percent >= 80) return "";
                if (share.unit == "DRAM") return std::to_string(share.percent) + " % of DRAM";
            }
            return "no share of DRAM";
        });
        EXPECT_EQ(text, "") << name_of(op);
    }
}

}  // namespace
}  // namespace tessera
