#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sc_models/cosim/accumulation_buffer_rtl.h"
#include "testbenches/cosim/accumulation_buffer_stimulus.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/buffer_plan.h"
#include "testbenches/cosim/drain_stimulus.h"

namespace tessera {
namespace {

/// Preloads all words, then corner cases, then random OHMMAs of both kinds, preloads and drains,
/// with random stalls at every port and resets. Ends with a drain.
class AccumulationBufferBench final : public CosimBench {
public:
    explicit AccumulationBufferBench(const BenchOptions& options)
        : count_(options.count),
          directed_resets_(options.reset_every != 0),
          reset_every_(directed_resets_ ? options.reset_every : kResetEvery),
          random_(options.seed),
          fault_(options.fault),
          error_{options.stuck, options.wrong},
          model_(AccumulationBufferConfig{}),
          rtl_(options.seed),
          signals_(options.wave, {{"op_ready_o", 1},
                                  {"preload_ready_o", 1},
                                  {"drain_ready_o", 1},
                                  {"row_valid_o", 1},
                                  {"result_valid_o", 1},
                                  {"idle_o", 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override {
        if (step % kPhaseCycles == 0) change_phase();
        if ((!stimulus_.directed() || directed_resets_) && random_.below(reset_every_) == 0)
            reset();
        const bool finished = operations_ >= count_ && !stimulus_.directed();
        choose_inputs(finished);

        const AccumulationBuffer::Outputs& expected = model_.step(in_);
        AccumulationBuffer::Outputs& got =
            rtl_.step(error_.active() ? error_.seen_by_rtl(in_, expected) : in_);
        plan_.cycle(in_, expected);
        scoreboard.begin_cycle(clock_cycles());
        fault_.apply(got, clock_cycles());
        compare(expected, got, scoreboard);
        signals_.draw(clock_cycles(), expected.op_ready, expected.preload_ready,
                      expected.drain_ready, expected.row_valid, expected.result_valid,
                      expected.idle);
        account(expected, scoreboard);
        count_cycle();
        return !finished || !drains_.drained_at_end();
    }

    [[nodiscard]] std::uint64_t operations() const override { return operations_; }
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

    [[nodiscard]] std::string describe_inputs() const override {
        return fmt::format(
            "op_valid={} dense={} first={} last={} word={} row_valid={:02x} rows={} "
            "column_valid={:04x} columns={} preload_valid={} preload_word={} drain_valid={} "
            "drain_clear={} row_ready={} result_ready={}",
            in_.op_valid, in_.op_dense, in_.op_first, in_.op_last, in_.op_word, in_.op_row_valid,
            fmt::join(in_.op_row, ","), in_.op_column_valid, fmt::join(in_.op_column, ","),
            in_.preload_valid, in_.preload_word, in_.drain_valid, in_.drain_clear, in_.row_ready,
            in_.result_ready);
    }

    void summarise(std::vector<std::string>& lines) const override {
        lines.push_back(fmt::format("{} sparse and {} dense OHMMAs, {} results, {} refusals",
                                    sparse_, dense_, results_, refused_));
        lines.push_back(fmt::format("{} preloads, {} drains, {} resets", drains_.preloads(),
                                    drains_.drains(), resets_));
    }

private:
    static constexpr Cycle kPhaseCycles = 256;
    static constexpr std::uint32_t kResetEvery = 1000;

    void change_phase() {
        const bool quiet = quiet_phase_.next([this](std::uint32_t n) { return random_.below(n); });
        stimulus_.change(random_);
        sender_.change(random_, quiet);
        row_taker_.change(random_, quiet);
        result_taker_.change(random_, quiet);
        rare_ = 1U << (quiet ? 9 : random_.below(10));
    }

    void reset() {
        start_from_reset();
        drains_.restart(in_);
        in_.op_valid = 0;
        ++resets_;
    }

    void start_from_reset() {
        const bool skips = (error_.is("reset with an OHMMA that was taken") && plan_.holds_op()) ||
                           (error_.is("reset with a result that waits") && plan_.holds_result()) ||
                           (error_.is("reset in a drain") && plan_.draining());
        model_.reset();
        if (!skips) rtl_.reset();
        plan_.reset();
        draw_reset(signals_, 1, 1, 1, 0, 0, 1);
    }

    /// Chooses new inputs; one that was not accepted stays valid.
    void choose_inputs(bool finished) {
        drains_.choose(random_, 4 * rare_, finished, in_.op_valid == 0, in_);
        if (in_.op_valid == 0 && !drains_.initialises() && !finished && sender_.there(random_)) {
            in_.op_valid = 1;
            stimulus_.next(random_, in_);
        }
        in_.row_ready = static_cast<std::uint32_t>(finished || row_taker_.there(random_));
        in_.result_ready = static_cast<std::uint32_t>(finished || result_taker_.there(random_));
    }

    static void compare(const AccumulationBuffer::Outputs& expected,
                        const AccumulationBuffer::Outputs& got, Scoreboard& scoreboard) {
        scoreboard.expect("op_ready_o", expected.op_ready, got.op_ready);
        scoreboard.expect("preload_ready_o", expected.preload_ready, got.preload_ready);
        scoreboard.expect("drain_ready_o", expected.drain_ready, got.drain_ready);
        scoreboard.expect("row_valid_o", expected.row_valid, got.row_valid);
        scoreboard.expect("result_valid_o", expected.result_valid, got.result_valid);
        scoreboard.expect("idle_o", expected.idle, got.idle);
        if (expected.row_valid != 0 && got.row_valid != 0) {
            scoreboard.expect("row_word_o", expected.row_word, got.row_word);
            compare_words("row_data_o", expected.row_data, got.row_data, scoreboard);
        }
        if (expected.result_valid != 0 && got.result_valid != 0) {
            scoreboard.expect("result_word_o", expected.result_word, got.result_word);
            compare_words("result_data_o", expected.result_data, got.result_data, scoreboard);
        }
    }

    static void compare_words(std::string_view signal,
                              const std::array<std::uint32_t, kOhmmaProducts>& expected,
                              const std::array<std::uint32_t, kOhmmaProducts>& got,
                              Scoreboard& scoreboard) {
        if (expected == got) {
            scoreboard.passed(kOhmmaProducts);
            return;
        }
        for (std::size_t i = 0; i < kOhmmaProducts; ++i) {
            scoreboard.expect(signal, i, expected[i], got[i]);
        }
    }

    /// Follows the model's handshakes.
    void account(const AccumulationBuffer::Outputs& out, Scoreboard& scoreboard) {
        if (in_.op_valid != 0 && out.op_ready != 0) {
            accept_ohmma(scoreboard);
        } else if (in_.op_valid != 0) {
            ++refused_;
        }
        drains_.follow(in_, out, scoreboard);
        if (out.result_valid != 0 && in_.result_ready != 0) ++results_;
    }

    void accept_ohmma(Scoreboard& scoreboard) {
        in_.op_valid = 0;
        if (in_.op_dense != 0) {
            ++dense_;
            operations_ += kOhmmaProducts;
            scoreboard.note("dense OHMMA, word {} first {} last {}", in_.op_word, in_.op_first,
                            in_.op_last);
            return;
        }
        ++sparse_;
        operations_ += static_cast<std::uint32_t>(__builtin_popcount(in_.op_row_valid) *
                                                  __builtin_popcount(in_.op_column_valid));
        scoreboard.note("sparse OHMMA, rows {:02x} columns {:04x}", in_.op_row_valid,
                        in_.op_column_valid);
    }

    std::uint64_t count_;
    bool directed_resets_;
    std::uint32_t reset_every_;
    OperandMix random_;
    FaultInjector fault_;
    const BufferError error_;  ///< of BenchOptions
    BufferPlan plan_;
    AccumulationBuffer model_;
    AccumulationBufferRtl rtl_;
    ModelSignals signals_;

    OhmmaStimulus stimulus_;
    DrainStimulus drains_;
    QuietPhase quiet_phase_;
    RandomStalls sender_, row_taker_, result_taker_;
    std::uint32_t rare_ = 1;
    AccumulationBuffer::Inputs in_;

    std::uint64_t operations_ = 0;
    std::uint64_t sparse_ = 0;
    std::uint64_t dense_ = 0;
    std::uint64_t results_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t resets_ = 0;
};

const RegisteredBench<AccumulationBufferBench> kRegistered(
    "accumulation_buffer", "operand collector, banks and adders for OHMMA products",
    "accumulations",
    "op_ready preload_ready drain_ready row_valid row_word row_data:128 result_valid "
    "result_word result_data:128 idle");

}  // namespace
}  // namespace tessera
