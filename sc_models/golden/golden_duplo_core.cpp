// C interface of Duplo's detection unit.
#include <algorithm>
#include <cstring>
#include <deque>
#include <string>

#include "sc_models/golden/golden_call.h"
#include "sc_models/pins/clocked_duplo_core.h"

namespace tessera {

/// A detection unit that refuses what breaks the caller's part.
class GoldenDuploCore {
public:
    using Inputs = tessera_golden_duplo_core_inputs;
    using Outputs = tessera_golden_duplo_core_outputs;

    void reset() {
        core_.reset();
        units_ = 0;
        recent_.clear();
    }
    Outputs step(const Inputs& in) {
        const ClockedDuploCore::Inputs pins = pins_of(in);
        const ClockedDuploCore::Outputs before = core_.outputs(pins);
        const bool sets_up = pins.setup_valid && before.setup_ready != 0;
        const bool takes = pins.in_valid && before.in_ready != 0;
        if (sets_up) check_setup(pins.setup);
        if (takes) check_unit(pins.unit);
        const ClockedDuploCore::Outputs out = core_.step(pins);
        if (sets_up) {
            units_ = pins.setup.units;
            recent_.clear();
        }
        if (takes) {
            recent_.push_back(pins.unit);
            if (recent_.size() > kBetween) recent_.pop_front();
        }
        return {out.setup_ready, out.setup_error, out.clear_ready, out.in_ready, out.out_valid,
                out.kind,        out.bypass,      out.unit,        out.phys};
    }

private:
    /// Other units that come before a unit may come again.
    static constexpr std::size_t kBetween = 15;

    static ClockedDuploCore::Inputs pins_of(const Inputs& in) {
        constexpr std::uint32_t kMostOp = 2, kMostLogSets = 15, kMostLogWays = 7;
        constexpr std::uint32_t kMostTag = 255, kMostDomain = (1U << 24U) - 1;
        ClockedDuploCore::Inputs pins;
        pins.setup_valid = in.setup_valid != 0;
        if (pins.setup_valid) {
            need_at_most(in.setup_kernel_tag, kMostTag, "setup_kernel_tag");
            need_at_most(in.setup_log_sets, kMostLogSets, "setup_log_sets");
            need_at_most(in.setup_log_ways, kMostLogWays, "setup_log_ways");
            need_at_most(in.setup_shift, LoadHistoryBufferRtl::kMaxShift, "setup_shift");
            need_at_most(in.setup_units, 2 * DuploCoreRtl::kMaxUnits - 1, "setup_units");
            need_at_most(in.setup_registers, 2 * DuploCoreRtl::kMaxRegisters - 1,
                         "setup_registers");
            DuploCoreRtl::Setup& setup = pins.setup;
            std::memcpy(setup.packet.data(), in.setup_packet, sizeof in.setup_packet);
            setup.kernel_tag = static_cast<std::uint8_t>(in.setup_kernel_tag);
            setup.log_sets = static_cast<std::uint8_t>(in.setup_log_sets);
            setup.log_ways = static_cast<std::uint8_t>(in.setup_log_ways);
            setup.shift = static_cast<std::uint8_t>(in.setup_shift);
            setup.fold = in.setup_fold != 0;
            setup.units = in.setup_units;
            setup.registers = in.setup_registers;
        }
        pins.clear_valid = in.clear_valid != 0;
        pins.in_valid = in.in_valid != 0;
        if (pins.in_valid) {
            need_at_most(in.op, kMostOp, "op");
            need_at_most(in.unit, DuploCoreRtl::kMaxUnits - 1, "unit");
            need_at_most(in.domain, kMostDomain, "domain");
            pins.op = static_cast<PipeUnit::Op>(in.op);
            pins.address = std::uint64_t{in.address_high} << 32U | in.address_low;
            pins.unit = in.unit;
            pins.domain = in.domain;
        }
        return pins;
    }
    static void need(bool allowed, const std::string& problem) {
        if (!allowed) throw GoldenRefusal(TESSERA_GOLDEN_BAD_OPERATION, problem);
    }
    static void check_setup(const DuploCoreRtl::Setup& setup) {
        need(setup.registers >= setup.units, std::to_string(setup.registers) +
                                                 " registers are fewer than the " +
                                                 std::to_string(setup.units) + " units");
    }
    void check_unit(std::uint32_t unit) const {
        const std::string name = "unit " + std::to_string(unit);
        need(unit < units_, name + " is not one of the set-up");
        need(std::find(recent_.begin(), recent_.end(), unit) == recent_.end(),
             name + " was one of the last 15 units");
    }

    ClockedDuploCore core_;
    std::uint32_t units_ = 0;           ///< of the set-up
    std::deque<std::uint32_t> recent_;  ///< last units, oldest first
};

}  // namespace tessera

struct tessera_golden_duplo_core {
    tessera::GoldenDuploCore model;
};

int tessera_golden_duplo_core_create(tessera_golden_duplo_core** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_duplo_core_destroy(tessera_golden_duplo_core* handle) {
    delete handle;
}

int tessera_golden_duplo_core_reset(tessera_golden_duplo_core* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_duplo_core_step(tessera_golden_duplo_core* handle,
                                   const tessera_golden_duplo_core_inputs* in,
                                   tessera_golden_duplo_core_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out,
                                [](auto& model, const auto& pins) { return model.step(pins); });
}
