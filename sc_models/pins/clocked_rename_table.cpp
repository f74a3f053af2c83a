#include "sc_models/pins/clocked_rename_table.h"

#include "sc_models/common/types.h"

namespace tessera {

using RenameOp = RenameTableRtl::Op;

ClockedRenameTable::Outputs ClockedRenameTable::outputs(const Inputs& in) const {
    Outputs out;
    out.setup_ready = rows_left_ == 0 && idle() ? 1 : 0;
    out.setup_error = error_ ? 1 : 0;
    out.in_ready =
        units_.advances(in.out_ready) && ready_ && rows_left_ == 0 && !in.setup_valid ? 1 : 0;
    out.out_valid = units_.out_valid() ? 1 : 0;
    if (out.out_valid != 0) {
        const PhysRegId old = core_.mapping(units_.out());
        out.old_valid = old.valid() ? 1 : 0;
        out.old = old.valid() ? old.value() : 0;
    }
    out.map_ready = map_ready(in) ? 1 : 0;
    if (maps(in)) {
        out.map_phys = in.map_op == RenameOp::kShare ? in.map_phys : core_.first_free().value();
    }
    const bool shared = maps(in) && in.map_op == RenameOp::kShare && dropped_.valid() &&
                        in.map_phys == dropped_.value();
    if (dropped_.valid() && core_.count(dropped_) == 1 && !shared) {
        out.died = 1;
        out.died_phys = dropped_.value();
    }
    out.free = core_.free_units();
    out.mapped = core_.mapped_units();
    return out;
}

bool ClockedRenameTable::map_ready(const Inputs& in) const {
    return ready_ && rows_left_ == 0 && !in.setup_valid &&
           (in.map_op != RenameOp::kNew || core_.free_units() != 0);
}

void ClockedRenameTable::edge(const Inputs& in) {
    const Outputs out = outputs(in);
    // 1. A unit is mapped, before the register of a unit taken earlier may die.
    counting_ = maps(in);
    if (counting_ && in.map_op == RenameOp::kNew) core_.map_new(in.map_unit);
    if (counting_ && in.map_op == RenameOp::kShare) {
        core_.share(in.map_unit, PhysRegId{in.map_phys});
    }
    if (dropped_.valid()) core_.drop(dropped_);

    // 2. A mapping ends.
    dropped_ = PhysRegId{};
    if (out.out_valid != 0 && in.out_ready) dropped_ = core_.detach(units_.out());
    units_.edge(in.out_ready, in.in_valid && out.in_ready != 0, in.unit);

    if (in.setup_valid && out.setup_ready != 0) {
        set_up(in);
    } else if (rows_left_ != 0) {
        --rows_left_;
    }
}

void ClockedRenameTable::reset() {
    units_.reset();
    core_.reset(0, 0, false);
    dropped_ = PhysRegId{};
    counting_ = ready_ = error_ = false;
    rows_left_ = 0;
}

void ClockedRenameTable::set_up(const Inputs& in) {
    ready_ = in.setup_units != 0 && in.setup_units <= parameters_.max_units() &&
             in.setup_registers != 0 && in.setup_registers <= parameters_.max_registers();
    error_ = !ready_;
    if (!ready_) return;
    core_.reset(in.setup_units, in.setup_registers, false);
    rows_left_ = ceil_div(in.setup_units, parameters_.row_units());
}

}  // namespace tessera
