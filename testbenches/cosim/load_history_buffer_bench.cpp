// Bench of the RTL load history buffer against its model.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <random>

#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/pins/clocked_load_history_buffer.h"
#include "testbenches/cosim/bench.h"
#include "testbenches/cosim/operand_mix.h"

namespace tessera {
namespace {

using Rtl = LoadHistoryBufferRtl;

class LoadHistoryBufferBench : public CosimBench {
public:
    explicit LoadHistoryBufferBench(const BenchOptions& options)
        : count_(options.count),
          reset_every_(options.reset_every),
          rng_(options.seed),
          noise_(options.seed),
          rtl_(Rtl::kMaxEntries, Rtl::kMaxWays, false, options.seed),
          fault_(options.fault),
          signals_(options.wave, {{"valid_entries", 12},
                                  {"phase", 32},
                                  {"setup_ready_o", 1},
                                  {"setup_error_o", 1},
                                  {"in_ready_o", 1},
                                  {"out_valid_o", 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
        begin_phase();
    }

    bool cycle(Cycle step, Scoreboard& scoreboard) override;
    [[nodiscard]] std::uint64_t operations() const override { return operations_; }
    [[nodiscard]] std::string describe_inputs() const override;
    void summarise(std::vector<std::string>& lines) const override;

private:
    /// A phase lasts this many cycles at most; organisation, key pool, mix and stalls are its own.
    static constexpr std::uint32_t kPhaseCycles = 6000;
    static constexpr std::uint32_t kUnsetCycles = 3;

    [[nodiscard]] std::uint32_t pick(std::uint32_t below) {
        return static_cast<std::uint32_t>(rng_() % below);
    }
    void start_from_reset();
    [[nodiscard]] bool reset_is_due() {
        return reset_every_ == 0 ? left_ == 1 && pick(8) == 0 : pick(reset_every_) == 0;
    }
    void begin_phase();
    void choose_operation();
    void spoil_setup_pins();
    [[nodiscard]] LhbKey random_key();
    void compare(const Rtl::Outputs& expected, const Rtl::Outputs& got, Scoreboard& scoreboard);
    void count_result(const Rtl::Outputs& expected, Scoreboard& scoreboard);

    std::uint64_t count_;
    std::uint32_t reset_every_;  ///< 0: at the end of some phases
    std::mt19937_64 rng_;
    std::mt19937_64 noise_;  ///< for pins that mean nothing
    Rtl rtl_;
    FaultInjector fault_;
    ModelSignals signals_;
    ClockedLoadHistoryBuffer model_;
    Rtl::Inputs in_;

    QuietPhase quiet_phase_{512};
    // Probabilities of the phase, in 1/256.
    std::uint32_t offer_ = 256, take_ = 256, clear_ = 0;
    std::array<std::uint32_t, 3> mix_{};  ///< lookup, insertion, release; of 256
    std::uint32_t keys_ = 1, spread_bits_ = 0, registers_ = 1;
    LhbKey key_bits_;                     ///< turned round in all keys
    std::uint32_t left_ = 0;              ///< cycles
    std::uint32_t unset_ = kUnsetCycles;  ///< cycles without a set-up, out of reset

    std::array<LhbKey, 4> recent_{};
    std::uint32_t recent_phys_ = 0;
    std::uint64_t operations_ = 0;
    std::array<std::uint64_t, 3> done_{};
    std::uint64_t found_ = 0, same_key_ = 0, phases_ = 0, clears_ = 0, resets_ = 0, refused_ = 0;
};

void LoadHistoryBufferBench::begin_phase() {
    ++phases_;
    left_ = 200 + pick(kPhaseCycles);
    in_ = {};
    in_.setup_valid = true;
    in_.setup_fold = pick(2) != 0;
    in_.setup_shift = static_cast<std::uint8_t>(pick(8) == 0 ? pick(32) : pick(6));
    in_.setup_log_ways = static_cast<std::uint8_t>(pick(4));
    const std::uint32_t log_entries = in_.setup_log_ways + pick(12 - in_.setup_log_ways);
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
    registers_ = std::min(1u << Rtl::kPhysBits, entries + 1 + pick(2 * entries + 8));
    mix_ = {64 + pick(128), 32 + pick(64), 0};
    mix_[2] = 256 - mix_[0] - mix_[1];
    clear_ = pick(4) == 0 ? 1 : 0;
    constexpr std::array<std::uint32_t, 6> kRates = {256, 256, 230, 128, 40, 8};
    offer_ = kRates[pick(5)];
    take_ = kRates[pick(6)];
    if (quiet_phase_.next([this](std::uint32_t n) { return pick(n); })) offer_ = take_ = 256;
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
    in_.in_valid = offer_ == 256 || pick(256) < offer_;
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
    in_.phys = pick(8) == 0 ? recent_phys_ : pick(registers_);
    if (in_.op == Rtl::Op::kInsert) {
        // A register is named by one entry at most; the caller releases it first.
        for (int i = 0; i < 4 && model_.names(in_.phys); ++i) in_.phys = pick(registers_);
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

void LoadHistoryBufferBench::start_from_reset() {
    rtl_.reset();
    model_.reset();
    draw_reset(signals_, model_.core().size(), phases_, 1, 0, 0, 0);
}

bool LoadHistoryBufferBench::cycle(Cycle /*step*/, Scoreboard& scoreboard) {
    // 1. Inputs. An offered input stays until it is taken.
    in_.out_ready = take_ == 256 || pick(256) < take_;
    const bool more = operations_ < count_;
    if (!in_.setup_valid && !in_.in_valid && more) {
        if (left_ == 0) {
            begin_phase();
        } else if (clear_ != 0 && pick(512) < clear_) {
            in_ = {};
            in_.setup_valid = in_.setup_keep = true;
            spoil_setup_pins();
            in_.out_ready = pick(256) < take_;
            ++clears_;
        } else if (model_.ready()) {
            choose_operation();
        }
    }
    if (!more) in_.out_ready = true;
    if (left_ != 0) --left_;
    // Out of reset there is no organisation, and no operation may be taken before the first.
    const bool set_up_later = in_.setup_valid && unset_ > 0;
    if (set_up_later) {
        in_.setup_valid = false;
        --unset_;
    }
    if (!in_.setup_valid && !set_up_later) {
        spoil_setup_pins();
        in_.setup_keep = (noise_() & 1U) != 0;
    }

    // 2. Both sides, all outputs.
    const Rtl::Outputs expected = model_.outputs(in_);
    Rtl::Outputs got = rtl_.step(in_);
    scoreboard.begin_cycle(clock_cycles());
    fault_.apply(got, clock_cycles());
    compare(expected, got, scoreboard);
    signals_.draw(clock_cycles(), model_.core().size(), phases_, expected.setup_ready,
                  expected.setup_error, expected.in_ready, expected.out_valid);

    // 3. The edge.
    count_cycle();
    if (expected.out_valid != 0 && in_.out_ready) count_result(expected, scoreboard);
    const bool taken = in_.in_valid && expected.in_ready != 0;
    const bool set = in_.setup_valid && expected.setup_ready != 0;
    if (taken) {
        ++done_[static_cast<std::size_t>(in_.op)];
        scoreboard.note(
            "operation {} (0 look-up, 1 insert, 2 release): key {:#x} {:#x}, register {}",
            static_cast<std::uint64_t>(in_.op), in_.key.low, in_.key.high, in_.phys);
    }
    model_.edge(in_);
    if (taken) in_.in_valid = false;
    if (set) {
        in_.setup_valid = in_.setup_keep = false;
        refused_ += model_.outputs(in_).setup_error;
        scoreboard.note("set-up: log sets {}, log ways {}, shift {}, fold {}", in_.setup_log_sets,
                        in_.setup_log_ways, in_.setup_shift, in_.setup_fold ? 1 : 0);
    }
    if (set_up_later) in_.setup_valid = true;
    if (more && reset_is_due()) {
        // A reset with operations under way.
        start_from_reset();
        ++resets_;
        unset_ = kUnsetCycles;
        begin_phase();
    }
    return more || !model_.idle();
}

void LoadHistoryBufferBench::compare(const Rtl::Outputs& expected, const Rtl::Outputs& got,
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

void LoadHistoryBufferBench::count_result(const Rtl::Outputs& expected, Scoreboard& scoreboard) {
    ++operations_;
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
    lines.push_back(
        fmt::format("{} look-ups, {} insertions, {} releases; {} found something, {} "
                    "insertions replaced the same key",
                    done_[0], done_[1], done_[2], found_, same_key_));
    lines.push_back(fmt::format("{} organisations ({} refused), {} clears, {} resets", phases_,
                                refused_, clears_, resets_));
}

const RegisteredBench<LoadHistoryBufferBench> kRegistered(
    "load_history_buffer", "which register holds a datum", "operations",
    "setup_ready setup_error in_ready out_valid found same_key phys");

}  // namespace
}  // namespace tessera
