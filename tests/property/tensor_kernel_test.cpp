// Do the kernels of operators make what the golden model says, and is that what ONNX defines?
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/workload/operators/tensor_math.h"
#include "sc_models/workload/tensor/tensor_kernels.h"
#include "sc_models/workload/tensor/tensor_workload.h"
#include "tests/support/tensor_operations.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

/// Settings that operators do not read. (GCC 12 warns of the strings of a temporary.)
WorkloadConfig any_workload() {
    WorkloadConfig config;
    return config;
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t kOperations = 3 * kTensorOperators;  // slow
#else
constexpr std::uint32_t kOperations = 24 * kTensorOperators;
#endif

/// The result in a memory that holds nothing but the regions, and registers that begin as NaNs.
VerificationReport interpreted(const TensorOperation& o, std::uint64_t seed) {
    const TensorWorkload workload(o, any_workload(), seed, true, {});
    test::FlatMemory memory = test::make_memory(workload);
    for (const auto& kernel : workload.kernels()) test::interpret(*kernel, memory);
    return workload.verify(memory.reader(), TensorCoreKind::kFedp);
}

TEST(TensorKernels, ComputeTheirDefinition) {
    constexpr std::uint64_t kSeed = 7;
    test::RandomOperations operations(kSeed);
    for (std::uint32_t i = 0; i < kOperations; ++i) {
        const TensorOperation o = operations.make(i);
        SCOPED_TRACE(testing::Message()
                     << "operation " << i << ", seed " << kSeed << ": " << test::text_of(o));
        check_tensor_operation(o);
        const VerificationReport report = interpreted(o, kSeed + i);
        std::uint64_t elements = 0;
        for (const TensorShape& shape : result_shapes(o)) elements += elements_of(shape);
        EXPECT_EQ(report.outputs, elements);
        ASSERT_TRUE(report.passed())
            << report.mismatches << " other bits, " << report.scalar_mismatches
            << " beyond the bound: " << report.first_mismatch;
    }
}

/// Rows of a warp, of warps of a CTA, and rows that do not stay in registers.
TEST(TensorKernels, RowsOfAnyLength) {
    for (const TensorOperator op : {TensorOperator::kSoftmax, TensorOperator::kLayerNormalization,
                                    TensorOperator::kRmsNormalization, TensorOperator::kReduceMean,
                                    TensorOperator::kReduceMax}) {
        for (const std::uint64_t length : {1U, 31U, 1000U, 1032U, 5000U, 16384U, 20001U, 40000U}) {
            for (const TensorType type :
                 {TensorType::kFp32, TensorType::kFp16, TensorType::kBf16}) {
                TensorOperation o;
                o.op = op;
                o.type = type;
                o.operands = {{3, length}};
                o.axes = {1};
                o.beta = 1e-5F;
                if (op == TensorOperator::kLayerNormalization) o.operands.resize(3, {length});
                if (op == TensorOperator::kRmsNormalization) o.operands.resize(2, {length});
                const VerificationReport report = interpreted(o, length);
                EXPECT_TRUE(report.passed()) << test::text_of(o) << ": " << report.first_mismatch;
            }
        }
    }
}

/// With an infinity the definition subtracts it from itself; a sum of exponentials is infinite.
TEST(TensorKernels, OnePassKeepsInfinities) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    TensorOperation o;
    o.operands = {{2, 1}};
    o.axes = {0};
    for (const TensorOperator op : {TensorOperator::kSoftmax, TensorOperator::kLogSoftmax}) {
        o.op = op;
        const TensorFormula formula = formula_of(o, PassCount::kOne);
        const TensorPass& pass = formula.passes.at(0);
        for (const bool first : {false, true}) {
            const float values[] = {first ? kInfinity : 5.2F, first ? 5.2F : kInfinity};
            float ends[kMaxPassResults] = {};
            PassState sum = pass.step(pass.first, values[0], ends);
            sum = pass.join(sum, pass.step(pass.first, values[1], ends));
            pass.end(pass.join(sum, pass.first), 2, ends);
            for (const float x : values) EXPECT_TRUE(std::isnan(formula.result(&x, ends)));
        }
    }
    o.op = TensorOperator::kReduceLogSumExp;
    const TensorFormula formula = formula_of(o, PassCount::kOne);
    const TensorPass& pass = formula.passes.at(0);
    float ends[kMaxPassResults] = {};
    pass.end(pass.step(pass.step(pass.first, 5.2F, ends), kInfinity, ends), 2, ends);
    const float unread = 0;
    EXPECT_EQ(formula.result(&unread, ends), kInfinity);
}

/// Columns of a warp, of warps of a CTA and of CTAs, which leave sums for a second kernel.
TEST(TensorKernels, ColumnsOfAnyLength) {
    std::uint32_t shared = 0;
    for (const TensorOperator op :
         {TensorOperator::kSoftmax, TensorOperator::kLogSoftmax, TensorOperator::kReduceMean,
          TensorOperator::kReduceMax, TensorOperator::kReduceLogSumExp, TensorOperator::kReduceL2,
          TensorOperator::kReduceInvStdDev, TensorOperator::kInstanceNormalization}) {
        for (const TensorShape& shape :
             {TensorShape{2, 3, 40}, TensorShape{1, 1000, 1}, TensorShape{1, 5000, 8},
              TensorShape{2, 700, 33}, TensorShape{1, 4100, 96}, TensorShape{3, 50, 320},
              TensorShape{1, 30000, 2}}) {
            for (const TensorType type :
                 {TensorType::kFp32, TensorType::kFp16, TensorType::kBf16}) {
                TensorOperation o;
                o.op = op;
                o.type = type;
                o.operands = {shape};
                o.axes = {1};
                o.beta = 1e-5F;
                if (op == TensorOperator::kInstanceNormalization) {
                    o.axes = {2};
                    o.operands.resize(3, {shape[2]});
                }
                const TensorPlan plan = make_tensor_plan(o);
                shared += plan.mapping == TensorMapping::kColumns && plan.column.ctas > 1 ? 1 : 0;
                const VerificationReport report = interpreted(o, shape[1]);
                EXPECT_TRUE(report.passed()) << test::text_of(o) << ": " << report.first_mismatch;
            }
        }
    }
    EXPECT_GT(shared, 30U);
}

/// Whole tiles, cut ones, and rows that are not aligned.
TEST(TensorKernels, TranspositionsThroughSharedMemory) {
    for (const TensorShape& shape : {TensorShape{64, 64}, TensorShape{20, 7, 66},
                                     TensorShape{10, 17, 9, 40}, TensorShape{128, 66, 8}}) {
        for (const TensorType type : {TensorType::kFp32, TensorType::kFp16, TensorType::kBf16}) {
            TensorOperation o;
            o.op = TensorOperator::kTranspose;
            o.type = type;
            o.operands = {shape};
            for (std::uint32_t d = 0; d < shape.size(); ++d) o.order.insert(o.order.begin(), d);
            EXPECT_TRUE(TensorTileKernel::suits(make_tensor_plan(o))) << test::text_of(o);
            const VerificationReport report = interpreted(o, 3);
            EXPECT_TRUE(report.passed()) << test::text_of(o) << ": " << report.first_mismatch;
        }
    }
}

/// The golden model and the bound both object to a changed element, each for itself.
TEST(TensorKernels, WrongElementsAreFound) {
    TensorOperation o;
    o.op = TensorOperator::kAdd;
    o.operands = {{100}, {100}};
    const TensorWorkload workload(o, any_workload(), 1, true, {});
    test::FlatMemory memory = test::make_memory(workload);
    test::interpret(*workload.kernels()[0], memory);
    const Address result = workload.region("result0").base + 2 * 37;
    HalfBits element = 0;
    memory.read(result, &element, sizeof element);
    element = static_cast<HalfBits>(element ^ 1U);
    memory.write(result, &element, sizeof element);
    const VerificationReport report = workload.verify(memory.reader(), TensorCoreKind::kFedp);
    EXPECT_EQ(report.mismatches, 1U);
    EXPECT_NE(report.first_mismatch.find("result0[37]"), std::string::npos);

    TensorPlan wrong = make_tensor_plan(o);
    wrong.formula.result = [](const float* x, PassResults) { return x[0] + x[1] * 1.01F; };
    const VerificationReport by_definition = verify_tensor(
        o, wrong, workload.operand_values(), {workload.region("result0").base}, memory.reader());
    EXPECT_GT(by_definition.scalar_mismatches, 50U);
}

/// Sums in another order would have other bits: the golden model has the kernel's.
TEST(TensorKernels, TheOrderOfSummationShows) {
    TensorOperation o;
    o.op = TensorOperator::kReduceSum;
    o.type = TensorType::kFp32;
    o.operands = {{50, 3000}};
    o.axes = {1};
    TensorPlan plan = make_tensor_plan(o);
    const TensorWorkload workload(o, any_workload(), 5, true, {});
    const TensorValues operands = workload.operand_values();
    const TensorValues in_rows = tensor_golden(plan, operands, result_shapes(o));
    plan.mapping = TensorMapping::kElements;
    EXPECT_NE(in_rows, tensor_golden(plan, operands, result_shapes(o)));
}

TEST(TensorKernels, InfinitiesAndNansFollowIeee754) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const TensorValues operands = {{kInfinity, -kInfinity, nan, -0.0F, 70000, 1e-8F}};
    for (const TensorOperator op :
         {TensorOperator::kRelu, TensorOperator::kExp, TensorOperator::kTanh,
          TensorOperator::kSigmoid, TensorOperator::kErf, TensorOperator::kReciprocal}) {
        TensorOperation o;
        o.op = op;
        o.type = TensorType::kFp32;
        o.operands = {{6}};
        const TensorValues got = tensor_golden(make_tensor_plan(o), operands, result_shapes(o));
        EXPECT_TRUE(std::isnan(got[0][2])) << name_of(op);
        for (std::uint64_t i : {0U, 1U, 3U, 4U, 5U}) {
            const double expected = TensorDefinition(o, operands).element(0, i).value;
            EXPECT_FLOAT_EQ(got[0][i], static_cast<float>(expected)) << name_of(op) << " " << i;
        }
    }
}

/// Kernels treat rows of infinities and NaNs as the operators' definitions say.
TEST(TensorKernels, RowsOfInfinitiesAndNansAsTheyAreDefined) {
    using Op = TensorOperator;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> rows = {kInfinity,  1, -kInfinity, -kInfinity, nan,        1,  1, nan,
                                     -kInfinity, 1, kInfinity,  -kInfinity, -kInfinity, nan};
    const TensorValues operands = {rows, {rows.rbegin(), rows.rend()}};
    for (const Op op : {Op::kReduceMax, Op::kReduceMin, Op::kReduceLogSumExp, Op::kSoftmax,
                        Op::kLogSoftmax, Op::kMaxPool, Op::kMax, Op::kMin, Op::kClip, Op::kCelu,
                        Op::kHardSigmoid, Op::kThresholdedRelu}) {
        TensorOperation o;
        o.op = op;
        o.type = TensorType::kFp32;
        o.operands.assign(is_binary(op) ? 2 : 1, {7, 2});
        o.alpha = -1;
        o.beta = 2;
        if (is_reduction(op) || is_row_wise(op) || is_pool(op)) o.axes = {1};
        if (is_pool(op)) {
            o.window = {2};
            o.strides = o.dilations = {1};
            o.pads_before = o.pads_after = {0};
        }
        const TensorValues got = tensor_golden(make_tensor_plan(o), operands, result_shapes(o));
        for (std::uint64_t i = 0; i < got[0].size(); ++i) {
            const double expected = TensorDefinition(o, operands).element(0, i).value;
            if (std::isnan(expected)) {
                EXPECT_TRUE(std::isnan(got[0][i])) << name_of(op) << " " << i;
            } else {
                EXPECT_FLOAT_EQ(got[0][i], static_cast<float>(expected)) << name_of(op) << " " << i;
            }
        }
    }
    TensorOperation extreme;
    extreme.op = Op::kReduceMax;
    extreme.type = TensorType::kFp32;
    extreme.operands = {{7, 2}};
    extreme.axes = {1};
    EXPECT_TRUE(std::isnan(TensorDefinition(extreme, operands).element(0, 3).value));
    extreme.op = Op::kReduceLogSumExp;
    EXPECT_EQ(TensorDefinition(extreme, operands).element(0, 0).value, kInfinity);
    EXPECT_EQ(TensorDefinition(extreme, operands).element(0, 1).value, -kInfinity);
}

/// The first warp reads the sums of each warp, then the first thread those of the warps.
TEST(TensorKernels, SumsOfLongSoftmaxRowsMeetInTheFirstWarp) {
    TensorOperation o;
    o.op = TensorOperator::kSoftmax;
    o.type = TensorType::kFp32;
    o.operands = {{1, 2048}};
    o.axes = {1};
    const TensorWorkload workload(o, any_workload(), 1, true, {});
    test::FlatMemory memory = test::make_memory(workload);
    auto counts = test::interpret(*workload.kernels()[0], memory);
    constexpr std::uint64_t kWarps = 8, kReductions = 2;
    EXPECT_EQ(counts[Opcode::kLoadShared], kReductions * (32 + kWarps + kWarps));
    EXPECT_EQ(counts[Opcode::kStoreShared], kReductions * (kWarps + 2));
    EXPECT_EQ(counts[Opcode::kBarrier], kReductions * 4 * kWarps);
}

/// Wide vectors where alignment allows them, and one instruction for 512 bytes.
TEST(TensorKernels, LanesTakeAsMuchAsAlignmentAllows) {
    const auto loads = [](const TensorShape& a, const TensorShape& b) {
        TensorOperation o;
        o.op = TensorOperator::kMul;
        o.operands = {a, b};
        const TensorWorkload workload(o, any_workload(), 1, true, {});
        test::FlatMemory memory = test::make_memory(workload);
        return test::interpret(*workload.kernels()[0], memory)[Opcode::kLoadGlobal];
    };
    EXPECT_EQ(loads({16, 256}, {16, 256}), 16U + 16U) << "512 bytes each";
    EXPECT_EQ(loads({16, 256}, {256}), 16U + 16U);
    EXPECT_EQ(loads({16, 256}, {1}), 16U + 16U) << "one and the same for all lanes";
    EXPECT_EQ(loads({16, 256}, {16, 1}), 16U + 16U) << "and of a vector";
    EXPECT_EQ(loads({64, 68}, {64, 1}), 17U + 2 * 17U) << "vectors of 4 halves";
    EXPECT_EQ(loads({64, 63}, {63}), 16U + 8 * 15U + 6U) << "single halves";
}

/// A CTA takes 1024 halves.
TEST(TensorKernels, HaveFewerThanTwoToThe31Ctas) {
    const auto ctas_of = [](std::uint64_t rows) {
        TensorOperation o;
        o.op = TensorOperator::kRelu;
        o.operands = {{rows, 1024}};
        TensorTask task;
        task.plan = make_tensor_plan(o);
        task.addresses = {{0}, {0}, 0};
        return make_tensor_kernels(std::move(task)).at(0)->info().ctas;
    };
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 31U;
    EXPECT_EQ(ctas_of(3), 3U);
    EXPECT_EQ(ctas_of(kLimit - 1), kLimit - 1);
    EXPECT_THROW((void)ctas_of(kLimit), ConfigError);
}

/// Every neighbour on an axis that is resized counts, with a weight of 0, too, and none on an axis
/// that stays. So NaN comes from an element of weight 0, but never from another row.
TEST(TensorKernels, ResizeMultipliesByWeightsOfZero) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const TensorValues operands = {{1, nan, 2, 3, 4, 5, 6, kInfinity, -kInfinity, 7, 8, 9}};
    for (const ResizeMode mode : {ResizeMode::kNearest, ResizeMode::kLinear, ResizeMode::kCubic}) {
        for (const bool exclude_outside : {false, true}) {
            TensorOperation o;
            o.op = TensorOperator::kResize;
            o.type = TensorType::kFp32;
            o.operands = {{3, 4}};
            o.results = {{3, 8}};
            o.resize = mode;
            o.coordinates = ResizeCoordinates::kAsymmetric;
            o.rounding = ResizeRounding::kFloor;
            o.alpha = -0.75F;
            o.exclude_outside = exclude_outside;
            const TensorValues got = tensor_golden(make_tensor_plan(o), operands, result_shapes(o));
            for (std::uint64_t i = 0; i < got[0].size(); ++i) {
                const double expected = TensorDefinition(o, operands).element(0, i).value;
                EXPECT_EQ(std::isnan(got[0][i]), std::isnan(expected)) << test::text_of(o) << i;
                if (!std::isnan(expected)) {
                    EXPECT_FLOAT_EQ(got[0][i], static_cast<float>(expected)) << test::text_of(o);
                }
            }
            const bool nearest = mode == ResizeMode::kNearest;
            EXPECT_EQ(std::isnan(got[0][0]), !nearest);   // 1 x 1 + 0 x NaN
            EXPECT_FALSE(std::isnan(got[0][8]));          // 4 below it
            EXPECT_EQ(std::isnan(got[0][12]), !nearest);  // 6 x 1 + 0 x infinity
        }
    }
}

}  // namespace
}  // namespace tessera
