// RTL of the whole detection unit beside its model.
#include "sc_models/common/error.h"
#include "sc_models/common/log2.h"
#include "sc_models/cosim/block_report.h"
#include "sc_models/cosim/core_reference.h"
#include "sc_models/cosim/duplo_core_rtl.h"
#include "sc_models/cosim/lockstep.h"
#include "sc_models/cosim/rtl_devices.h"
#include "sc_models/duplo/detection_devices.h"

namespace tessera {
namespace {

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

std::unique_ptr<Device> make_rtl_duplo_core(const Config& config, const DevicePlace& place) {
    return std::make_unique<RtlCore>(config, place);
}

}  // namespace tessera
