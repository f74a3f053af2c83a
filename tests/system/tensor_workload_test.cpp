// Do operators of networks run whole on the machine, at both levels of timing?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/gpu/gpu.h"
#include "sc_models/run/simulation.h"
#include "sc_models/workload/tensor/tensor_workload.h"
#include "tests/support/in_child.h"
#include "tests/support/run_problems.h"
#include "tests/support/tensor_operations.h"

namespace tessera {
namespace {

struct Columns {
    std::uint64_t images, rows, channels;
};
#ifdef __SANITIZE_ADDRESS__                // instrumented runs are slow
constexpr std::uint32_t kOperations = 12;  // a test
constexpr Columns kColumns[] = {{1, 400, 16}, {1, 3000, 33}};
#else
constexpr std::uint32_t kOperations = 2 * kTensorOperators;
constexpr Columns kColumns[] = {{1, 25600, 96}, {1, 100000, 8}, {1, 400, 16},
                                {32, 196, 512}, {1, 3000, 33},  {32, 1024, 64}};
#endif

std::string problems(const TensorOperation& operation, Timing timing, std::uint64_t seed) {
    Config config = test::small_machine(timing);
    config.values = true;
    const TensorWorkload workload(operation, config.workload, seed, true, target_machine(config));
    StatGroup statistics("gpu");
    Gpu gpu("gpu", config, statistics, {});
    workload.initialise(
        [&](Address a, const void* d, std::size_t n) { gpu.write_memory(a, d, n); });
    std::string text;
    for (const auto& kernel : workload.kernels()) {
        if (!gpu.run(*kernel).finished) text += "not complete\n";
    }
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

/// Cycles of an operator on a V100, launches included.
std::uint64_t cycles_on_v100(TensorOperator op, TensorType type, const TensorShape& shape,
                             std::uint32_t axis) {
    const std::string text = test::in_child([&] {
        const ConfigCatalog catalog;
        ConfigSource source;
        catalog.add_to(source, "v100");
        Config config = load_config(source);
        config.workload.kind = WorkloadKind::kTensor;
        config.workload.tensor.operation = op;
        config.workload.tensor.type = type;
        config.workload.tensor.shape = fmt::format("{}", fmt::join(shape, "x"));
        config.workload.tensor.axis = static_cast<std::int32_t>(axis);
        Simulation simulation(config, {});
        std::uint64_t cycles = 0;
        for (const auto& kernel : simulation.run().kernels) cycles += kernel.result.cycles;
        return std::to_string(cycles);
    });
    return std::stoull(text);
}

/// Reducing any axis takes at most twice the time of the same bytes along the last one: few results
/// of many rows and many of few, one image and several, channels that fill no warp.
TEST(TensorWorkloads, ColumnsTakeAtMostTwiceTheTimeOfRows) {
    for (const Columns& c : kColumns) {
        for (const TensorOperator op :
             {TensorOperator::kReduceMean, TensorOperator::kReduceMax, TensorOperator::kSoftmax,
              TensorOperator::kInstanceNormalization}) {
            for (const TensorType type : {TensorType::kFp16, TensorType::kFp32}) {
                const bool names_channels = op == TensorOperator::kInstanceNormalization;
                const std::uint64_t columns = cycles_on_v100(
                    op, type, {c.images, c.rows, c.channels}, names_channels ? 2 : 1);
                const std::uint64_t rows = cycles_on_v100(op, type, {c.images, c.channels, c.rows},
                                                          names_channels ? 1 : 2);
                EXPECT_LE(columns, 2 * rows)
                    << name_of(op) << (type == TensorType::kFp16 ? " fp16 " : " fp32 ") << c.images
                    << " x " << c.rows << " x " << c.channels;
            }
        }
    }
}

}  // namespace
}  // namespace tessera
