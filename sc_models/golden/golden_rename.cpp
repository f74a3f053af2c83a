// C interface of Duplo's rename table.
#include <deque>
#include <string>
#include <vector>

#include "sc_models/golden/golden_call.h"
#include "sc_models/pins/clocked_rename_table.h"

namespace tessera {

/// A rename table that refuses what breaks the caller's part.
class GoldenRenameTable {
public:
    using Inputs = tessera_golden_rename_table_inputs;
    using Outputs = tessera_golden_rename_table_outputs;

    void reset() {
        table_.reset();
        states_.clear();
        under_way_.clear();
    }
    Outputs step(const Inputs& in) {
        const ClockedRenameTable::Inputs pins = pins_of(in);
        // Refuse before outputs(), which looks the register up.
        if (pins.map_valid) check_mapping(pins);
        const ClockedRenameTable::Outputs from = table_.outputs(pins);
        if (pins.in_valid && from.in_ready != 0) check_unit(pins.unit);
        table_.edge(pins);
        follow(pins, from);
        return {from.setup_ready, from.setup_error, from.in_ready, from.out_valid,
                from.old_valid,   from.old,         from.died,     from.died_phys,
                from.map_ready,   from.map_phys,    from.free,     from.mapped};
    }

private:
    enum class State : std::uint8_t {
        kIdle,      ///< with or without a register
        kUnderWay,  ///< its mapping ends
        kTaken      ///< waits for its mapping
    };

    static ClockedRenameTable::Inputs pins_of(const Inputs& in) {
        constexpr std::uint32_t kMostOp = 2;
        ClockedRenameTable::Inputs pins;
        pins.setup_valid = in.setup_valid != 0;
        if (pins.setup_valid) {
            need_at_most(in.setup_units, 2 * RenameTableRtl::kMaxUnits - 1, "setup_units");
            need_at_most(in.setup_registers, 2 * RenameTableRtl::kMaxRegisters - 1,
                         "setup_registers");
            pins.setup_units = in.setup_units;
            pins.setup_registers = in.setup_registers;
        }
        pins.in_valid = in.in_valid != 0;
        if (pins.in_valid) {
            need_at_most(in.unit, RenameTableRtl::kMaxUnits - 1, "unit");
            pins.unit = in.unit;
        }
        pins.out_ready = in.out_ready != 0;
        // map_ready depends on map_op whether a mapping is offered or not.
        need_at_most(in.map_op, kMostOp, "map_op");
        pins.map_op = static_cast<RenameTableRtl::Op>(in.map_op);
        pins.map_valid = in.map_valid != 0;
        if (pins.map_valid) {
            need_at_most(in.map_unit, RenameTableRtl::kMaxUnits - 1, "map_unit");
            need_at_most(in.map_phys, RenameTableRtl::kMaxRegisters - 1, "map_phys");
            pins.map_unit = in.map_unit;
            pins.map_phys = in.map_phys;
        }
        return pins;
    }
    static void need(bool allowed, const char* what, std::uint32_t number, const char* problem) {
        if (allowed) return;
        throw GoldenRefusal(TESSERA_GOLDEN_BAD_OPERATION, what + std::to_string(number) + problem);
    }
    void check_mapping(ClockedRenameTable::Inputs pins) const {
        // A mapping to no register is accepted whenever any mapping may be.
        const RenameTableRtl::Op op = pins.map_op;
        pins.map_valid = false;
        if (table_.outputs(pins).map_ready == 0) return;
        const std::uint32_t unit = pins.map_unit;
        need(unit < states_.size(), "unit ", unit, " is not one of the set-up");
        need(states_[unit] != State::kUnderWay, "unit ", unit, " is under way");
        need(!table_.core().mapping(unit).valid(), "unit ", unit, " has a register");
        if (op != RenameTableRtl::Op::kShare) return;
        need(pins.map_phys < table_.core().physical_units() &&
                 table_.core().count(PhysRegId{pins.map_phys}) != 0,
             "register ", pins.map_phys, " has no unit");
    }
    void check_unit(std::uint32_t unit) const {
        need(unit < states_.size(), "unit ", unit, " is not one of the set-up");
        need(states_[unit] == State::kIdle, "unit ", unit,
             " is under way or waits for its mapping");
    }
    /// Follows the states of the units over the rising edge.
    void follow(const ClockedRenameTable::Inputs& pins, const ClockedRenameTable::Outputs& from) {
        if (pins.map_valid && from.map_ready != 0) states_[pins.map_unit] = State::kIdle;
        if (from.out_valid != 0 && pins.out_ready) {
            states_[under_way_.front()] = State::kTaken;
            under_way_.pop_front();
        }
        if (pins.in_valid && from.in_ready != 0) {
            states_[pins.unit] = State::kUnderWay;
            under_way_.push_back(pins.unit);
        }
        if (pins.setup_valid && from.setup_ready != 0 && table_.ready()) {
            states_.assign(pins.setup_units, State::kIdle);
        }
    }

    ClockedRenameTable table_;
    std::vector<State> states_;            ///< by unit
    std::deque<std::uint32_t> under_way_;  ///< units, oldest first
};

}  // namespace tessera

struct tessera_golden_rename_table {
    tessera::GoldenRenameTable model;
};

int tessera_golden_rename_table_create(tessera_golden_rename_table** handle) {
    return tessera::golden_create(__func__, handle);
}

void tessera_golden_rename_table_destroy(tessera_golden_rename_table* handle) {
    delete handle;
}

int tessera_golden_rename_table_reset(tessera_golden_rename_table* handle) {
    return tessera::golden_reset(__func__, handle);
}

int tessera_golden_rename_table_step(tessera_golden_rename_table* handle,
                                     const tessera_golden_rename_table_inputs* in,
                                     tessera_golden_rename_table_outputs* out) {
    return tessera::golden_step(__func__, handle, in, out,
                                [](auto& model, const auto& pins) { return model.step(pins); });
}
