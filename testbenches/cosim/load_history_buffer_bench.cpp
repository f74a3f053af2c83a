// Bench of the RTL load history buffer against its model.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <deque>

#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/pins/clocked_load_history_buffer.h"
#include "testbenches/cosim/history_plan.h"
#include "testbenches/cosim/phased_bench.h"

namespace tessera {
namespace {

using Rtl = LoadHistoryBufferRtl;

class LoadHistoryBufferBench final
    : public PhasedBench<LoadHistoryBufferRtl, ClockedLoadHistoryBuffer> {
public:
    explicit LoadHistoryBufferBench(const BenchOptions& options)
        : PhasedBench(options, build_for<Rtl>(options).parameters.max_entries,
                      build_for<Rtl>(options).parameters.max_ways, false),
          stuck_(options.stuck),
          wrong_(options.wrong),
          plan_(parameters_),
          signals_(options.wave, {{"valid_entries", parameters_.log_entries() + 1},
                                  {"phase", 32},
                                  {"setup_ready_o", 1},
                                  {"setup_error_o", 1},
                                  {"in_ready_o", 1},
                                  {"out_valid_o", 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
        begin_phase();
    }

    [[nodiscard]] std::string describe_inputs() const override;
    void summarise(std::vector<std::string>& lines) const override;
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

private:
    static constexpr auto kNoOperation = static_cast<Rtl::Op>(3);

    void start_from_reset() override;
    void begin_phase() override;
    void choose_operation();
    void offer_setup();
    [[nodiscard]] std::uint32_t random_register() {
        return (first_register_ + pick(registers_)) & (parameters_.max_registers() - 1);
    }
    void spoil_setup_pins();
    void choose_inputs(bool more) override;
    void choose_offer();
    void spoil_idle_pins() override;
    void copy_setup(const Inputs& from, Inputs& to) const override {
        to.setup_keep = from.setup_keep;
        to.setup_log_sets = from.setup_log_sets;
        to.setup_log_ways = from.setup_log_ways;
        to.setup_shift = from.setup_shift;
        to.setup_fold = from.setup_fold;
    }
    void note_offers() override;
    [[nodiscard]] Inputs seen_by_rtl() const override;
    [[nodiscard]] LhbKey random_key();
    void take_edge(const Outputs& out, Scoreboard& scoreboard) override;
    void count_result(const Outputs& expected, Scoreboard& scoreboard);
    void compare(const Outputs& expected, const Outputs& got, Scoreboard& scoreboard) override;
    void draw(const Outputs& expected) override;
    void note_reset() override { plan_.hit_if(plan_.reset, !under_way_.empty()); }
    [[nodiscard]] bool busy() const override { return !model_.idle(); }

    const StuckPin stuck_;
    const std::string wrong_;  ///< BenchOptions::wrong
    HistoryPlan plan_;
    std::deque<Rtl::Op> under_way_;  ///< operations without result, oldest first
    ModelSignals signals_;

    // Probabilities of the phase, in 1/256.
    std::uint32_t offer_ = 256, take_ = 256, clear_ = 0;
    std::array<std::uint32_t, 3> mix_{};  ///< lookup, insertion, release; of 256
    std::uint32_t keys_ = 1, spread_bits_ = 0, registers_ = 1, first_register_ = 0;
    LhbKey key_bits_;  ///< turned round in all keys

    std::array<LhbKey, 4> recent_{};
    std::uint32_t recent_phys_ = 0;
    std::array<std::uint64_t, 4> done_{};  ///< by operation
    std::uint64_t found_ = 0, same_key_ = 0, clears_ = 0;
};

void LoadHistoryBufferBench::begin_phase() {
    ++phases_;
    left_ = 200 + pick(kPhaseCycles);
    offer_setup();
    in_.setup_fold = pick(2) != 0;
    in_.setup_shift = static_cast<std::uint8_t>(pick(8) == 0 ? pick(32) : pick(6));
    in_.setup_log_ways = static_cast<std::uint8_t>(pick(parameters_.log_ways() + 1));
    const std::uint32_t log_entries =
        in_.setup_log_ways + pick(parameters_.log_entries() + 1 - in_.setup_log_ways);
    in_.setup_log_sets = static_cast<std::uint8_t>(log_entries - in_.setup_log_ways);
    if (pick(12) == 0) {  // too large
        in_.setup_log_sets = static_cast<std::uint8_t>(pick(16));
        in_.setup_log_ways = static_cast<std::uint8_t>(pick(8));
        left_ = std::min(left_, 300U);
    }
    const std::uint32_t entries = 1u << log_entries;
    keys_ = 1 + pick(2 * entries + 2);
    spread_bits_ = pick(3) == 0 ? pick(40) : in_.setup_shift;
    key_bits_ = pick(2) == 0 ? LhbKey{} : LhbKey{rng_(), rng_()};
    first_register_ = pick(2) == 0 ? 0 : pick(parameters_.max_registers());
    registers_ = std::min(parameters_.max_registers(), entries + 1 + pick(2 * entries + 8));
    mix_ = {64 + pick(128), 32 + pick(64), 0};
    mix_[2] = 256 - mix_[0] - mix_[1];
    clear_ = pick(4) == 0 ? 1 : 0;
    constexpr std::array<std::uint32_t, 6> kRates = {256, 256, 230, 128, 40, 8};
    offer_ = kRates[pick(5)];
    take_ = kRates[pick(6)];
    if (is_quiet_phase()) offer_ = take_ = 256;
    if (!in_.in_valid && pick(4) == 0) choose_operation();
}

/// Offers a set-up; an operation that waits goes on waiting.
void LoadHistoryBufferBench::offer_setup() {
    const Inputs waiting = in_;
    in_ = {};
    in_.setup_valid = true;
    if (!waiting.in_valid) return;
    in_.in_valid = true;
    in_.op = waiting.op;
    in_.key = waiting.key;
    in_.phys = waiting.phys;
}

LhbKey LoadHistoryBufferBench::random_key() {
    if (pick(4) == 0) return recent_[pick(recent_.size())];  // hits, and hazards in the pipeline
    if (pick(8) == 0) {                                      // no hit because of one bit
        LhbKey key = recent_[pick(recent_.size())];
        (pick(2) == 0 ? key.low : key.high) ^= 1ULL << pick(64);
        return key;
    }
    DataId id;
    const std::uint64_t number = pick(keys_);
    id.element = (number << spread_bits_ ^ (pick(64) == 0 ? rng_() : 0)) & ((1ULL << 48) - 1);
    id.batch = pick(16) == 0 ? pick(1024) : number & 1U;
    id.extra = pick(32) == 0 ? pick(2) : 0;
    LhbKey key = LhbKey::make(id, pick(32) == 0 ? pick(3) : 0, pick(64) == 0 ? 1 : 7);
    key.low ^= key_bits_.low;
    key.high ^= key_bits_.high;
    return key;
}

void LoadHistoryBufferBench::choose_operation() {
    in_.in_valid = happens(offer_);
    if (!in_.in_valid) {
        // Don't care: anything may be on the pins.
        in_.key = {rng_(), rng_()};
        return;
    }
    in_.key = random_key();
    recent_[pick(recent_.size())] = in_.key;
    const std::uint32_t dice = pick(256);
    in_.op = dice < mix_[0]             ? Rtl::Op::kLookup
             : dice < mix_[0] + mix_[1] ? Rtl::Op::kInsert
                                        : Rtl::Op::kRelease;
    if (pick(128) == 0) in_.op = kNoOperation;
    in_.phys = pick(8) == 0 ? recent_phys_ : random_register();
    if (in_.op == Rtl::Op::kInsert) {
        // A register is named by one entry at most; the caller releases it first.
        for (int i = 0; i < 4 && model_.names(in_.phys); ++i) in_.phys = random_register();
        if (model_.names(in_.phys)) in_.op = Rtl::Op::kRelease;
        recent_phys_ = in_.phys;
    }
}

/// An organisation counts in the cycle in which it is taken, and not at all where the buffer keeps
/// its own; before and after, anything is on its pins.
void LoadHistoryBufferBench::spoil_setup_pins() {
    const std::uint64_t bits = noise_();
    in_.setup_log_sets = static_cast<std::uint8_t>(bits & 15U);
    in_.setup_log_ways = static_cast<std::uint8_t>(bits >> 4U & 7U);
    in_.setup_shift = static_cast<std::uint8_t>(bits >> 7U & 31U);
    in_.setup_fold = (bits >> 12U & 1U) != 0;
}

void LoadHistoryBufferBench::spoil_idle_pins() {
    if (in_.setup_valid) return;
    spoil_setup_pins();
    in_.setup_keep = (noise_() & 1U) != 0;
}

void LoadHistoryBufferBench::start_from_reset() {
    if (under_way_.empty() || wrong_ != "reset with operations under way") rtl_.reset();
    model_.reset();
    under_way_.clear();
    plan_.forget_transactions();
    draw_reset(signals_, model_.core().size(), phases_, 1, 0, 0, 0);
}

void LoadHistoryBufferBench::choose_inputs(bool more) {
    if (!in_.setup_valid && more) choose_offer();
    in_.out_ready = !more || happens(take_);
}

/// Offers a set-up or an operation, where none waits to be taken.
void LoadHistoryBufferBench::choose_offer() {
    const bool stuck = in_.in_valid && !model_.ready();  // only a set-up lets it go on
    if (left_ == 0 && (!in_.in_valid || stuck)) {
        begin_phase();
    } else if (clear_ != 0 && !in_.in_valid && pick(512) < clear_) {
        if (pick(4) == 0) choose_operation();
        offer_setup();
        in_.setup_keep = true;
        spoil_setup_pins();
        ++clears_;
    } else if (!in_.in_valid && (model_.ready() || pick(64) == 0)) {
        choose_operation();
    }
}

/// Notes in the plan what is offered in this cycle.
void LoadHistoryBufferBench::note_offers() {
    plan_.hit_if(plan_.stall, model_.outputs(in_).out_valid != 0 && !in_.out_ready);
    if (!in_.in_valid) return;
    plan_.hit_if(plan_.beside_setup, in_.setup_valid && !in_.setup_keep && model_.ready());
    plan_.hit_if(plan_.beside_clear, in_.setup_valid && in_.setup_keep && model_.ready());
    plan_.hit_if(plan_.before_setup, !in_.setup_valid && !organised_);
    plan_.hit_if(plan_.after_refusal, !in_.setup_valid && organised_ && !model_.ready());
}

/// Returns the inputs with the error of BenchOptions, which the bench has to find.
Rtl::Inputs LoadHistoryBufferBench::seen_by_rtl() const {
    if (stuck_.pin.empty() && wrong_.empty()) return in_;
    Inputs seen = in_;
    for (const history_pins::InputPin* pin : history_pins::kAll) pin->stick(seen, stuck_);
    const bool sets_up = in_.setup_valid && !in_.setup_keep;
    if (wrong_ == "operation 3 does nothing" && in_.op == kNoOperation) seen.op = Rtl::Op::kLookup;
    if (wrong_ == "result waits") seen.out_ready = true;
    if (wrong_ == "clear" && in_.setup_keep) seen.setup_keep = false;
    if (wrong_ == "operation beside a set-up" && sets_up && in_.in_valid) seen.setup_valid = false;
    if (wrong_ == "operation beside a clear" && in_.setup_valid && in_.setup_keep && in_.in_valid) {
        seen.setup_valid = false;
    }
    const bool waits = in_.in_valid && !in_.setup_valid && !model_.ready();
    if ((wrong_ == "operation before the first set-up" && waits && !organised_) ||
        (wrong_ == "operation after a refused set-up" && waits && organised_)) {
        seen = {};
        seen.setup_valid = true;
        seen.out_ready = in_.out_ready;
    }
    if (wrong_ == "set-up with too many entries" && in_.setup_log_ways <= parameters_.log_ways() &&
        in_.setup_log_sets + in_.setup_log_ways > static_cast<int>(parameters_.log_entries())) {
        seen.setup_log_sets = 0;
    }
    if (wrong_ == "set-up with too many ways" && in_.setup_log_ways > parameters_.log_ways()) {
        seen.setup_log_ways = seen.setup_log_sets = 0;
    }
    return seen;
}

void LoadHistoryBufferBench::draw(const Outputs& expected) {
    signals_.draw(clock_cycles(), model_.core().size(), phases_, expected.setup_ready,
                  expected.setup_error, expected.in_ready, expected.out_valid);
}

void LoadHistoryBufferBench::take_edge(const Outputs& out, Scoreboard& scoreboard) {
    if (out.out_valid != 0 && in_.out_ready) count_result(out, scoreboard);
    const bool taken = in_.in_valid && out.in_ready != 0;
    const bool set = in_.setup_valid && out.setup_ready != 0;
    if (taken) {
        ++done_[static_cast<std::size_t>(in_.op)];
        plan_.operation(in_);
        under_way_.push_back(in_.op);
        scoreboard.note(
            "operation {} (0 look-up, 1 insert, 2 release, 3 none): key {:#x} {:#x}, register {}",
            static_cast<std::uint64_t>(in_.op), in_.key.low, in_.key.high, in_.phys);
    }
    model_.edge(in_);
    if (taken) in_.in_valid = false;
    if (!set) return;
    plan_.set_up(in_, !model_.ready());
    organised_ = true;
    in_.setup_valid = in_.setup_keep = false;
    refused_ += model_.outputs(in_).setup_error;
    scoreboard.note("set-up: log sets {}, log ways {}, shift {}, fold {}", in_.setup_log_sets,
                    in_.setup_log_ways, in_.setup_shift, in_.setup_fold ? 1 : 0);
}

void LoadHistoryBufferBench::compare(const Outputs& expected, const Outputs& got,
                                     Scoreboard& scoreboard) {
    scoreboard.expect("setup_ready_o", expected.setup_ready, got.setup_ready);
    scoreboard.expect("setup_error_o", expected.setup_error, got.setup_error);
    scoreboard.expect("in_ready_o", expected.in_ready, got.in_ready);
    scoreboard.expect("out_valid_o", expected.out_valid, got.out_valid);
    if (expected.out_valid == 0) return;
    scoreboard.expect("found_o", expected.found, got.found);
    scoreboard.expect("same_key_o", expected.same_key, got.same_key);
    scoreboard.expect("phys_o", expected.phys, got.phys);
}

void LoadHistoryBufferBench::count_result(const Outputs& expected, Scoreboard& scoreboard) {
    ++operations_;
    plan_.result(under_way_.front(), expected);
    under_way_.pop_front();
    same_key_ += expected.same_key;
    found_ += expected.found;
    scoreboard.note("result: found {}, same key {}, register {}", expected.found, expected.same_key,
                    expected.phys);
}

std::string LoadHistoryBufferBench::describe_inputs() const {
    return fmt::format(
        "setup_valid {:d} keep {:d} log_sets {} log_ways {} shift {} fold {:d}; in_valid {:d} op "
        "{} "
        "key {:#x} {:#x} phys {}; out_ready {:d}",
        in_.setup_valid, in_.setup_keep, in_.setup_log_sets, in_.setup_log_ways, in_.setup_shift,
        in_.setup_fold, in_.in_valid, static_cast<int>(in_.op), in_.key.low, in_.key.high, in_.phys,
        in_.out_ready);
}

void LoadHistoryBufferBench::summarise(std::vector<std::string>& lines) const {
    lines.push_back(fmt::format(
        "{} look-ups, {} insertions, {} releases, {} without operation; {} found something, {} "
        "insertions replaced the same key",
        done_[0], done_[1], done_[2], done_[3], found_, same_key_));
    lines.push_back(fmt::format("{} organisations ({} refused), {} clears, {} resets", phases_,
                                refused_, clears_, resets_));
}

const RegisteredBench<LoadHistoryBufferBench> kRegistered(
    "load_history_buffer", "which register holds a datum", "operations",
    "setup_ready setup_error in_ready out_valid found same_key phys");

}  // namespace
}  // namespace tessera
