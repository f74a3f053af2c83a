// RTL rename table inside the detection unit, and the detection unit in RTL beside it.
#include <optional>

#include "sc_models/common/error.h"
#include "sc_models/cosim/block_report.h"
#include "sc_models/cosim/core_reference.h"
#include "sc_models/cosim/duplo_core_rtl.h"
#include "sc_models/cosim/lockstep.h"
#include "sc_models/cosim/rename_table_rtl.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/duplo/detection_devices.h"

namespace tessera {
namespace {

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

std::uint8_t log2_of_power(std::uint32_t power) {
    std::uint8_t bits = 0;
    while (power >> bits > 1) ++bits;
    return bits;
}

/// The detection unit in RTL, clocked in step with the machine. The clock stands while no unit is
/// under way, and runs on its own for a set-up.
class RtlCore : public CoreDevice {
public:
    RtlCore(const Config& config, const DevicePlace& place)
        : duplo_(config.duplo),
          lockstep_(config, place, RtlBlock::kDuploCore),
          report_(place, text_of(RtlBlock::kDuploCore).name),
          rtl_(rtl_seed(config, place)) {
        rtl_.break_by(config.impl.fault_of(RtlBlock::kDuploCore));
        if (place.wave != nullptr) rtl_.trace(*place.wave, rtl_scope(place, RtlBlock::kDuploCore));
    }

    void program(Cycle now, const ConvolutionPacket& packet, std::uint32_t shift,
                 std::uint32_t units, std::uint32_t registers) override {
        finish();
        if (units > DuploCoreRtl::kMaxUnits || registers > DuploCoreRtl::kMaxRegisters) {
            throw ConfigError(fmt::format(
                "impl.duplo_core: the RTL has at most {} units and registers, got {} and {} "
                "(resident warps, their A fragments and duplo.spare_units)",
                DuploCoreRtl::kMaxUnits, units, registers));
        }
        DuploCoreRtl::Setup setup;
        setup.packet = packet.encode();
        setup.kernel_tag = packet.kernel_tag;
        setup.log_sets = log2_of_power(duplo_.lhb_entries / duplo_.lhb_ways);
        setup.log_ways = log2_of_power(duplo_.lhb_ways);
        setup.shift = static_cast<std::uint8_t>(shift);
        setup.fold = duplo_.lhb_fold;
        setup.units = units;
        setup.registers = registers;
        rtl_.not_before(now);
        if (!rtl_.program(setup)) lockstep_.fail("the RTL refuses a set-up");
        reference_.skip_to(now);
    }
    void pass(const PipeUnit& unit, const PipeAnswer& answer) override {
        lockstep_.begin_operation();
        while (reference_.now() < unit.entered && !reference_.empty()) step();
        if (reference_.empty() && reference_.now() < unit.entered) {
            reference_.skip_to(unit.entered);
            rtl_.not_before(unit.entered);
        }
        reference_.add(unit, answer, lockstep_.access_in_service());
    }
    void clear() override {
        finish();
        rtl_.clear();
    }
    void finish() override {
        while (!reference_.empty()) step();
    }
    [[nodiscard]] std::uint64_t rtl_cycles() const override { return rtl_.clock_cycles(); }

private:
    void step() {
        const DuploCoreRtl::Outputs got = rtl_.step(reference_.inputs());
        if (report_.wanted() && got.out_valid != 0) report(got);
        lockstep_.compare_for(reference_.compared_access());
        reference_.check(got, lockstep_.at(reference_.now()));
        lockstep_.require_agreement();
    }

    /// Reports the answer to a unit.
    void report(const DuploCoreRtl::Outputs& got) {
        report_.add(std::uint64_t{got.unit} << 32U | got.phys);
        report_.add(std::uint64_t{got.kind} << 32U | got.bypass);
        report_.send(reference_.now());
    }

    const DuploConfig duplo_;
    Lockstep lockstep_;
    BlockReport report_;
    DuploCoreRtl rtl_;
    CoreReference reference_;
};

}  // namespace

std::unique_ptr<Device> make_rtl_rename_table(const Config& config, const DevicePlace& place) {
    return std::make_unique<RtlRename>(config, place);
}

std::unique_ptr<Device> make_rtl_duplo_core(const Config& config, const DevicePlace& place) {
    return std::make_unique<RtlCore>(config, place);
}

}  // namespace tessera
