#include "testbenches/feop_array/feop_checker.h"

#include <fmt/format.h>
#include <cmath>

namespace tessera::testbench {

FeopChecker::FeopChecker(Session& session, FeopDriver& driver)
    : session_(session), driver_(driver), bins_(make_bins(session.coverage)) {
    driver.operations().on_result = [this](const FeopArrayInputs& in, const FeopResult& got,
                                           Cycle begin, Cycle end) { check(in, got, begin, end); };
}

FeopChecker::Bins FeopChecker::make_bins(Coverage& c) {
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

void FeopChecker::issue(FeopArrayInputs in, Cycle at) {
    in.meta = {issued_, ~issued_, issued_ * 3};
    ++issued_;
    count(in);
    driver_.operations().issue(in, at);
}

void FeopChecker::drain() {
    driver_.operations().drain();
    if (issued_ == finished_) return;
    session_.violations({fmt::format("{} operations have no result", issued_ - finished_)});
}

void FeopChecker::count(const FeopArrayInputs& in) {
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

void FeopChecker::check(const FeopArrayInputs& in, const FeopResult& got, Cycle begin, Cycle end) {
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

void FeopChecker::check_values(const FeopArrayInputs& in, const FeopArrayOutputs& out) {
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

}  // namespace tessera::testbench
