// Bench of the RTL rename table against its model.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <vector>

#include "sc_models/common/log2.h"
#include "sc_models/cosim/rename_table_rtl.h"
#include "sc_models/pins/clocked_rename_table.h"
#include "testbenches/cosim/phased_bench.h"
#include "testbenches/cosim/rename_plan.h"

namespace tessera {
namespace {

class RenameTableBench final : public PhasedBench<RenameTableRtl, ClockedRenameTable> {
public:
    explicit RenameTableBench(const BenchOptions& options)
        : PhasedBench(options),
          error_{options.stuck, options.wrong, parameters_},
          plan_(parameters_),
          signals_(options.wave, {{"phase", 32},
                                  {"setup_ready_o", 1},
                                  {"setup_error_o", 1},
                                  {"in_ready_o", 1},
                                  {"out_valid_o", 1},
                                  {"old_valid_o", 1},
                                  {"died_o", 1},
                                  {"map_ready_o", 1},
                                  {"free_o", parameters_.phys_bits + 1},
                                  {"mapped_o", parameters_.unit_bits + 1}}) {
        if (options.wave != nullptr) rtl_.trace(*options.wave, "rtl");
        start_from_reset();
        begin_phase();
    }

    [[nodiscard]] std::string describe_inputs() const override;
    void summarise(std::vector<std::string>& lines) const override;
    [[nodiscard]] const CoveragePlan* coverage() const override { return &plan_; }

private:
    using Rtl = RenameTableRtl;
    using Op = Rtl::Op;

    /// The next thing that the caller may do with a unit.
    enum class UnitState : std::uint8_t {
        kIdle,  ///< end its mapping or, if it has none, map it
        kIn,    ///< offered or under way
        kTaken  ///< map it
    };

    void start_from_reset() override;
    void begin_phase() override;
    void choose_inputs(bool more) override;
    void choose_unit();
    void choose_mapping();
    void offer_unset();
    [[nodiscard]] PhysRegId used_register();
    void spoil_idle_pins() override;
    void copy_setup(const Inputs& from, Inputs& to) const override {
        to.setup_units = from.setup_units;
        to.setup_registers = from.setup_registers;
    }
    void take_edge(const Outputs& out, Scoreboard& scoreboard) override;
    void compare(const Outputs& expected, const Outputs& got, Scoreboard& scoreboard) override;
    void draw(const Outputs& expected) override;
    void note_offers() override { plan_.offer(model_, in_, model_.outputs(in_), organised_); }
    [[nodiscard]] Inputs seen_by_rtl() const override {
        return error_.seen_by_rtl(in_, model_, organised_);
    }
    void note_reset() override { plan_.reset(model_); }
    [[nodiscard]] bool busy() const override {
        return !model_.idle() || in_.map_valid || in_.in_valid;
    }

    static constexpr std::uint32_t kFullCycles = 24000;  ///< of a phase with a full table, at most

    const RenameError error_;  ///< of BenchOptions
    RenamePlan plan_;
    ModelSignals signals_;

    // Probabilities of the phase, in 1/256.
    std::uint32_t offer_ = 256, take_ = 256, map_ = 256, share_ = 128, unmap_ = 16;
    std::uint32_t fill_ = 0;  ///< units that get a register first, in a phase of a full table
    bool refused_phase_ = false;

    std::vector<UnitState> states_;
    std::vector<std::uint32_t> taken_;                    ///< units in state kTaken
    std::array<std::uint32_t, Rtl::kLatency + 1> way_{};  ///< units under way, oldest first
    std::size_t on_way_ = 0;
    std::uint32_t next_unit_ = 0;

    std::uint64_t ends_ = 0, deaths_ = 0, relays_ = 0, saved_ = 0, waits_ = 0, beside_ = 0;
    std::array<std::uint64_t, 3> mapped_{};
};

void RenameTableBench::start_from_reset() {
    if (!error_.skips_reset(model_)) rtl_.reset();
    model_.reset();
    plan_.forget_transactions();
    states_.clear();
    taken_.clear();
    on_way_ = 0;
    draw_reset(signals_, phases_, 1, 0, 0, 0, 0, 0, 0, 0, 0);
}

void RenameTableBench::begin_phase() {
    ++phases_;
    left_ = 200 + pick(kPhaseCycles);
    fill_ = 0;
    in_.setup_valid = true;
    const std::uint32_t bits = 1 + pick(parameters_.unit_bits);
    in_.setup_units = 1 + pick(1U << bits);
    if (pick(2) == 0) {  // a set-up that a bit of the last row's units decides about
        const std::uint32_t row = parameters_.row_units();
        const std::uint32_t most_rows = parameters_.max_units() / row;
        const std::uint32_t rows = pick(most_rows >> pick(log2_of_power(most_rows)));
        in_.setup_units = rows * row + (pick(2) == 0 ? row : 1U << pick(log2_of_power(row)));
        left_ = pick(3) == 0 ? std::min(4U, most_rows + 1) + pick(rows + 1)
                             : 20 + pick(300);  // may end during the set-up
    }
    in_.setup_registers = pick(3) == 0
                              ? 1 + pick(parameters_.max_registers())
                              : std::min(parameters_.max_registers(), in_.setup_units + pick(3));
    constexpr std::array<std::uint32_t, 6> kRates = {256, 256, 230, 128, 40, 8};
    offer_ = kRates[pick(6)];
    take_ = kRates[pick(6)];
    map_ = kRates[pick(5)];
    share_ = pick(256);
    unmap_ = pick(64);
    if (is_quiet_phase()) {
        offer_ = take_ = map_ = 256;
    }
    if (pick(16) == 0) {
        const std::uint32_t most = std::min(parameters_.max_units(), parameters_.max_registers());
        fill_ = pick(2) == 0 ? most : 1 + pick(most);
        in_.setup_units = fill_;
        in_.setup_registers = fill_ == most ? parameters_.max_registers() : fill_;
        offer_ = take_ = map_ = 256;
        share_ = unmap_ = 8;
        left_ = fill_ + std::min(kFullCycles, 16 * most);
    }
    refused_phase_ = pick(8) == 0;
    if (refused_phase_) {
        fill_ = 0;
        const std::uint64_t excess = pick(2) == 0 ? 0 : rng_();
        const bool of_units = pick(2) == 0;
        const std::uint32_t most = of_units ? parameters_.max_units() : parameters_.max_registers();
        (of_units ? in_.setup_units : in_.setup_registers) =
            excess == 0 ? 0 : most + 1 + static_cast<std::uint32_t>(excess % (most - 1));
        left_ = std::min(left_, 20 + pick(100));
    }
}

void RenameTableBench::draw(const Outputs& expected) {
    signals_.draw(clock_cycles(), phases_, expected.setup_ready, expected.setup_error,
                  expected.in_ready, expected.out_valid, expected.old_valid, expected.died,
                  expected.map_ready, expected.free, expected.mapped);
}

void RenameTableBench::choose_inputs(bool more) {
    in_.out_ready = !more || happens(take_);
    if (!more) {
        // A mapping that waits for a register need not get one any more.
        if (in_.map_valid && model_.idle()) in_.map_valid = false;
        if (!model_.ready()) in_.in_valid = in_.map_valid = false;
        return;
    }
    if (!in_.setup_valid && left_ == 0) {
        begin_phase();
    }
    if (!model_.ready()) return offer_unset();
    if (!in_.in_valid && fill_ == 0 && happens(offer_)) choose_unit();
    if (!in_.map_valid && happens(map_)) choose_mapping();
}

/// Offers a unit and a mapping where there is no table. Neither is taken, and a set-up drops both.
void RenameTableBench::offer_unset() {
    if (in_.in_valid || !happens(64)) return;
    in_.in_valid = in_.map_valid = true;
    in_.unit = pick(parameters_.max_units());
    in_.map_unit = pick(parameters_.max_units());
    in_.map_op = static_cast<Op>(pick(4));
    in_.map_phys = pick(parameters_.max_registers());
}

/// Offers a unit, the next one or any other.
void RenameTableBench::choose_unit() {
    const auto units = static_cast<std::uint32_t>(states_.size());
    const std::uint32_t unit = pick(4) != 0 ? next_unit_++ % units : pick(units);
    if (states_[unit] != UnitState::kIdle) return;
    states_[unit] = UnitState::kIn;
    in_.in_valid = true;
    in_.unit = unit;
}

/// Offers a mapping of a unit that was taken, or of one that has none.
void RenameTableBench::choose_mapping() {
    std::uint32_t unit = 0;
    if (fill_ != 0 && !in_.setup_valid) {  // no unit ends until all have a register
        unit = --fill_;
        if (states_[unit] != UnitState::kIdle || model_.core().mapping(unit).valid()) return;
        states_[unit] = UnitState::kIn;
        in_.map_valid = true;
        in_.map_unit = unit;
        in_.map_op = Op::kNew;
        return;
    }
    if (!taken_.empty()) {
        const std::uint32_t place = pick(static_cast<std::uint32_t>(taken_.size()));
        unit = taken_[place];
        taken_[place] = taken_.back();
        taken_.pop_back();
    } else {
        unit = pick(static_cast<std::uint32_t>(states_.size()));
        if (states_[unit] != UnitState::kIdle || model_.core().mapping(unit).valid()) return;
    }
    states_[unit] = UnitState::kIn;
    in_.map_valid = true;
    in_.map_unit = unit;
    in_.map_op = Op::kNew;
    if (happens(unmap_)) in_.map_op = pick(4) == 0 ? static_cast<Op>(3) : Op::kUnmapped;
    // A register may be shared only while it is in use, and a set-up would free it.
    if (in_.map_op == Op::kNew && !in_.setup_valid && happens(share_)) {
        const PhysRegId phys = used_register();
        if (!phys.valid()) return;
        in_.map_op = Op::kShare;
        in_.map_phys = phys.value();
    }
}

PhysRegId RenameTableBench::used_register() {
    // The last chance of a register that is about to die.
    if (model_.dropped().valid() && pick(4) == 0) return model_.dropped();
    for (int i = 0; i < 4; ++i) {
        const PhysRegId phys =
            model_.core().mapping(pick(static_cast<std::uint32_t>(states_.size())));
        if (phys.valid()) return phys;
    }
    return {};
}

void RenameTableBench::spoil_idle_pins() {
    const std::uint64_t bits = noise_();
    if (!in_.in_valid) in_.unit = bits & (parameters_.max_units() - 1);
    if (!in_.map_valid) {
        in_.map_op = static_cast<Op>(bits >> 14U & 3U);
        in_.map_unit = bits >> 16U & (parameters_.max_units() - 1);
        in_.map_phys = bits >> 30U & (parameters_.max_registers() - 1);
    } else if (in_.map_op != Op::kShare) {
        in_.map_phys = bits >> 30U & (parameters_.max_registers() - 1);
    }
    if (!in_.setup_valid) {
        in_.setup_units = bits >> 44U & (2 * parameters_.max_units() - 1);
        in_.setup_registers = bits >> 47U & (2 * parameters_.max_registers() - 1);
    }
}

void RenameTableBench::take_edge(const Outputs& out, Scoreboard& scoreboard) {
    const bool mapped = in_.map_valid && out.map_ready != 0;
    const bool left = out.out_valid != 0 && in_.out_ready;
    const bool taken = in_.in_valid && out.in_ready != 0;
    const bool set = in_.setup_valid && out.setup_ready != 0;
    if (in_.map_valid && out.map_ready == 0 && !in_.setup_valid) ++waits_;
    if (in_.setup_valid && (in_.in_valid || in_.map_valid)) ++beside_;
    if (model_.dropped().valid() && out.died == 0) {
        ++relays_;
        const bool last = model_.core().count(model_.dropped()) == 1;
        if (last) ++saved_;
    }
    deaths_ += out.died;
    if (mapped) {
        ++operations_;
        ++mapped_[static_cast<std::size_t>(in_.map_op) % mapped_.size()];
        states_[in_.map_unit] = UnitState::kIdle;
        scoreboard.note(
            "unit {} mapped (0 and 3 to none, 1 to a new register, 2 to one in use): {}, {}",
            in_.map_unit, static_cast<std::uint64_t>(in_.map_op), out.map_phys);
    }
    if (left) {
        ++operations_;
        ++ends_;
        const std::uint32_t unit = way_[0];
        std::copy(way_.begin() + 1, way_.end(), way_.begin());
        --on_way_;
        states_[unit] = UnitState::kTaken;
        taken_.push_back(unit);
        scoreboard.note("unit {} leaves register {} ({}: it had one)", unit, out.old,
                        out.old_valid);
    }
    if (taken) way_[on_way_++] = in_.unit;
    plan_.edge(model_, in_, out);
    model_.edge(in_);
    if (taken) in_.in_valid = false;
    if (mapped) in_.map_valid = false;
    if (!set) return;
    scoreboard.note("set-up: {} units, {} registers", in_.setup_units, in_.setup_registers);
    in_.setup_valid = in_.in_valid = in_.map_valid = false;
    organised_ = true;
    refused_ += model_.outputs(in_).setup_error;
    plan_.set_up(in_, !model_.ready());
    states_.assign(model_.ready() ? in_.setup_units : 0, UnitState::kIdle);
    taken_.clear();
}

void RenameTableBench::compare(const Outputs& expected, const Outputs& got,
                               Scoreboard& scoreboard) {
    scoreboard.expect("setup_ready_o", expected.setup_ready, got.setup_ready);
    scoreboard.expect("setup_error_o", expected.setup_error, got.setup_error);
    scoreboard.expect("in_ready_o", expected.in_ready, got.in_ready);
    scoreboard.expect("out_valid_o", expected.out_valid, got.out_valid);
    scoreboard.expect("old_valid_o", expected.old_valid, got.old_valid);
    scoreboard.expect("old_o", expected.old, got.old);
    scoreboard.expect("died_o", expected.died, got.died);
    scoreboard.expect("died_phys_o", expected.died_phys, got.died_phys);
    scoreboard.expect("map_ready_o", expected.map_ready, got.map_ready);
    scoreboard.expect("map_phys_o", expected.map_phys, got.map_phys);
    scoreboard.expect("free_o", expected.free, got.free);
    scoreboard.expect("mapped_o", expected.mapped, got.mapped);
}

std::string RenameTableBench::describe_inputs() const {
    return fmt::format(
        "setup_valid {:d} units {} registers {}; in_valid {:d} unit {}; out_ready {:d}; map_valid "
        "{:d} op {} unit {} phys {}",
        in_.setup_valid, in_.setup_units, in_.setup_registers, in_.in_valid, in_.unit,
        in_.out_ready, in_.map_valid, static_cast<int>(in_.map_op), in_.map_unit, in_.map_phys);
}

void RenameTableBench::summarise(std::vector<std::string>& lines) const {
    lines.push_back(
        fmt::format("{} endings: {} deaths of registers, {} relays to other units, {} of them in "
                    "the last cycle",
                    ends_, deaths_, relays_, saved_));
    lines.push_back(
        fmt::format("{} mappings to none, {} to new registers, {} shared; {} cycles with "
                    "a mapping that waits",
                    mapped_[0], mapped_[1], mapped_[2], waits_));
    lines.push_back(
        fmt::format("{} set-ups ({} refused), {} cycles with another input beside a set-up, {} "
                    "resets",
                    phases_, refused_, beside_, resets_));
}

const RegisteredBench<RenameTableBench> kRegistered(
    "rename_table", "which register each unit of a fragment has", "mappings and endings",
    "setup_ready setup_error in_ready out_valid old_valid old died died_phys map_ready map_phys "
    "free mapped");

}  // namespace
}  // namespace tessera
