// Bench of the RTL precompute table against its model.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "sc_models/cosim/precompute_table_rtl.h"
#include "sc_models/pins/clocked_precompute_table.h"
#include "testbenches/cosim/phased_bench.h"
#include "testbenches/cosim/precompute_plan.h"
#include "testbenches/cosim/precompute_sweep.h"

namespace tessera {
namespace {

class PrecomputeTableBench final : public PhasedBench<PrecomputeTableRtl, ClockedPrecomputeTable> {
public:
    explicit PrecomputeTableBench(const BenchOptions& options)
        : PhasedBench(options),
          error_{options.stuck, options.wrong, parameters_},
          plan_(parameters_),
          signals_(options.wave, {{"phase", 32},
                                  {"setup_ready_o", 1},
                                  {"setup_error_o", 1},
                                  {"in_ready_o", 1},
                                  {"out_valid_o", 1},
                                  {"done_o", 1},
                                  {"complete_o", 1},
                                  {"size_o", parameters_.entry_bits + 1},
                                  {"waiting_o", 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
        begin_phase();
    }

    [[nodiscard]] std::string describe_inputs() const override;
    void summarise(std::vector<std::string>& lines) const override;
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

private:
    using Rtl = PrecomputeTableRtl;
    using Op = Rtl::Op;

    static constexpr std::size_t kRecentKeys = 64;
    static constexpr std::uint32_t kSweepCycles = 24'000;
    static constexpr std::uint64_t kPhasesBefore = 8;  ///< the first sweep

    /// An entry that an assistant warp computes, with its results.
    struct Job {
        std::uint32_t slot, generation;
        PrecomputeKey key;
    };

    void start_from_reset() override;
    void begin_phase() override;
    void choose_inputs(bool more) override;
    void choose_operation();
    [[nodiscard]] std::uint32_t choose_slot();
    void choose_finish();
    [[nodiscard]] PrecomputeKey random_key();
    [[nodiscard]] PrecomputeKey known_key(const std::vector<PrecomputeKey>& keys);
    void finish_job();
    void spoil_idle_pins() override;
    void copy_setup(const Inputs& from, Inputs& to) const override {
        to.setup_entries = from.setup_entries;
    }
    void note_offers() override;
    [[nodiscard]] Inputs seen_by_rtl() const override {
        return error_.seen_by_rtl(in_, model_, organised_);
    }
    void take_edge(const Outputs& out, Scoreboard& scoreboard) override;
    void compare(const Outputs& expected, const Outputs& got, Scoreboard& scoreboard) override;
    void draw(const Outputs& expected) override;
    void note_reset() override {
        plan_.hit_if(plan_.reset_apply, model_.applies());
        plan_.hit_if(plan_.reset_answer, !model_.idle() && !model_.applies());
    }
    [[nodiscard]] bool busy() const override { return !model_.idle(); }
    static void remember(std::vector<PrecomputeKey>& keys, const PrecomputeKey& key,
                         std::uint32_t place) {
        if (keys.size() < kRecentKeys) {
            keys.push_back(key);
        } else {
            keys[place % kRecentKeys] = key;
        }
    }

    const std::uint32_t max_entries_ = parameters_.max_entries();
    const PrecomputeError error_;  ///< of BenchOptions
    PrecomputePlan plan_;
    ModelSignals signals_;
    PrecomputeOperands operands_{parameters_, rng_};
    PrecomputeSweep sweep_{parameters_, model_, operands_};

    // Probabilities of the phase, in 1/256.
    std::uint32_t offer_ = 256, take_ = 256;
    std::array<std::uint32_t, 5> mix_{};  ///< of all operations but kDrop, cumulative; of 256
    std::uint32_t keys_ = 1, key_shift_ = 0;
    PrecomputeKey key_bits_;  ///< turned round in all keys
    Op taken_ = Op::kLookup;  ///< operation whose answer is awaited

    std::vector<PrecomputeKey> predicted_, completed_;
    std::deque<Job> jobs_;

    std::array<std::uint64_t, 8> done_{};  ///< by operation
    std::uint64_t hits_ = 0, stored_ = 0, replaced_ = 0, dropped_ = 0;
};

void PrecomputeTableBench::start_from_reset() {
    const bool under_way = !model_.idle();
    if (!under_way || error_.wrong != "reset with an operation under way") rtl_.reset();
    model_.reset();
    jobs_.clear();
    plan_.forget_transactions();
    draw_reset(signals_, phases_, 1, 0, 0, 0, 0, 0, 0, 0);
}

void PrecomputeTableBench::begin_phase() {
    ++phases_;
    left_ = 200 + pick(kPhaseCycles);
    in_.setup_valid = true;
    const std::uint32_t bits = pick(parameters_.entry_bits + 1);
    in_.setup_entries = 1 + pick(1U << bits);
    if (pick(8) == 0) in_.setup_entries = max_entries_;
    if (pick(12) == 0) {  // refused
        in_.setup_entries = pick(2) == 0 ? 0 : max_entries_ + 1 + pick(max_entries_ - 1);
        left_ = std::min(left_, 300U);
    }
    const std::uint32_t entries = std::min(in_.setup_entries, max_entries_);
    keys_ = 1 + pick(2 * entries + 2);
    key_shift_ = pick(parameters_.address_bits - 8);
    key_bits_ = {};
    if (pick(4) != 0) {
        key_bits_ = operands_.any_key();
    }
    predicted_.clear();
    completed_.clear();
    // Look-ups, predictions, searches, starts, ends of computations; the rest are drops.
    const std::array<std::uint32_t, 5> weights = {16 + pick(48), 16 + pick(96), 4 + pick(24),
                                                  8 + pick(64), 8 + pick(64)};
    const bool fills = pick(4) == 0;  // hardly any entry leaves
    if (fills) keys_ = 4 * entries + 1;
    std::uint32_t sum = fills ? 0 : pick(8) == 0 ? 24 : 1;
    for (const std::uint32_t weight : weights) sum += weight;
    std::uint32_t so_far = 0;
    for (std::size_t n = 0; n < mix_.size(); ++n) {
        so_far += weights[n];
        mix_[n] = so_far * 256 / sum;
    }
    if (fills) mix_ = {3, 180, 190, 222, 255};
    if (pick(6) == 0) mix_ = {4, 110, 120, 252, 256};
    constexpr std::array<std::uint32_t, 6> kRates = {256, 256, 230, 128, 40, 8};
    offer_ = kRates[pick(5)];
    take_ = kRates[pick(6)];
    if (fills || is_quiet_phase()) {
        offer_ = take_ = 256;
    }
    // Not in the first phases, so that short runs have all operations.
    sweep_.begin(phases_ > kPhasesBefore, key_bits_);
    if (!sweep_.active()) return;
    left_ = kSweepCycles + 3 * sweep_.rotations();
    in_.setup_entries = max_entries_;
    offer_ = take_ = 256;
}

PrecomputeKey PrecomputeTableBench::random_key() {
    const std::uint64_t number = pick(keys_);
    PrecomputeKey key;
    key.input = (number << key_shift_ ^ key_bits_.input) & operands_.addresses();
    key.weights = (number % 3 << 2U ^ key_bits_.weights) & operands_.addresses();
    key.geometry = (number & 1U) ^ key_bits_.geometry;
    return key;
}

/// A key of the list, or one that differs from it by a bit.
PrecomputeKey PrecomputeTableBench::known_key(const std::vector<PrecomputeKey>& keys) {
    if (keys.empty()) return random_key();
    PrecomputeKey key = keys[pick(static_cast<std::uint32_t>(keys.size()))];
    if (pick(8) != 0) return key;
    operands_.invert_bit(key, pick(operands_.key_bits()));
    return key;
}

/// Any slot, or one of a waiting entry.
std::uint32_t PrecomputeTableBench::choose_slot() {
    auto slot = model_.core().first_pending();
    if (slot == PrecomputeTable::kNone || pick(8) == 0) return pick(max_entries_);
    for (std::uint32_t steps = pick(4) == 0 ? pick(6) : 0; steps > 0; --steps) {
        const auto next = model_.core().next_pending(slot);
        if (next == PrecomputeTable::kNone) break;
        slot = next;
    }
    return slot;
}

void PrecomputeTableBench::choose_finish() {
    in_.slot = pick(max_entries_);
    in_.generation = pick(parameters_.generations());
    if (!jobs_.empty() && pick(32) != 0) {
        const std::uint32_t place =
            pick(4) == 0 ? pick(static_cast<std::uint32_t>(jobs_.size())) : 0;
        in_.slot = jobs_[place].slot;
        in_.generation = jobs_[place].generation;
        if (pick(16) == 0) in_.generation ^= 1U << pick(parameters_.generation_bits);
    }
    operands_.draw_results(in_);
}

void PrecomputeTableBench::choose_operation() {
    in_.in_valid = true;
    if (sweep_.takes_turn()) return sweep_.choose(in_);
    const std::uint32_t dice = pick(256);
    std::size_t op = 0;
    while (op < mix_.size() && dice >= mix_[op]) ++op;
    in_.op = pick(256) == 0 ? static_cast<Op>(6 + pick(2)) : static_cast<Op>(op);
    const bool is_full = model_.core().size() == max_entries_;
    if (is_full && pick(512) == 0) in_.op = Op::kDrop;
    switch (in_.op) {
        case Op::kLookup:
            in_.key = known_key(pick(2) == 0 ? completed_ : predicted_);
            break;
        case Op::kPredict:
            in_.key = pick(8) == 0 ? known_key(predicted_) : random_key();
            break;
        case Op::kWaiting:
            in_.after = pick(2) == 0;
            in_.slot = choose_slot();
            break;
        case Op::kStart:
            in_.slot = choose_slot();
            break;
        case Op::kFinish:
            choose_finish();
            break;
        case Op::kDrop:
            in_.count = is_full || pick(4) == 0 ? pick(2 * max_entries_) : pick(6);
            break;
    }
}

/// Pins that the operation does not use may have any value, but keep it while the operation waits.
void PrecomputeTableBench::spoil_idle_pins() {
    const std::uint64_t bits = noise_();
    if (!in_.setup_valid) in_.setup_entries = bits >> 52U & (2 * max_entries_ - 1);
    if (in_.in_valid) return;
    in_.op = static_cast<Op>(bits >> 40U & 7U);
    in_.key = {bits & operands_.addresses(), bits >> 11U & operands_.addresses(),
               static_cast<std::uint32_t>(bits >> 20U & ((1U << parameters_.geometry_bits) - 1))};
    in_.slot = bits >> 28U & (max_entries_ - 1);
    in_.after = (bits >> 43U & 1U) != 0;
    in_.generation = bits >> 44U & (parameters_.generations() - 1);
    in_.count = bits >> 33U & (2 * max_entries_ - 1);
    for (std::size_t lane = 0; lane < parameters_.lanes; ++lane) {
        in_.results[lane] = static_cast<std::uint32_t>(bits >> lane) & operands_.results();
    }
}

/// Offers a set-up or an operation, where none waits to be taken.
void PrecomputeTableBench::choose_inputs(bool more) {
    in_.out_ready = !more || happens(take_);
    if (!more) {
        if (in_.in_valid && model_.idle()) in_.in_valid = false;
        return;
    }
    const bool stuck = in_.in_valid && !model_.ready();  // only a set-up lets it go on
    if (!in_.setup_valid && left_ == 0 && (!in_.in_valid || stuck || pick(8) == 0)) begin_phase();
    if (in_.in_valid || !happens(offer_)) return;
    if (model_.ready() ? !in_.setup_valid || pick(4) == 0 : !organised_ || pick(8) == 0)
        choose_operation();
}

void PrecomputeTableBench::note_offers() {
    const Outputs out = model_.outputs(in_);
    plan_.hit_if(plan_.stall, out.out_valid != 0 && !in_.out_ready);
    plan_.hit_if(plan_.setup_waits, in_.setup_valid && out.setup_ready == 0);
    plan_.hit_if(plan_.full, out.size == max_entries_);
    if (!in_.in_valid || !model_.idle()) return;
    plan_.hit_if(plan_.beside_setup, in_.setup_valid && model_.ready());
    plan_.hit_if(plan_.before_setup, !in_.setup_valid && !organised_);
    plan_.hit_if(plan_.after_refusal, !in_.setup_valid && organised_ && !model_.ready());
}

void PrecomputeTableBench::draw(const Outputs& expected) {
    signals_.draw(clock_cycles(), phases_, expected.setup_ready, expected.setup_error,
                  expected.in_ready, expected.out_valid, expected.done, expected.complete,
                  expected.size, expected.waiting);
}

/// Follows the end of a computation: its key has results if they are stored.
void PrecomputeTableBench::finish_job() {
    const auto job = std::find_if(jobs_.begin(), jobs_.end(), [this](const Job& one) {
        return one.slot == in_.slot && one.generation == in_.generation;
    });
    if (job == jobs_.end()) return;
    const PrecomputeTable& table = model_.core();
    if (table.runs(in_.slot) &&
        table.generation(in_.slot) % parameters_.generations() == in_.generation) {
        remember(completed_, job->key, pick(kRecentKeys));
    }
    if (job == jobs_.begin()) jobs_.pop_front();
}

void PrecomputeTableBench::take_edge(const Outputs& out, Scoreboard& scoreboard) {
    const bool taken = in_.in_valid && out.in_ready != 0;
    const bool set = in_.setup_valid && out.setup_ready != 0;
    if (model_.applies() && (taken || in_.op == Op::kDrop)) plan_.change(model_, in_);
    if (taken) {
        ++done_[static_cast<std::size_t>(in_.op)];
        plan_.operation(in_);
        taken_ = in_.op;
        scoreboard.note(
            "operation {} (0 look-up, 1 predict, 2 search, 3 start, 4 finish, 5 drop): "
            "input {:#x}, weights {:#x}, slot {}",
            static_cast<std::uint64_t>(in_.op), in_.key.input, in_.key.weights, in_.slot);
        if (in_.op == Op::kPredict) remember(predicted_, in_.key, pick(kRecentKeys));
        if (in_.op == Op::kFinish) finish_job();
    }
    if (out.out_valid != 0 && in_.out_ready) {
        ++operations_;
        Inputs operation;
        operation.op = taken_;
        plan_.answer(operation, out);
        hits_ += taken_ == Op::kLookup && out.done != 0;
        stored_ += taken_ == Op::kFinish && out.done != 0;
        replaced_ += out.replaced;
        dropped_ += out.count;
        scoreboard.note("answer: done {}, complete {}, slot {}, {} dropped", out.done, out.complete,
                        out.slot, out.count);
    }
    if (taken && in_.op == Op::kStart && in_.slot < model_.entries() &&
        model_.core().waits(in_.slot)) {
        if (jobs_.size() == kRecentKeys) jobs_.pop_front();
        jobs_.push_back({in_.slot, model_.core().generation(in_.slot) % parameters_.generations(),
                         model_.core().key(in_.slot)});
    }
    model_.edge(in_);
    if (taken) in_.in_valid = false;
    if (!set) return;
    plan_.set_up(in_.setup_entries, !model_.ready());
    organised_ = true;
    refused_ += model_.outputs(in_).setup_error;
    jobs_.clear();
    in_.setup_valid = false;
    scoreboard.note("set-up: {} entries", in_.setup_entries);
}

void PrecomputeTableBench::compare(const Outputs& expected, const Outputs& got,
                                   Scoreboard& scoreboard) {
    scoreboard.expect("setup_ready_o", expected.setup_ready, got.setup_ready);
    scoreboard.expect("setup_error_o", expected.setup_error, got.setup_error);
    scoreboard.expect("in_ready_o", expected.in_ready, got.in_ready);
    scoreboard.expect("out_valid_o", expected.out_valid, got.out_valid);
    scoreboard.expect("done_o", expected.done, got.done);
    scoreboard.expect("present_o", expected.present, got.present);
    scoreboard.expect("replaced_o", expected.replaced, got.replaced);
    scoreboard.expect("complete_o", expected.complete, got.complete);
    scoreboard.expect("slot_o", expected.slot, got.slot);
    scoreboard.expect("generation_o", expected.generation, got.generation);
    scoreboard.expect("input_o", expected.input, got.input);
    scoreboard.expect("weights_o", expected.weights, got.weights);
    scoreboard.expect("geometry_o", expected.geometry, got.geometry);
    scoreboard.expect("count_o", expected.count, got.count);
    for (std::size_t lane = 0; lane < parameters_.lanes; ++lane) {
        scoreboard.expect("results_o", static_cast<std::uint32_t>(lane), expected.results[lane],
                          got.results[lane]);
    }
    scoreboard.expect("size_o", expected.size, got.size);
    scoreboard.expect("waiting_o", expected.waiting, got.waiting);
}

std::string PrecomputeTableBench::describe_inputs() const {
    return fmt::format(
        "setup_valid {:d} entries {}; in_valid {:d} op {} input {:#x} weights {:#x} geometry {} "
        "slot {} after {:d} generation {} count {}; out_ready {:d}",
        in_.setup_valid, in_.setup_entries, in_.in_valid, static_cast<int>(in_.op), in_.key.input,
        in_.key.weights, in_.key.geometry, in_.slot, in_.after, in_.generation, in_.count,
        in_.out_ready);
}

void PrecomputeTableBench::summarise(std::vector<std::string>& lines) const {
    lines.push_back(fmt::format(
        "{} look-ups ({} hits), {} predictions ({} replace an entry), {} searches, {} starts, {} "
        "results ({} stored), {} drops of {} entries",
        done_[0], hits_, done_[1], replaced_, done_[2], done_[3], done_[4], stored_, done_[5],
        dropped_));
    lines.push_back(fmt::format("{} set-ups ({} refused), {} resets", phases_, refused_, resets_));
}

const RegisteredBench<PrecomputeTableBench> kRegistered(
    "precompute_table", "results of predicted vector operations", "operations",
    "setup_ready setup_error in_ready out_valid done present replaced complete slot generation "
    "input:2 weights:2 geometry count results:32 size waiting");

}  // namespace
}  // namespace tessera
