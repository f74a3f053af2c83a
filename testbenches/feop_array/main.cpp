// Testbench of the multiplier array of the outer-product tensor cores.
#include <algorithm>
#include <array>

#include "sc_models/cosim/feop_array_rtl.h"
#include "sc_models/pins/feop_array_pins.h"
#include "testbenches/feop_array/feop_checker.h"
#include "testbenches/feop_array/planted_feop.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::uint64_t kHalfEnd = 1U << 16U;
/// Zeros, subnormals, the ends of the normal numbers, infinities and NaNs.
constexpr std::array<HalfBits, 16> kCorners = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff,
                                               0x0400, 0x8400, 0x3c00, 0xbc00, 0x7bff, 0xfbff,
                                               0x7c00, 0xfc00, 0x7c01, 0xfe00};

enum : std::size_t { kCycle, kOperation, kPredicate, kA, kB };

Description description() {
    Description d;
    d.name = "feop_array";
    d.module = "multiplier array of a pair of outer-product tensor cores";
    d.operation = "operations";
    d.count = 4'000;
    d.has_timing = false;
    d.implementations = block_implementations();
    d.columns = {
        {"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"operation",
         Column::Kind::kChoice,
         "outer product of halves or of bits;",
         {"ohmma", "bohmma"}},
        {"predicate", Column::Kind::kNumber, "0: predicated off"},
        {"a", Column::Kind::kAddress, "half of row 0; row i has a + i"},
        {"b", Column::Kind::kAddress, "half of column 0; column j has b + j"}};
    d.errors = {{"flushed_subnormals", "subnormal halves count as zero"},
                {"ignored_predicate", "an operation that is predicated off has a result"},
                {"stuck_sign", "the last product is never negative"},
                {"stuck_bit", "bit 0 of the last row of a BOHMMA is stuck at 1"},
                {"late_result", "each result is one cycle late"}};
    d.view = "feop_array_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// Array beside float arithmetic.
class FeopTestbench final : public Testbench {
public:
    explicit FeopTestbench(Session& session)
        : session_(session),
          driver_(session,
                  make_block<pins::FeopArrayBlock, FeopArrayRtl, FeopArray, PlantedFeop>(session)),
          checker_(session, driver_) {}

private:
    void play_directed() override;
    void play_random() override;
    void finish() override { checker_.drain(); }
    void play_file(const Stimulus& stimulus) override;
    [[nodiscard]] FeopArrayInputs draw();
    [[nodiscard]] HalfBits draw_half();
    void issue(const FeopArrayInputs& in) { checker_.issue(in, next_at_++); }

    Session& session_;
    FeopDriver driver_;
    FeopChecker checker_;
    Cycle next_at_ = 0;
};

/// All pairs of corner cases, then BOHMMAs of each row and column alone.
void FeopTestbench::play_directed() {
    constexpr std::uint32_t kHalves = kCorners.size();
    for (std::uint32_t first = 0; first < kHalves; first += kOhmmaRows) {
        FeopArrayInputs in;
        for (std::uint32_t i = 0; i < kOhmmaRows; ++i) in.a[i] = kCorners[first + i];
        for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) in.b[j] = kCorners[j];
        issue(in);
    }
    for (std::uint32_t bit = 0; bit < kBohmmaSize; ++bit) {
        FeopArrayInputs in;
        in.op = FeopArrayOp::kBohmma;
        in.a[bit / 16] = static_cast<HalfBits>(1U << bit % 16);
        in.b[0] = in.b[1] = static_cast<HalfBits>(0xffff ^ (bit << 4U));
        issue(in);
    }
    session_.directed = checker_.issued();
}

/// Mostly finite halves of any exponent, and some corner cases.
HalfBits FeopTestbench::draw_half() {
    if (session_.below(16) == 0) return kCorners[session_.below(kCorners.size())];
    const auto any = static_cast<HalfBits>(session_.below(kHalfEnd));
    return (any & 0x7c00U) == 0x7c00U ? static_cast<HalfBits>(any & 0x83ffU) : any;
}

FeopArrayInputs FeopTestbench::draw() {
    FeopArrayInputs in;
    if (session_.below(4) == 0) in.op = FeopArrayOp::kBohmma;
    in.predicate = session_.below(4) != 0 ? 1 : 0;
    for (HalfBits& a : in.a) a = draw_half();
    for (HalfBits& b : in.b) b = draw_half();
    return in;
}

void FeopTestbench::play_random() {
    for (std::uint64_t n = 0; n < session_.options().count; ++n) {
        if (session_.below(16) == 0) next_at_ += session_.below(8);
        issue(draw());
        ++session_.drawn;
    }
}

void FeopTestbench::play_file(const Stimulus& stimulus) {
    for (const StimulusRow& row : stimulus.rows()) {
        if (row[kPredicate] > 1) stimulus.fail(row, kPredicate, "expected 0 or 1");
        for (const std::size_t column : {kA, kB}) {
            if (row[column] >= kHalfEnd) stimulus.fail(row, column, "expected below 2^16");
        }
        FeopArrayInputs in;
        in.op = row[kOperation] == 0 ? FeopArrayOp::kOhmma : FeopArrayOp::kBohmma;
        in.predicate = static_cast<std::uint32_t>(row[kPredicate]);
        for (std::uint32_t i = 0; i < kOhmmaRows; ++i) in.a[i] = static_cast<HalfBits>(row[kA] + i);
        for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
            in.b[j] = static_cast<HalfBits>(row[kB] + j);
        }
        next_at_ = std::max(next_at_, row[kCycle]);
        issue(in);
        ++session_.drawn;
    }
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<FeopTestbench>(argc, argv, kDescription);
}
