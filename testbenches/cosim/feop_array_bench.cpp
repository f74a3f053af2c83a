#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "sc_models/cosim/feop_array_rtl.h"
#include "testbenches/cosim/array_plan.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/operand_mix.h"
#include "testbenches/cosim/second_set.h"

namespace tessera {
namespace {

/// Special halves in all pairs first, then random operations of both kinds, some of them predicated
/// off, with random stalls on both sides and resets.
class FeopArrayBench final : public CosimBench {
public:
    explicit FeopArrayBench(const BenchOptions& options)
        : count_(options.count),
          directed_resets_(options.reset_every != 0),
          reset_every_(directed_resets_ ? options.reset_every : kResetEvery),
          random_(options.seed),
          fault_(options.fault),
          error_{options.stuck, options.wrong},
          meta_width_(build_for<FeopArrayRtl>(options).parameters.meta_width),
          plan_(meta_width_),
          rtl_(options.seed, build_for<FeopArrayRtl>(options)),
          signals_(options.wave, {{"valid_o", 1}, {"ready_o", 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override {
        if (step % kPhaseCycles == 0) change_phase();
        if ((directed_.done() || directed_resets_) && random_.below(reset_every_) == 0) reset();
        const bool finished = operations_ >= count_ && directed_.done();
        // An input that was not accepted stays valid.
        if (!waiting_) offer(finished);
        in_.ready = finished || receiver_.there(random_) ? 1 : 0;

        const FeopArrayOutputs expected = model_.step(in_);
        FeopArrayOutputs got = rtl_.step(error_.seen_by_rtl(in_, expected));
        plan_.cycle(in_, expected);
        scoreboard.begin_cycle(clock_cycles());
        fault_.apply(got, clock_cycles());
        compare(expected, got, scoreboard);
        signals_.draw(clock_cycles(), expected.valid, expected.ready);
        account(expected, scoreboard);
        count_cycle();
        return !finished || under_way_ > 0 || waiting_;
    }

    [[nodiscard]] std::uint64_t operations() const override { return operations_; }
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

    [[nodiscard]] std::string describe_inputs() const override {
        return fmt::format("valid={} op={} predicate={} ready={} a={:04x} b={:04x} meta={:08x}",
                           in_.valid, in_.op == FeopArrayOp::kOhmma ? "OHMMA" : "BOHMMA",
                           in_.predicate, in_.ready, fmt::join(in_.a, ","), fmt::join(in_.b, ","),
                           fmt::join(in_.meta, ","));
    }

    void summarise(std::vector<std::string>& lines) const override {
        lines.push_back(fmt::format("{} OHMMAs, {} BOHMMAs, {} predicated off", ohmmas_, bohmmas_,
                                    predicated_off_));
        lines.push_back(
            fmt::format("{} resets, {} cycles with a result nobody took, {} with an "
                        "operation not accepted",
                        resets_, stalled_, refused_));
    }

private:
    static constexpr Cycle kPhaseCycles = 256;
    static constexpr std::uint32_t kResetEvery = 500;

    /// All pairs of special halves, a row of the array each with 16 of them.
    class Directed {
    public:
        [[nodiscard]] bool done() const { return next_ >= kHalves * kHalves; }
        void fill(FeopArrayInputs& in) {
            for (std::uint32_t row = 0; row < kOhmmaRows; ++row) {
                in.a[row] = kSpecialHalves[(next_ / kHalves + row) % kHalves];
            }
            for (std::uint32_t column = 0; column < kOhmmaColumns; ++column) {
                in.b[column] = kSpecialHalves[(next_ + column) % kHalves];
            }
            next_ += kOhmmaRows;
        }

    private:
        static constexpr std::uint32_t kHalves = kSpecialHalves.size();
        std::uint32_t next_ = 0;
    };

    void change_phase() {
        const bool quiet = quiet_phase_.next([this](std::uint32_t n) { return random_.below(n); });
        random_.change();
        sender_.change(random_, quiet);
        receiver_.change(random_, quiet);
    }

    void reset() {
        start_from_reset();
        under_way_ = 0;
        waiting_ = false;
        held_product_.fill(0);
        held_bits_.fill(0);
        ++resets_;
    }

    void start_from_reset() {
        const bool skips =
            (error_.is("reset with an operation that was taken") && plan_.holds_operation()) ||
            (error_.is("reset with a result that waits") && plan_.holds_result());
        model_.reset();
        if (!skips) rtl_.reset();
        plan_.reset();
        draw_reset(signals_, 0, 1);
    }

    void offer(bool finished) {
        in_.valid = !finished && (!directed_.done() || sender_.there(random_)) ? 1 : 0;
        in_.op = FeopArrayOp::kOhmma;
        in_.predicate = 1;
        for (std::uint32_t word = 0; word < kFeopMetaWords; ++word) {
            const std::uint32_t left = meta_width_ - std::min(meta_width_, 32 * word);
            const std::uint64_t mask = (std::uint64_t{1} << std::min(left, 32U)) - 1;
            in_.meta[word] = static_cast<std::uint32_t>(random_.bits() & mask);
        }
        if (!directed_.done()) {
            if (in_.valid != 0) directed_.fill(in_);
            return;
        }
        if (random_.below(8) == 0) in_.op = FeopArrayOp::kBohmma;
        in_.predicate = random_.below(4) != 0 ? 1 : 0;
        for (HalfBits& a : in_.a) a = random_.half();
        for (HalfBits& b : in_.b) b = random_.half();
    }

    void compare(const FeopArrayOutputs& expected, const FeopArrayOutputs& got,
                 Scoreboard& scoreboard) {
        scoreboard.expect("ready_o", expected.ready, got.ready);
        scoreboard.expect("valid_o", expected.valid, got.valid);
        if (expected.valid != 0 && got.valid != 0) {
            scoreboard.expect("op_o", static_cast<std::uint32_t>(expected.op),
                              static_cast<std::uint32_t>(got.op));
            compare_words("meta_o", expected.meta, got.meta, scoreboard);
            if (expected.op == FeopArrayOp::kOhmma) {
                held_product_ = expected.product;
            } else {
                held_bits_ = expected.bits;
            }
        }
        // A result register keeps still until the next result of its own operation.
        compare_words("product_o", held_product_, got.product, scoreboard);
        compare_words("bits_o", held_bits_, got.bits, scoreboard);
    }

    template <std::size_t kCount>
    static void compare_words(std::string_view signal,
                              const std::array<std::uint32_t, kCount>& expected,
                              const std::array<std::uint32_t, kCount>& got,
                              Scoreboard& scoreboard) {
        if (expected == got) {
            scoreboard.passed(kCount);
            return;
        }
        for (std::size_t i = 0; i < kCount; ++i) scoreboard.expect(signal, i, expected[i], got[i]);
    }

    /// Counts what the model's handshakes did.
    void account(const FeopArrayOutputs& out, Scoreboard& scoreboard) {
        const bool accepted = in_.valid != 0 && out.ready != 0;
        waiting_ = in_.valid != 0 && out.ready == 0;
        refused_ += waiting_ ? 1 : 0;
        if (accepted && in_.predicate == 0) ++predicated_off_;
        if (accepted && in_.predicate != 0) {
            ++under_way_;
            scoreboard.note(in_.op == FeopArrayOp::kOhmma ? "accepted OHMMA, meta {:08x}"
                                                          : "accepted BOHMMA, meta {:08x}",
                            in_.meta[0]);
        }
        if (out.valid == 0) return;
        if (in_.ready == 0) {
            ++stalled_;
            return;
        }
        --under_way_;
        if (out.op == FeopArrayOp::kOhmma) {
            ++ohmmas_;
            operations_ += kOhmmaProducts;
        } else {
            ++bohmmas_;
        }
    }

    std::uint64_t count_;
    bool directed_resets_;
    std::uint32_t reset_every_;
    OperandMix random_;
    FaultInjector fault_;
    const ArrayError error_;          ///< of BenchOptions
    const std::uint32_t meta_width_;  ///< bits of meta_i that there are
    ArrayPlan plan_;
    FeopArray model_;
    FeopArrayRtl rtl_;
    ModelSignals signals_;

    Directed directed_;
    QuietPhase quiet_phase_;
    RandomStalls sender_, receiver_;
    FeopArrayInputs in_;
    bool waiting_ = false;
    std::array<std::uint32_t, kOhmmaProducts> held_product_{};  ///< what the register holds
    std::array<std::uint32_t, kBohmmaSize> held_bits_{};
    std::uint64_t under_way_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t ohmmas_ = 0;
    std::uint64_t bohmmas_ = 0;
    std::uint64_t predicated_off_ = 0;
    std::uint64_t resets_ = 0;
    std::uint64_t stalled_ = 0;
    std::uint64_t refused_ = 0;
};

const RegisteredBench<FeopArrayBench> kRegistered(
    "feop_array", "pair of outer-product tensor cores, OHMMA and BOHMMA", "FP16 products",
    "ready valid op meta:3 product:128 bits:32");

}  // namespace
}  // namespace tessera
