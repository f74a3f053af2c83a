// Bench of an arithmetic unit with one enable per pipeline stage.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/operand_mix.h"
#include "testbenches/cosim/staged_plan.h"

namespace tessera {

/// `Unit` has the wrapper `Rtl`, `Operands`, `Results` (both plain), kName, kLanes (results of one
/// operation), and the functions `directed(n, operands)` (false behind the last case),
/// `draw(random)`, `expected(operands)`, `first(results)` (the result named kFirstResult),
/// `compare(expected, got, scoreboard)`, `pins()` (WordPins), `note(operands, plan)` and
/// `note(results, plan)` (halves and results for the coverage plan), and `describe(operands)`. The
/// bench runs the unit as an elastic pipeline with random bubbles, stalls and resets.
template <class Unit>
class StagedBench final : public CosimBench {
public:
    explicit StagedBench(const BenchOptions& options)
        : count_(options.count),
          directed_resets_(options.reset_every != 0),
          reset_every_(directed_resets_ ? options.reset_every : kResetEvery),
          random_(options.seed),
          fault_(options.fault),
          stuck_(options.stuck),
          wrong_(options.wrong),
          plan_(Unit::pins()),
          rtl_(options.seed),
          signals_(options.wave, {{"taken", 1}, {"en_i", kStages}, {Unit::kFirstResult, 32}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override {
        if (step % kPhaseCycles == 0) change_phase();
        if ((!directed_ || directed_resets_) && random_.below(reset_every_) == 0) reset();

        const bool finished = operations_ >= count_ && !directed_;
        choose_operands(finished);
        const bool taken = stages_[kStages - 1].valid && (finished || receiver_.there(random_));
        std::uint32_t enable = 0;
        bool moves = taken;
        for (std::uint32_t stage = kStages; stage-- > 0;) {
            moves = moves || !stages_[stage].valid;
            if (moves) enable |= 1U << stage;
        }

        typename Unit::Operands seen = operands_;
        Unit::pins().stick(seen, stuck_);
        auto got = rtl_.step(seen_enable(enable), seen);
        scoreboard.begin_cycle(clock_cycles());
        fault_.apply(got, clock_cycles());
        // Bubbles hold data, too, and stalled stages keep theirs, so outputs are compared in every
        // cycle.
        Unit::compare(stages_[kStages - 1].results, got, scoreboard);
        signals_.draw(clock_cycles(), taken, enable, Unit::first(stages_[kStages - 1].results));
        if (taken) operations_ += Unit::kLanes;
        note(enable, taken);
        move_stages(enable, scoreboard);
        count_cycle();
        return !finished || std::any_of(stages_.begin(), stages_.end(),
                                        [](const Stage& stage) { return stage.valid; });
    }

    [[nodiscard]] std::uint64_t operations() const override { return operations_; }
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }
    [[nodiscard]] std::string describe_inputs() const override { return Unit::describe(operands_); }
    void summarise(std::vector<std::string>& lines) const override {
        lines.push_back(std::to_string(resets_) + " resets, " + std::to_string(stalls_) +
                        " cycles with the last stage stalled");
    }

private:
    static constexpr std::uint32_t kStages = Unit::Rtl::kStages;
    static constexpr Cycle kPhaseCycles = 256;
    static constexpr std::uint32_t kResetEvery = 1000;

    /// Content of an RTL stage and its result; a reset leaves zeros.
    struct Stage {
        bool valid = false;
        typename Unit::Operands operands{};
        typename Unit::Results results{};
    };

    void change_phase() {
        const bool quiet = quiet_phase_.next([this](std::uint32_t n) { return random_.below(n); });
        random_.change();
        sender_.change(random_, quiet);
        receiver_.change(random_, quiet);
    }

    void reset() {
        start_from_reset();
        ++resets_;
    }

    /// Notes this cycle in the coverage plan.
    void note(std::uint32_t enable, bool taken) {
        std::uint32_t valid = 0;
        for (std::uint32_t stage = 0; stage < kStages; ++stage) {
            valid |= static_cast<std::uint32_t>(stages_[stage].valid) << stage;
        }
        plan_.cycle(enable, valid, offered_, taken);
        if (taken) Unit::note(stages_[kStages - 1].results, plan_);
        if (!offered_ || (enable & 1U) == 0) return;
        plan_.operation(operands_);
        Unit::note(operands_, plan_);
    }

    /// Returns the enables with the error that the bench has to find.
    [[nodiscard]] std::uint32_t seen_enable(std::uint32_t enable) const {
        constexpr std::uint32_t kAll = (1U << kStages) - 1, kLast = 1U << (kStages - 1);
        if ((wrong_ == "the first stage alone moves" && enable == 1) ||
            (wrong_ == "all stages but the last move" && enable == kAll - kLast)) {
            return enable & ~1U;
        }
        if (wrong_ == "no stage moves" && enable == 0) return kLast;
        return enable;
    }

    void start_from_reset() {
        if (wrong_ != "reset with a result that waits" || !plan_.holds_result()) rtl_.reset();
        plan_.reset();
        stages_.fill({});
        draw_reset(signals_, 0, 0, 0);
    }

    void choose_operands(bool finished) {
        offered_ = !finished && (directed_ || sender_.there(random_));
        if (directed_ && Unit::directed(next_directed_, operands_)) return;
        directed_ = false;
        operands_ = Unit::draw(random_);
    }

    void move_stages(std::uint32_t enable, Scoreboard& scoreboard) {
        if ((enable >> (kStages - 1) & 1U) == 0) ++stalls_;
        for (std::uint32_t stage = kStages - 1; stage > 0; --stage) {
            if ((enable >> stage & 1U) == 0) continue;
            stages_[stage] = stages_[stage - 1];
        }
        if ((enable & 1U) == 0) return;
        stages_[0] = {offered_, operands_, Unit::expected(operands_)};
        if (offered_) {
            if (directed_) ++next_directed_;
            scoreboard.note("accepted operation {}", ++accepted_);
        }
    }

    std::uint64_t count_;
    bool directed_resets_;
    std::uint32_t reset_every_;
    OperandMix random_;
    FaultInjector fault_;
    const StuckPin stuck_;     ///< of BenchOptions
    const std::string wrong_;  ///< likewise
    StagedPlan<typename Unit::Operands, kStages> plan_;
    typename Unit::Rtl rtl_;
    ModelSignals signals_;

    QuietPhase quiet_phase_;
    RandomStalls sender_, receiver_;
    bool directed_ = true;
    std::uint32_t next_directed_ = 0;
    bool offered_ = false;
    typename Unit::Operands operands_{};
    std::array<Stage, kStages> stages_{};
    std::uint64_t accepted_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t resets_ = 0;
    std::uint64_t stalls_ = 0;
};

}  // namespace tessera
