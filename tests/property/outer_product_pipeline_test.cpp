// The clocked outer-product tensor cores against the numerics and the timing that stand for them.
#include "sc_models/tensor_core/outer_product_pipeline.h"

#include <gtest/gtest.h>
#include <cstring>
#include <random>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/tensor_core/feop.h"
#include "sc_models/tensor_core/matrix_units.h"

namespace tessera {
namespace {

class Array : public FeopArrayDevice {
public:
    FeopArrayOutputs step(const FeopArrayInputs& inputs) override { return model_.step(inputs); }

private:
    FeopArray model_;
};

enum class Defect { kNone, kDropsResults, kStalls };

/// Flags are 0 or 1, as in hardware.
void expect_flags(const AccumulationBuffer::Inputs& in) {
    for (const std::uint32_t flag :
         {in.op_valid, in.op_dense, in.op_first, in.op_last, in.op_word, in.result_ready}) {
        EXPECT_LE(flag, 1U);
    }
}

class Buffer : public AccumulationDevice {
public:
    explicit Buffer(Defect defect = Defect::kNone) : defect_(defect) {}
    AccumulationBuffer::Outputs step(const AccumulationBuffer::Inputs& inputs) override {
        expect_flags(inputs);
        AccumulationBuffer::Outputs out = model_.step(inputs);
        if (defect_ == Defect::kDropsResults) out.result_valid = 0;
        if (defect_ == Defect::kStalls && inputs.op_valid != 0) out.op_ready = 0;
        return out;
    }

private:
    AccumulationBuffer model_{AccumulationBufferConfig{}};
    Defect defect_;
};

TEST(OuterProductPipeline, BitsAreTheScalarOnesAndCyclesThoseOfTheFormula) {
    constexpr unsigned kSeed = 20261121;
    SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
    std::mt19937 random(kSeed);
    OuterProductPipeline pipeline(std::make_unique<Array>(), std::make_unique<Buffer>());
    for (int round = 0; round < 200; ++round) {
        HalfBits a[kMatrixElements], b[kMatrixElements];
        float c[kMatrixElements], expected[kMatrixElements];
        for (std::uint32_t i = 0; i < kMatrixElements; ++i) {
            // Every fifth round any bits at all: infinities, NaNs, subnormals.
            const std::uint32_t mask = round % 5 == 0 ? 0xffffU : 0xbfffU;
            a[i] = static_cast<HalfBits>(random() & mask);
            b[i] = static_cast<HalfBits>(random() & mask);
            c[i] = round % 3 == 0 ? -0.0F : half_to_float(static_cast<HalfBits>(random()));
        }
        owmma_16x16x16(a, b, c, expected);
        const MatrixTiming takes = pipeline.multiply(1000, a, b, c, c);  // in place
        // Bit for bit.
        // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
        EXPECT_EQ(std::memcmp(c, expected, sizeof c), 0) << "round " << round;
        EXPECT_EQ(takes.latency, OuterProductUnit::pipeline_timing().latency);
        EXPECT_EQ(takes.initiation, 32U);
    }
}

/// The error of a product on a buffer with the defect.
std::string complaint(Defect defect) {
    OuterProductPipeline pipeline(std::make_unique<Array>(), std::make_unique<Buffer>(defect));
    const HalfBits a[kMatrixElements] = {};
    float c[kMatrixElements] = {};
    try {
        pipeline.multiply(0, a, a, c, c);
    } catch (const CheckError& error) {
        return error.what();
    }
    return "nothing";
}

TEST(OuterProductPipeline, ABlockThatLosesResultsOrStallsIsNoticed) {
    EXPECT_EQ(complaint(Defect::kNone), "nothing");
    EXPECT_EQ(complaint(Defect::kDropsResults), "outer-product tensor core: no result");
    EXPECT_EQ(complaint(Defect::kStalls), "accumulation buffer: a dense OHMMA was stalled");
}

}  // namespace
}  // namespace tessera
