// Bench of the RTL assign table against its model.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "sc_models/cosim/assign_table_rtl.h"
#include "sc_models/pins/clocked_assign_table.h"
#include "testbenches/cosim/assign_plan.h"
#include "testbenches/cosim/phased_bench.h"

namespace tessera {
namespace {

class AssignTableBench final : public PhasedBench<AssignTableRtl, ClockedAssignTable> {
public:
    explicit AssignTableBench(const BenchOptions& options)
        : PhasedBench(options),
          error_{options.stuck, options.wrong, parameters_},
          plan_(parameters_),
          signals_(options.wave, {{"phase", 32},
                                  {"setup_ready_o", 1},
                                  {"setup_error_o", 1},
                                  {"in_ready_o", 1},
                                  {"out_valid_o", 1},
                                  {"done_o", 1},
                                  {"sm_o", parameters_.sm_bits},
                                  {"count_o", parameters_.entry_bits + 1},
                                  {"size_o", parameters_.entry_bits + 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
        begin_phase();
    }

    [[nodiscard]] std::string describe_inputs() const override;
    void summarise(std::vector<std::string>& lines) const override;
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

private:
    using Rtl = AssignTableRtl;
    using Op = Rtl::Op;

    static constexpr std::size_t kRecentPairs = 64;
    static constexpr std::uint32_t kLateCycles = 400;
    static constexpr std::uint32_t kLastCycle = 2;  ///< a reset may come behind it

    /// Entry of a full table whose comparators are swept.
    struct Held {
        BlockPair pair;
        std::uint32_t sm = 0;
    };
    static constexpr std::uint32_t kSweepCycles = 12'000;

    void start_from_reset() override;
    void begin_phase() override;
    void choose_mix(bool fills);
    [[nodiscard]] std::uint32_t too_many_entries();
    void begin_sweep();
    void choose_sweep();
    void choose_swept(const Held& held, std::uint32_t step);
    void follow_sweep();
    void choose_inputs(bool more) override;
    void choose_operation();
    [[nodiscard]] BlockPair random_pair();
    [[nodiscard]] BlockPair known_pair();
    void choose_loss();
    void spoil_idle_pins() override;
    void copy_setup(const Inputs& from, Inputs& to) const override {
        to.setup_entries = from.setup_entries;
    }
    void note_offers() override;
    [[nodiscard]] Inputs seen_by_rtl() const override {
        return error_.seen_by_rtl(in_, model_, organised_);
    }
    void take_edge(const Outputs& out, Scoreboard& scoreboard) override;
    void take_answer(const Outputs& out, Scoreboard& scoreboard);
    void compare(const Outputs& expected, const Outputs& got, Scoreboard& scoreboard) override;
    void draw(const Outputs& expected) override;
    void note_reset() override {
        plan_.hit_if(plan_.reset_invalidation, model_.invalidates());
        plan_.hit_if(plan_.reset_answer, model_.answers());
    }
    [[nodiscard]] bool busy() const override { return model_.answers() || model_.invalidates(); }

    const std::uint64_t blocks_ = (std::uint64_t{1} << parameters_.block_bits) - 1;
    const std::uint32_t max_entries_ = parameters_.max_entries();
    /// Each entry has a look-up of its pair, and of the pair with each bit inverted, and an
    /// invalidation of each block and of the SM with each bit inverted. Then it leaves.
    const std::uint32_t sweep_steps_ = 2 + 4 * parameters_.block_bits + parameters_.sm_bits;
    const AssignError error_;  ///< of BenchOptions
    AssignPlan plan_;
    ModelSignals signals_;

    // Probabilities of the phase, in 1/256.
    std::uint32_t offer_ = 256, take_ = 256;
    std::array<std::uint32_t, 3> mix_{};  ///< of all operations but kFlush, cumulative; of 256
    std::uint32_t inputs_ = 1, weights_ = 1, sms_ = 1;  ///< numbers of blocks and SMs
    std::uint32_t shift_ = 0;
    bool uniform_ = false;    ///< all entries have the same weights and SM, so that all may leave
    BlockPair bits_;          ///< inverted in all blocks
    Op taken_ = Op::kLookup;  ///< operation whose answer is awaited

    std::vector<BlockPair> recent_;  ///< pairs that were inserted

    bool sweeps_ = false;           ///< this phase does
    std::deque<Held> held_;         ///< entries, oldest first
    std::uint32_t sweep_step_ = 0;  ///< in this phase and those before
    std::uint32_t too_many_ = 0;    ///< set-ups by too_many_entries()

    std::array<std::uint64_t, 4> done_{};  ///< by operation
    std::uint64_t hits_ = 0, replaced_ = 0, invalidated_ = 0, flushed_ = 0;
};

void AssignTableBench::start_from_reset() {
    const bool skips =
        (error_.wrong == "reset with an invalidation under way" && model_.invalidates()) ||
        (error_.wrong == "reset with an answer that waits" && model_.answers());
    if (!skips) rtl_.reset();
    model_.reset();
    plan_.forget_transactions();
    draw_reset(signals_, phases_, 1, 0, 0, 0, 0, 0, 0, 0);
}

void AssignTableBench::choose_mix(bool fills) {
    // Look-ups, insertions, invalidations; the rest are flushes.
    const std::array<std::uint32_t, 3> weights = {16 + pick(64), 16 + pick(96), 4 + pick(48)};
    std::uint32_t sum = pick(8) == 0 ? 24 : 1;
    for (const std::uint32_t weight : weights) sum += weight;
    std::uint32_t so_far = 0;
    for (std::size_t n = 0; n < mix_.size(); ++n) {
        so_far += weights[n];
        mix_[n] = so_far * 256 / sum;
    }
    if (fills) mix_ = {40, pick(3) == 0 ? 255U : 256U, 256};
    if (fills && mix_[1] < 256) mix_[2] = mix_[1];  // some flushes
}

/// The largest size with another bit, each in turn, or any larger number.
std::uint32_t AssignTableBench::too_many_entries() {
    if (pick(4) == 0) return max_entries_ + 1 + pick(max_entries_ - 1);
    return max_entries_ + (1U << too_many_++ % parameters_.entry_bits);
}

void AssignTableBench::begin_phase() {
    ++phases_;
    left_ = 200 + pick(kPhaseCycles);
    in_.setup_valid = true;
    in_.setup_entries = 1 + pick(1U << pick(parameters_.entry_bits + 1));
    if (pick(8) == 0) in_.setup_entries = max_entries_;
    if (pick(6) == 0) {  // refused
        in_.setup_entries = pick(3) == 0 ? 0 : too_many_entries();
        left_ = std::min(left_, 300U);
    }
    const bool fills = pick(3) == 0;  // hardly any entry leaves
    uniform_ = fills && pick(2) == 0;
    if (uniform_) {
        in_.setup_entries = max_entries_;
        left_ = kPhaseCycles;
    }
    const std::uint32_t entries = std::min(in_.setup_entries, max_entries_);
    inputs_ = 1 + pick(2 * entries + 2);
    weights_ = 1 + pick(4);
    sms_ = 1 + pick(parameters_.max_sms());
    if (fills) inputs_ = 4 * entries + 1;
    if (uniform_) weights_ = sms_ = 1;
    constexpr std::uint32_t kNumberBits = 3;  // of inputs_, above those of the entries
    shift_ = pick(parameters_.block_bits - parameters_.entry_bits - kNumberBits);
    bits_ = {};
    if (pick(4) != 0) bits_ = {rng_() & blocks_, rng_() & blocks_};
    if (pick(3) == 0) bits_.weights = bits_.input;  // the same blocks are inputs and weights
    recent_.clear();
    held_.clear();
    choose_mix(fills);
    sweeps_ = pick(16) == 0;
    if (sweeps_) return begin_sweep();
    constexpr std::array<std::uint32_t, 6> kRates = {256, 256, 230, 128, 40, 8};
    offer_ = kRates[pick(5)];
    take_ = kRates[pick(6)];
    if (fills || is_quiet_phase()) offer_ = take_ = 256;
}

void AssignTableBench::begin_sweep() {
    left_ = kSweepCycles;
    in_.setup_entries = max_entries_;
    offer_ = take_ = 256;
    uniform_ = false;
}

/// Fills the table with pairs of any blocks. The sweep of a full table changes nothing; sometimes
/// entries leave, by an invalidation, a flush or the next insertion.
void AssignTableBench::choose_sweep() {
    in_.pair = {rng_() & blocks_, rng_() & blocks_};
    in_.sm = pick(parameters_.max_sms());
    in_.op = Op::kInsert;
    if (held_.size() < max_entries_) return;
    const Held& any = held_[pick(max_entries_)];
    switch (left_ == kLastCycle ? 1 : pick(128)) {
        case 0:
            return;
        case 1:
            in_.op = Op::kInvalidate;
            in_.pair.input = pick(2) == 0 ? any.pair.input : any.pair.weights;
            in_.sm = any.sm;
            return;
        case 2:
            if (pick(32) == 0) in_.op = Op::kFlush;
            return;
        default:
            if (pick(8) == 0) return choose_swept(any, 0);
            choose_swept(held_[sweep_step_ / sweep_steps_ % max_entries_],
                         sweep_step_ % sweep_steps_);
            ++sweep_step_;
    }
}

void AssignTableBench::choose_swept(const Held& held, std::uint32_t step) {
    in_.op = Op::kLookup;
    in_.pair = held.pair;
    in_.sm = held.sm;
    if (step == 0) return;
    if (step == sweep_steps_ - 1) {
        in_.op = Op::kInvalidate;
        if (pick(2) == 0) in_.pair.input = held.pair.weights;
        return;
    }
    const std::uint32_t bit = (step - 1) % parameters_.block_bits;
    const std::uint64_t flip = std::uint64_t{1} << bit;
    switch ((step - 1) / parameters_.block_bits) {
        case 0:
            in_.pair.input ^= flip;
            return;
        case 1:
            in_.pair.weights ^= flip;
            return;
        case 2:
            in_.op = Op::kInvalidate;
            in_.pair.input ^= flip;
            return;
        case 3:
            in_.op = Op::kInvalidate;
            in_.pair.input = held.pair.weights ^ flip;
            return;
        default:
            in_.op = Op::kInvalidate;
            in_.sm ^= 1U << bit;
    }
}

/// Follows an operation that was taken.
void AssignTableBench::follow_sweep() {
    if (in_.op == Op::kInsert) {
        if (held_.size() == max_entries_) held_.pop_front();
        held_.push_back({in_.pair, in_.sm});
    }
    if (in_.op == Op::kFlush) held_.clear();
    if (in_.op != Op::kInvalidate) return;
    const auto left = [this](const Held& held) {
        return held.sm == in_.sm &&
               (held.pair.input == in_.pair.input || held.pair.weights == in_.pair.input);
    };
    held_.erase(std::remove_if(held_.begin(), held_.end(), left), held_.end());
}

BlockPair AssignTableBench::random_pair() {
    const std::uint64_t input = pick(inputs_), weights = pick(weights_);
    return {((input << shift_) ^ bits_.input) & blocks_,
            ((weights << shift_) ^ bits_.weights) & blocks_};
}

/// A pair that was inserted, or one near it: another bit, or the blocks the other way round.
BlockPair AssignTableBench::known_pair() {
    if (recent_.empty()) return random_pair();
    BlockPair pair = recent_[pick(static_cast<std::uint32_t>(recent_.size()))];
    if (pick(32) == 0) return {pair.weights, pair.input};
    if (pick(6) != 0) return pair;
    const std::uint64_t flip = std::uint64_t{1} << pick(parameters_.block_bits);
    (pick(2) == 0 ? pair.input : pair.weights) ^= flip;
    return pair;
}

/// A block that an SM loses: of a pair that it has, or any.
void AssignTableBench::choose_loss() {
    const BlockPair pair = known_pair();
    const SmId holder = model_.core().peek(pair);
    const bool of_weights = pick(8) == 0 || (weights_ == 1 && inputs_ > 1 && pick(8) == 0);
    in_.pair = {of_weights ? pair.weights : pair.input, rng_() & blocks_};
    in_.sm = holder.valid() && pick(8) != 0 ? holder.value() : pick(parameters_.max_sms());
}

void AssignTableBench::choose_operation() {
    in_.in_valid = true;
    if (sweeps_) return choose_sweep();
    const std::uint32_t dice = pick(256);
    std::size_t op = 0;
    while (op < mix_.size() && dice >= mix_[op]) ++op;
    in_.op = left_ == kLastCycle ? Op::kInvalidate : static_cast<Op>(op);
    in_.pair = random_pair();
    in_.sm = pick(sms_);
    const bool is_full = model_.core().size() == max_entries_;
    if ((is_full || uniform_) && pick(is_full ? 512 : 4000) == 0) in_.op = Op::kFlush;
    // At the end of a phase, so that the next set-up or a reset comes during the invalidation.
    const bool late = is_full && left_ < kLateCycles;
    if (uniform_ && (late || pick(is_full ? 256 : 2000) == 0)) {
        in_.op = Op::kInvalidate;
        in_.pair.input = in_.pair.weights;
        return;
    }
    switch (in_.op) {
        case Op::kLookup:
            if (pick(4) != 0) in_.pair = known_pair();
            break;
        case Op::kInsert:
            if (!uniform_ && pick(8) == 0) in_.pair = known_pair();
            break;
        case Op::kInvalidate:
            choose_loss();
            break;
        case Op::kFlush:
            break;
    }
}

/// Pins that mean nothing may have any value.
void AssignTableBench::spoil_idle_pins() {
    const std::uint64_t bits = noise_();
    if (!in_.setup_valid) in_.setup_entries = bits >> 52U & (2 * max_entries_ - 1);
    if (in_.in_valid) return;
    in_.op = static_cast<Op>(bits >> 40U & 3U);
    in_.pair = {bits & blocks_, bits >> 11U & blocks_};
    if ((bits >> 51U & 1U) != 0 && !recent_.empty()) in_.pair = recent_.front();
    in_.sm = bits >> 44U & (parameters_.max_sms() - 1);
}

/// Offers a set-up or an operation, where none waits to be taken.
void AssignTableBench::choose_inputs(bool more) {
    in_.out_ready = !more || happens(take_);
    if (!more) {
        if (in_.in_valid && !model_.invalidates()) in_.in_valid = false;
        return;
    }
    const bool stuck = in_.in_valid && !model_.ready();  // only a set-up lets it go on
    if (!in_.setup_valid && left_ == 0 && (!in_.in_valid || stuck || pick(8) == 0)) begin_phase();
    if (in_.in_valid || !happens(offer_)) return;
    if (model_.ready() ? !in_.setup_valid || pick(4) == 0 : pick(3) == 0) choose_operation();
}

void AssignTableBench::note_offers() {
    const Outputs out = model_.outputs(in_);
    const bool waits = out.out_valid != 0 && !in_.out_ready;
    plan_.hit_if(plan_.stall, waits);
    plan_.hit_if(plan_.setup_waits, in_.setup_valid && out.setup_ready == 0);
    plan_.hit_if(plan_.setup_beside_answer, in_.setup_valid && out.setup_ready != 0 && waits);
    plan_.hit_if(plan_.full, out.size == max_entries_);
    if (!in_.in_valid || model_.invalidates()) return;
    plan_.hit_if(plan_.beside_setup, in_.setup_valid && model_.ready());
    plan_.hit_if(plan_.before_setup, !in_.setup_valid && !organised_);
    plan_.hit_if(plan_.after_refusal, !in_.setup_valid && organised_ && !model_.ready());
}

void AssignTableBench::draw(const Outputs& expected) {
    signals_.draw(clock_cycles(), phases_, expected.setup_ready, expected.setup_error,
                  expected.in_ready, expected.out_valid, expected.done, expected.sm, expected.count,
                  expected.size);
}

void AssignTableBench::take_answer(const Outputs& out, Scoreboard& scoreboard) {
    ++operations_;
    plan_.answer(taken_, out);
    hits_ += taken_ == Op::kLookup && out.done != 0;
    replaced_ += out.replaced;
    (taken_ == Op::kFlush ? flushed_ : invalidated_) += out.count;
    scoreboard.note("answer: done {}, SM {}, {} left", out.done, out.sm, out.count);
}

void AssignTableBench::take_edge(const Outputs& out, Scoreboard& scoreboard) {
    if (out.out_valid != 0 && in_.out_ready) take_answer(out, scoreboard);
    const bool taken = in_.in_valid && out.in_ready != 0;
    const bool set = in_.setup_valid && out.setup_ready != 0;
    if (model_.applies(in_) && !model_.invalidates()) plan_.change(model_, in_);
    if (taken) {
        ++done_[static_cast<std::size_t>(in_.op)];
        plan_.operation(in_);
        taken_ = in_.op;
        if (sweeps_) follow_sweep();
        scoreboard.note(
            "operation {} (0 look-up, 1 insert, 2 invalidate, 3 flush): input {:#x}, weights "
            "{:#x}, SM {}",
            static_cast<std::uint64_t>(in_.op), in_.pair.input, in_.pair.weights, in_.sm);
        if (in_.op == Op::kInsert) {
            if (recent_.size() < kRecentPairs) {
                recent_.push_back(in_.pair);
            } else {
                recent_[pick(kRecentPairs)] = in_.pair;
            }
        }
    }
    model_.edge(in_);
    if (taken) in_.in_valid = false;
    if (!set) return;
    plan_.set_up(in_.setup_entries, !model_.ready());
    organised_ = true;
    refused_ += model_.outputs(in_).setup_error;
    in_.setup_valid = false;
    scoreboard.note("set-up: {} entries", in_.setup_entries);
}

void AssignTableBench::compare(const Outputs& expected, const Outputs& got,
                               Scoreboard& scoreboard) {
    scoreboard.expect("setup_ready_o", expected.setup_ready, got.setup_ready);
    scoreboard.expect("setup_error_o", expected.setup_error, got.setup_error);
    scoreboard.expect("in_ready_o", expected.in_ready, got.in_ready);
    scoreboard.expect("out_valid_o", expected.out_valid, got.out_valid);
    scoreboard.expect("done_o", expected.done, got.done);
    scoreboard.expect("replaced_o", expected.replaced, got.replaced);
    scoreboard.expect("sm_o", expected.sm, got.sm);
    scoreboard.expect("count_o", expected.count, got.count);
    scoreboard.expect("size_o", expected.size, got.size);
}

std::string AssignTableBench::describe_inputs() const {
    return fmt::format(
        "setup_valid {:d} entries {}; in_valid {:d} op {} input {:#x} weights {:#x} sm {}; "
        "out_ready {:d}",
        in_.setup_valid, in_.setup_entries, in_.in_valid, static_cast<int>(in_.op), in_.pair.input,
        in_.pair.weights, in_.sm, in_.out_ready);
}

void AssignTableBench::summarise(std::vector<std::string>& lines) const {
    lines.push_back(fmt::format(
        "{} look-ups ({} hits), {} insertions ({} replace an entry), {} invalidations of {} "
        "entries, {} flushes of {} entries",
        done_[0], hits_, done_[1], replaced_, done_[2], invalidated_, done_[3], flushed_));
    lines.push_back(fmt::format("{} set-ups ({} refused), {} resets", phases_, refused_, resets_));
}

const RegisteredBench<AssignTableBench> kRegistered(
    "assign_table", "which SM of a cluster has a pair of blocks", "operations",
    "setup_ready setup_error in_ready out_valid done replaced sm count size");

}  // namespace
}  // namespace tessera
