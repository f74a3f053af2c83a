// RTL ID generator, load history buffer and rename table inside the detection unit.
#include <array>
#include <optional>

#include "sc_models/cosim/block_report.h"
#include "sc_models/cosim/clocked_detection.h"
#include "sc_models/cosim/id_generator_rtl.h"
#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/cosim/lockstep.h"
#include "sc_models/cosim/rename_table_rtl.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/duplo/detection_devices.h"

namespace tessera {
namespace {

/// Whether the detection unit's pipe matches the RTL's; the RTL is then clocked with the machine.
/// With the pipe as built, RTL of the whole unit is (RtlCore).
bool is_clocked(const DuploConfig& duplo) {
    return duplo.lookups_per_cycle == 1 && duplo.pipe == PipeTiming::kAssumed &&
           duplo.latency_cycles == IdGeneratorRtl::kLatency + LoadHistoryBufferRtl::kLatency;
}

/// Extent of a comparison, for its report.
std::string_view compared(const DuploConfig& duplo) {
    return is_clocked(duplo) ? Lockstep::kResultsAndCycles : Lockstep::kResults;
}

/// ID generator of a detection unit. The model, or an RTL called like the model, provides the
/// answer to the machine. If the pipes match, a second RTL is clocked with the machine and must
/// give the same answer in its cycle.
class RtlIds : public IdDevice {
public:
    RtlIds(const Config& config, const DevicePlace& place)
        : lockstep_(config, place, RtlBlock::kIdGenerator, compared(config.duplo)),
          report_(place, text_of(RtlBlock::kIdGenerator).name) {
        const std::uint32_t seed = rtl_seed(config, place);
        const bool compared = config.impl.of(RtlBlock::kIdGenerator) == Implementation::kBoth;
        if (compared) model_.emplace();
        if (is_clocked(config.duplo)) clocked_.emplace(seed, lockstep_);
        if (!clocked_ || !compared) rtl_.emplace(seed);
        IdGeneratorRtl& shown = clocked_ ? clocked_->rtl() : *rtl_;
        shown.break_by(config.impl.fault_of(RtlBlock::kIdGenerator));
        if (place.wave != nullptr)
            shown.trace(*place.wave, rtl_scope(place, RtlBlock::kIdGenerator));
    }

    void program(Cycle now, const ConvolutionPacket& packet, IdFormula formula) override {
        if (model_) model_->program(packet, formula);
        if (clocked_) clocked_->program(now, packet, formula);
        if (!rtl_) return;
        rtl_->not_before(now);
        rtl_->program(packet, formula);
    }
    void generate(Cycle now, Address address, std::uint32_t row_pitch_bytes,
                  std::uint32_t group_rows, DataId* out) override {
        lockstep_.begin_operation();
        if (!rtl_) {
            model_->generate(address, row_pitch_bytes, group_rows, out);
            return;
        }
        rtl_->not_before(now);
        rtl_->generate(address, row_pitch_bytes, group_rows, out);
        if (report_.wanted()) report(now, group_rows, out);
        if (!model_) return;
        std::array<DataId, kFragmentRows> expected;
        model_->generate(address, row_pitch_bytes, group_rows, expected.data());
        Scoreboard& scoreboard = lockstep_.at(now);
        scoreboard.note("load at {:#x}, pitch {} bytes, {} rows a group", address, row_pitch_bytes,
                        group_rows);
        for (std::uint32_t i = 0; i < kFragmentRows / group_rows; ++i) {
            compare(scoreboard, i, expected[i], out[i]);
        }
        lockstep_.require_agreement();
    }
    void pass(Cycle entered, Cycle left, Address address, const DataId& id) override {
        if (clocked_) clocked_->pass(entered, left, address, id);
    }
    void finish() override {
        if (clocked_) clocked_->finish();
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const override {
        return clocked_ ? clocked_->clock_cycles() : rtl_->clock_cycles();
    }

private:
    void report(Cycle now, std::uint32_t group_rows, const DataId* out) {
        for (std::uint32_t i = 0; i < kFragmentRows / group_rows; ++i) {
            report_.add(static_cast<std::uint64_t>(out[i].bypass));
            if (!out[i].valid()) continue;
            report_.add(out[i].element);
            report_.add(std::uint64_t{out[i].batch} << 1U | (out[i].zero ? 1 : 0));
        }
        report_.send(now);
    }
    static void compare(Scoreboard& scoreboard, std::uint32_t row, const DataId& expected,
                        const DataId& got) {
        scoreboard.expect("bypass", row, static_cast<std::uint64_t>(expected.bypass),
                          static_cast<std::uint64_t>(got.bypass));
        if (!expected.valid()) return;
        scoreboard.expect("element", row, expected.element, got.element);
        scoreboard.expect("batch", row, expected.batch, got.batch);
        scoreboard.expect("extra", row, expected.extra, got.extra);
        scoreboard.expect("zero", row, expected.zero ? 1 : 0, got.zero ? 1 : 0);
    }

    Lockstep lockstep_;
    BlockReport report_;
    std::optional<IdGenerator> model_;
    std::optional<IdGeneratorRtl> rtl_;  ///< called like the model
    std::optional<ClockedIds> clocked_;
};

/// Load history buffer of a detection unit, built like RtlIds.
class RtlHistory : public HistoryDevice {
public:
    RtlHistory(const Config& config, const DevicePlace& place)
        : lockstep_(config, place, RtlBlock::kLoadHistoryBuffer, compared(config.duplo)),
          report_(place, text_of(RtlBlock::kLoadHistoryBuffer).name) {
        const DuploConfig& duplo = config.duplo;
        const std::uint32_t seed = rtl_seed(config, place);
        const bool compared = config.impl.of(RtlBlock::kLoadHistoryBuffer) == Implementation::kBoth;
        if (compared) model_.emplace(duplo.lhb_entries, duplo.lhb_ways, duplo.lhb_fold);
        if (is_clocked(duplo)) {
            clocked_.emplace(duplo.lhb_entries, duplo.lhb_ways, duplo.lhb_fold, seed, lockstep_);
        }
        if (!clocked_ || !compared) {
            rtl_.emplace(duplo.lhb_entries, duplo.lhb_ways, duplo.lhb_fold, seed);
        }
        LoadHistoryBufferRtl& shown = clocked_ ? clocked_->rtl() : *rtl_;
        shown.break_by(config.impl.fault_of(RtlBlock::kLoadHistoryBuffer));
        if (place.wave != nullptr)
            shown.trace(*place.wave, rtl_scope(place, RtlBlock::kLoadHistoryBuffer));
    }

    void at(Cycle now) override {
        now_ = now;
        if (rtl_) rtl_->not_before(now);
    }
    void program(std::uint32_t shift, std::uint32_t registers) override {
        if (rtl_) rtl_->program(shift, registers);
        if (clocked_) clocked_->program(shift, registers);
        if (model_) model_->program(shift, registers);
    }
    [[nodiscard]] PhysRegId find(const LhbKey& key) override {
        lockstep_.begin_operation();
        const PhysRegId found = rtl_ ? rtl_->find(key) : model_->find(key);
        report(found.value());
        if (clocked_ || model_) note("look up element {:#x} image {} owner {:#x}", key);
        if (clocked_) {
            clocked_->operate(now_, Op::kLookup, key, {}, {found.valid(), false, found});
        } else if (model_) {
            compare("hit", model_->find(key), found);
        }
        require_sound();
        return found;
    }
    LoadHistoryBuffer::Replaced insert(const LhbKey& key, PhysRegId phys) override {
        lockstep_.begin_operation();
        const LoadHistoryBuffer::Replaced replaced =
            rtl_ ? rtl_->insert(key, phys) : model_->insert(key, phys);
        report(std::uint64_t{replaced.phys.value()} << 1U | (replaced.same_key ? 1 : 0));
        if (clocked_ || model_) {
            note("insert element {:#x} image {} owner {:#x} register {}", key, phys.value());
        }
        if (clocked_) {
            clocked_->operate(now_, Op::kInsert, key, phys,
                              {replaced.phys.valid(), replaced.same_key, replaced.phys});
        } else if (model_) {
            const LoadHistoryBuffer::Replaced expected = model_->insert(key, phys);
            lockstep_.at(now_).expect("same_key", expected.same_key ? 1 : 0,
                                      replaced.same_key ? 1 : 0);
            compare("replaced", expected.phys, replaced.phys);
        }
        require_sound();
        return replaced;
    }
    bool release(PhysRegId phys) override {
        lockstep_.begin_operation();
        const bool named = rtl_ ? rtl_->release(phys) : model_->release(phys);
        report(named ? 1 : 0);
        Scoreboard& scoreboard = lockstep_.at(now_);
        scoreboard.note("release register {}", phys.value());
        if (clocked_) {
            clocked_->operate(now_, Op::kRelease, {}, phys, {named, false, {}});
        } else if (model_) {
            scoreboard.expect("had_entry", model_->release(phys) ? 1 : 0, named ? 1 : 0);
            lockstep_.require_agreement();
        }
        require_sound();
        return named;
    }
    void clear() override {
        if (rtl_) rtl_->clear();
        if (clocked_) clocked_->clear();
        if (model_) model_->clear();
    }
    void finish() override {
        if (clocked_) clocked_->finish();
    }
    [[nodiscard]] std::size_t size() const override { return rtl_ ? rtl_->size() : model_->size(); }
    [[nodiscard]] std::uint64_t rtl_cycles() const override {
        return clocked_ ? clocked_->clock_cycles() : rtl_->clock_cycles();
    }

private:
    using Op = LoadHistoryBufferRtl::Op;
    /// Reports the answer to an operation.
    void report(std::uint64_t answer) {
        if (!report_.wanted()) return;
        report_.add(answer);
        report_.send(now_);
    }
    /// Called after the comparison with the model, whose report is more detailed.
    void require_sound() const {
        if (rtl_ && !rtl_->violation().empty()) lockstep_.fail(rtl_->violation());
    }
    void note(const char* format, const LhbKey& key, std::uint64_t phys = 0) {
        lockstep_.at(now_).note(format, key.element(), key.batch(), key.high, phys);
    }
    void compare(std::string_view signal, PhysRegId expected, PhysRegId got) {
        lockstep_.at(now_).expect(signal, expected.value(), got.value());
        lockstep_.require_agreement();
    }

    Lockstep lockstep_;
    BlockReport report_;
    std::optional<LoadHistoryBuffer> model_;
    std::optional<LoadHistoryBufferRtl> rtl_;  ///< called like the model
    std::optional<ClockedHistory> clocked_;
    Cycle now_ = 0;
};

/// Rename table of a detection unit in RTL, alone or compared with its model at every operation.
class RtlRename : public RenameDevice {
public:
    RtlRename(const Config& config, const DevicePlace& place)
        : lockstep_(config, place, RtlBlock::kRenameTable, Lockstep::kResults),
          report_(place, text_of(RtlBlock::kRenameTable).name),
          rtl_(rtl_seed(config, place)) {
        if (config.impl.of(RtlBlock::kRenameTable) == Implementation::kBoth) model_.emplace();
        rtl_.break_by(config.impl.fault_of(RtlBlock::kRenameTable));
        if (place.wave != nullptr) {
            rtl_.trace(*place.wave, rtl_scope(place, RtlBlock::kRenameTable));
        }
    }

    void at(Cycle now) override {
        now_ = now;
        rtl_.not_before(now);
    }
    void reset(std::uint32_t units, std::uint32_t registers) override {
        rtl_.program(units, registers);
        if (model_) model_->reset(units, registers, false);
    }
    Ended end(std::uint32_t unit) override {
        begin("end the mapping of unit {}", unit);
        const RenameTableRtl::Ended got = rtl_.end(unit);
        if (model_) {
            const PhysRegId old = model_->detach(unit);
            const bool last = old.valid() && model_->drop(old);
            expect("old", old, got.old);
            expect("died", last ? 1 : 0, got.died ? 1 : 0);
        }
        finish(std::uint64_t{got.old.value()} << 1U | (got.died ? 1 : 0));
        return {got.old, got.died};
    }
    PhysRegId map_new(std::uint32_t unit) override {
        begin("map unit {} to a new register", unit);
        const PhysRegId got = rtl_.map_new(unit);
        if (model_) expect("new", model_->map_new(unit), got);
        finish(got.value());
        return got;
    }
    void share(std::uint32_t unit, PhysRegId phys) override {
        begin("map unit {} to register {}", unit, phys.value());
        rtl_.share(unit, phys);
        if (model_) static_cast<void>(model_->share(unit, phys));
        finish(phys.value());
    }
    [[nodiscard]] PhysRegId mapping(std::uint32_t unit) const override {
        return rtl_.mapping(unit);
    }
    [[nodiscard]] std::uint32_t physical_units() const override { return rtl_.registers(); }
    [[nodiscard]] std::uint32_t free_units() const override { return rtl_.free_registers(); }
    [[nodiscard]] std::uint32_t mapped_units() const override { return rtl_.mapped_units(); }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return rtl_.clock_cycles(); }

private:
    void begin(const char* format, std::uint64_t a, std::uint64_t b = 0) {
        lockstep_.begin_operation();
        lockstep_.at(now_).note(format, a, b);
    }
    void expect(std::string_view signal, std::uint64_t expected, std::uint64_t got) {
        lockstep_.at(now_).expect(signal, expected, got);
    }
    void expect(std::string_view signal, PhysRegId expected, PhysRegId got) {
        lockstep_.at(now_).expect(signal, expected.value(), got.value());
    }
    /// Reports the answer to an operation, compares the counts, and ends the run if anything
    /// differed.
    void finish(std::uint64_t answer) {
        if (report_.wanted()) {
            report_.add(answer);
            report_.add(std::uint64_t{rtl_.free_registers()} << 32U | rtl_.mapped_units());
            report_.send(now_);
        }
        if (model_) {
            expect("free", model_->free_units(), rtl_.free_registers());
            expect("mapped", model_->mapped_units(), rtl_.mapped_units());
            lockstep_.require_agreement();
        }
        if (!rtl_.violation().empty()) lockstep_.fail(rtl_.violation());
    }

    Lockstep lockstep_;
    BlockReport report_;
    std::optional<RenameTable> model_;
    RenameTableRtl rtl_;
    Cycle now_ = 0;
};

}  // namespace

std::unique_ptr<Device> make_rtl_id_generator(const Config& config, const DevicePlace& place) {
    return std::make_unique<RtlIds>(config, place);
}

std::unique_ptr<Device> make_rtl_load_history_buffer(const Config& config,
                                                     const DevicePlace& place) {
    return std::make_unique<RtlHistory>(config, place);
}

std::unique_ptr<Device> make_rtl_rename_table(const Config& config, const DevicePlace& place) {
    return std::make_unique<RtlRename>(config, place);
}

}  // namespace tessera
