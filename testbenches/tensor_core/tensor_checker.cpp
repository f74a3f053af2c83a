#include "testbenches/tensor_core/tensor_checker.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera::testbench {
namespace {

constexpr Cycle kProductCycles = 32;  // of a 16x16x16 product (V-A2)
constexpr double kMostCycles = 8;     // of an OHMMA: eight products meet in a bank

}  // namespace

TensorChecker::TensorChecker(Session& session, TensorDriver& driver)
    : session_(session), driver_(driver), bins_{session.coverage} {
    driver.operations().on_result = [this](const TensorOperation& operation,
                                           const TensorResult& got, Cycle begin,
                                           Cycle /*end*/) { check(operation, got, begin); };
    signals_.wave = session.observers().wave;
    if (signals_.wave == nullptr) return;
    signals_.busy = signals_.wave->add("tensor_core", "busy", 1);
    signals_.kind = signals_.wave->add("tensor_core", "operation", 2);
    signals_.warp = signals_.wave->add("tensor_core", "warp", 8);
    signals_.ohmmas = signals_.wave->add("tensor_core", "ohmmas_needed", 8);
}

void TensorChecker::issue(const TensorOperation& operation, Cycle at) {
    ++issued_;
    driver_.operations().issue(operation, at);
}

void TensorChecker::drain() {
    driver_.operations().drain();
    if (issued_ == finished_) return;
    session_.violations({fmt::format("{} operations have no answer", issued_ - finished_)});
    issued_ = finished_;
}

const TensorResult& TensorChecker::play(const TensorOperation& operation) {
    issue(operation, std::max(free_, session_.clock.now() + 1));
    drain();
    return last_;
}

void TensorChecker::check(const TensorOperation& operation, const TensorResult& got, Cycle begin) {
    ++finished_;
    last_ = got;
    Scoreboard& board = session_.scoreboard;
    board.begin_cycle(begin);
    board.note("operation {} of cycle {}, warp {}", static_cast<std::uint64_t>(operation.kind),
               begin, operation.warp);
    board.expect("response is OK", 1, got.ok ? 1 : 0);
    session_.coverage.hit_if(bins_.busy, free_ > begin);
    const Cycle start = std::max(begin, free_);
    free_ = begin + got.busy;
    if (signals_.wave != nullptr) record(operation, start, free_);
    // Cycles in which the pair works for this operation alone.
    TensorResult own = got;
    own.busy = free_ - std::min(start, free_);
    own.done = begin + got.done - std::min(start, begin + got.done);
    if (operation.kind == Kind::kProduct) {
        check_dense(*operation.values, own);
    } else {
        check_sparse(operation, own);
    }
}

void TensorChecker::check_dense(const TensorValues& values, const TensorResult& got) {
    ++products_;
    Coverage& c = session_.coverage;
    c.hit(bins_.dense);
    c.hit_if(bins_.copies, values.a != values.a_right);
    c.hit_if(bins_.summand, values.c[0][0] != 0);
    Scoreboard& board = session_.scoreboard;
    for (std::uint32_t row = 0; row < kDense; ++row) {
        for (std::uint32_t column = 0; column < kDense; ++column) {
            const std::size_t n = std::size_t{row} * kDense + column;
            board.expect("D", n, float_bits(static_cast<float>(naive_dense(values, row, column))),
                         float_bits(got.d[n]));
        }
    }
    board.expect_count("cycles of a dense product", kProductCycles, got.busy);
    board.expect("D is written when the pair is free or later", 1, got.done >= got.busy ? 1 : 0);
    session_.latency.add("dense product, until the pair is free", got.busy);
    session_.latency.add("dense product, until D is written", got.done);
}

void TensorChecker::check_sparse(const TensorOperation& operation, const TensorResult& got) {
    const SpwmmaConfig& config = session_.config().tensor_core.spwmma;
    const bool flush = operation.kind == Kind::kFlush;
    const bool resident = resident_ == operation.warp;
    const bool exchange = flush ? resident : !resident;
    Scoreboard& board = session_.scoreboard;
    // The sums of the collector, if there is one, need some cycles before the exchange.
    board.expect(
        "an exchange takes its cycles", exchange ? 1 : 0,
        exchange ? (got.swapped >= config.swap_cycles ? 1 : 0) : (got.swapped > 0 ? 1 : 0));
    if (exchange && resident_ >= 0) check_sums(static_cast<std::uint32_t>(resident_));
    Coverage& c = session_.coverage;
    c.hit_if(bins_.flush, flush && resident);
    c.hit_if(bins_.needless_flush, flush && !resident);
    if (flush) {
        if (resident) resident_ = -1;
        board.expect_count("cycles of a flush", got.swapped, got.busy);
        session_.latency.add("flush", got.done);
        return;
    }
    c.hit_if(bins_.resident, resident);
    c.hit_if(bins_.swap, !resident && resident_ >= 0);
    resident_ = operation.warp;
    ++spwmmas_;
    Sums& sums = naive_[operation.warp];
    for (std::uint32_t row = 0; row < kSparse; ++row) {
        for (std::uint32_t column = 0; column < kSparse; ++column) {
            sums[row][column] += naive_element(*operation.values, row, column);
        }
    }
    const std::uint32_t ohmmas = naive_ohmmas(*operation.values);
    ohmmas_ += ohmmas;
    c.hit(bins_.sparse);
    c.hit_if(bins_.empty, ohmmas == 0);
    c.hit_if(bins_.some, ohmmas > 0 && ohmmas < kAllOhmmas);
    c.hit_if(bins_.full, ohmmas == kAllOhmmas);
    const Cycle cycles = got.busy - std::min(got.busy, got.swapped);
    // One OHMMA a cycle, more where banks conflict; a cycle may be carried over.
    if (config.issue == SpwmmaIssue::kSequencer) {
        board.expect("a SpWMMA takes a cycle for each OHMMA or more", 1, cycles >= ohmmas ? 1 : 0);
        board.expect(
            "a SpWMMA takes at most the conflicts of full banks", 1,
            static_cast<double>(cycles) <= kMostCycles * config.ohmma_cycles * ohmmas + 1 ? 1 : 0);
    }
    session_.latency.add(ohmmas == kAllOhmmas ? "SpWMMA, dense" : "SpWMMA, sparse", cycles);
}

/// The sums that the pair wrote to the registers of a warp.
void TensorChecker::check_sums(std::uint32_t warp) {
    const TileOfSums& got = driver_.sums(warp);
    for (std::uint32_t row = 0; row < kSparse; ++row) {
        for (std::uint32_t column = 0; column < kSparse; ++column) {
            const std::size_t n = std::size_t{row} * kSparse + column;
            session_.scoreboard.expect("sum", n,
                                       float_bits(static_cast<float>(naive_[warp][row][column])),
                                       float_bits(got[n]));
        }
    }
}

void TensorChecker::finish() {
    Scoreboard& board = session_.scoreboard;
    const StatGroup& s = driver_.statistics();
    board.expect_count("dense products counted", products_, s.sum("operations"));
    board.expect_count("SpWMMAs counted", spwmmas_, s.sum("spwmmas"));
    if (session_.config().tensor_core.spwmma.granularity == OhmmaGranularity::k8x16) {
        board.expect_count("OHMMAs counted", ohmmas_, s.sum("ohmmas"));
        board.expect_count("OHMMAs skipped", kAllOhmmas * spwmmas_ - ohmmas_,
                           s.sum("ohmmas_skipped"));
    }
    std::vector<std::string> violations;
    driver_.check(violations);
    session_.violations(violations);
}

void TensorChecker::record(const TensorOperation& operation, Cycle start, Cycle free) {
    WaveRecorder& wave = *signals_.wave;
    if (free > start) wave.pulse(signals_.busy, start, free - start);
    wave.set(signals_.kind, start, static_cast<std::uint64_t>(operation.kind));
    wave.set(signals_.warp, start, operation.warp);
    const bool sparse = operation.kind == Kind::kSpwmma;
    wave.set(signals_.ohmmas, start, sparse ? naive_ohmmas(*operation.values) : 0);
}

}  // namespace tessera::testbench
