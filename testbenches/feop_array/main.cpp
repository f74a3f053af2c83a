// Testbench of the multiplier array of the outer-product tensor cores.
#include <fmt/format.h>
#include <algorithm>
#include <memory>

#include "sc_models/cosim/feop_array_rtl.h"
#include "sc_models/pins/feop_array_pins.h"
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

std::unique_ptr<FeopDriver::Block> make_block(Session& session) {
    std::unique_ptr<FeopDriver::Block> block;
    if (session.implementation() == "model") {
        block = std::make_unique<ModelBlock<FeopArrayInputs, FeopArrayOutputs, FeopArray>>();
    } else {
        block = make_pin_level_block<pins::FeopArrayBlock, FeopArrayRtl>(session);
    }
    if (session.options().plant.empty()) return block;
    return std::make_unique<PlantedFeop>(session, std::move(block));
}

/// Array beside float arithmetic.
class FeopTestbench final : public Testbench {
public:
    explicit FeopTestbench(Session& session)
        : session_(session), driver_(session, make_block(session)), bins_(make_bins()) {
        driver_.operations().on_result = [this](const FeopArrayInputs& in, const FeopResult& got,
                                                Cycle begin,
                                                Cycle end) { check(in, got, begin, end); };
    }

private:
    struct Bins {
        Coverage::Bin ohmma, bohmma, off, subnormal, zero, infinity, nan, zero_times_infinity;
    };
    [[nodiscard]] Bins make_bins() const;
    void play_directed() override;
    void play_random() override;
    void finish() override;
    void play_file(const Stimulus& stimulus) override;
    [[nodiscard]] FeopArrayInputs draw();
    [[nodiscard]] HalfBits draw_half();
    void issue(FeopArrayInputs in);
    void count(const FeopArrayInputs& in);
    void check(const FeopArrayInputs& in, const FeopResult& got, Cycle begin, Cycle end);
    void check_values(const FeopArrayInputs& in, const FeopArrayOutputs& out);

    Session& session_;
    FeopDriver driver_;
    const Bins bins_;
    Cycle next_at_ = 0;
    std::uint32_t issued_ = 0, finished_ = 0;
};

FeopTestbench::Bins FeopTestbench::make_bins() const {
    Coverage& c = session_.coverage;
    Bins bins{};
    bins.ohmma = c.add("ohmma", "an OHMMA with a result");
    bins.bohmma = c.add("bohmma", "a BOHMMA with a result");
    bins.off = c.add("predicated_off", "an operation that is predicated off");
    bins.subnormal = c.add("subnormal", "a product with a subnormal operand");
    bins.zero = c.add("zero", "a product of zero");
    bins.infinity = c.add("infinity", "an infinite product");
    bins.nan = c.add("nan", "a NaN operand");
    bins.zero_times_infinity = c.add("zero_times_infinity", "zero times infinity");
    return bins;
}

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
    session_.directed = issued_;
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

void FeopTestbench::finish() {
    driver_.operations().drain();
    if (issued_ == finished_) return;
    session_.violations({fmt::format("{} operations have no result", issued_ - finished_)});
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

void FeopTestbench::issue(FeopArrayInputs in) {
    in.meta = {issued_, ~issued_, issued_ * 3};
    ++issued_;
    count(in);
    driver_.operations().issue(in, next_at_++);
}

void FeopTestbench::count(const FeopArrayInputs& in) {
    Coverage& c = session_.coverage;
    c.hit_if(bins_.off, in.predicate == 0);
    if (in.predicate == 0) return;
    c.hit(in.op == FeopArrayOp::kOhmma ? bins_.ohmma : bins_.bohmma);
    if (in.op == FeopArrayOp::kBohmma) return;
    for (const HalfBits a : in.a) {
        const float x = naive_half(a), y = naive_half(in.b[0]);
        c.hit_if(bins_.subnormal, x != 0 && std::fabs(x) < 0x1p-14F);
        c.hit_if(bins_.zero, x * y == 0);
        c.hit_if(bins_.infinity, std::isinf(x * y));
        c.hit_if(bins_.nan, std::isnan(x) || std::isnan(y));
        c.hit_if(bins_.zero_times_infinity, !std::isnan(x) && !std::isnan(y) && std::isnan(x * y));
    }
}

void FeopTestbench::check(const FeopArrayInputs& in, const FeopResult& got, Cycle begin,
                          Cycle end) {
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(end);
    board.note("operation {} of cycle {}", finished_++, begin);
    board.expect("result", in.predicate, got.present ? 1 : 0);
    if (!got.present) return;
    board.describe_inputs_by([&in] {
        return fmt::format("op={} a[0]={:04x} b[0]={:04x}",
                           in.op == FeopArrayOp::kOhmma ? "OHMMA" : "BOHMMA", in.a[0], in.b[0]);
    });
    for (std::size_t n = 0; n < kFeopMetaWords; ++n) {
        board.expect("meta", n, in.meta[n], got.out.meta[n]);
    }
    check_values(in, got.out);
    board.describe_inputs_by(nullptr);
    // A bubble behind a result that waits may close, so that not every stall counts.
    board.expect("latency is at least 2", 1, got.cycles >= kFeopArrayLatency ? 1 : 0);
    board.expect("latency is at most 2 and the stalls", 1,
                 got.cycles <= kFeopArrayLatency + got.stalls ? 1 : 0);
    session_.latency.add(in.op == FeopArrayOp::kOhmma ? "OHMMA" : "BOHMMA", got.cycles);
}

void FeopTestbench::check_values(const FeopArrayInputs& in, const FeopArrayOutputs& out) {
    Scoreboard& board = session_.scoreboard;
    board.expect("op", static_cast<std::uint64_t>(in.op), static_cast<std::uint64_t>(out.op));
    if (in.op == FeopArrayOp::kOhmma) {
        for (std::uint32_t i = 0; i < kOhmmaRows; ++i) {
            for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
                const std::size_t n = std::size_t{i} * kOhmmaColumns + j;
                board.expect("product", n, naive_product(in.a[i], in.b[j]), out.product[n]);
            }
        }
        return;
    }
    for (std::uint32_t row = 0; row < kBohmmaSize; ++row) {
        for (std::uint32_t column = 0; column < kBohmmaSize; ++column) {
            board.expect("bit", std::size_t{row} * kBohmmaSize + column, naive_bit(in, row, column),
                         out.bits[row] >> column & 1U);
        }
    }
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<FeopTestbench>(argc, argv, kDescription);
}
