#include "sc_models/pins/clocked_assign_table.h"

namespace tessera {

ClockedAssignTable::Outputs ClockedAssignTable::outputs(const Inputs& in) const {
    Outputs out;
    if (valid_) out = answer_;
    out.setup_ready = removed_ == 0 ? 1 : 0;
    out.setup_error = error_ ? 1 : 0;
    out.in_ready = may_apply(in) && !removes_one(in) ? 1 : 0;
    out.out_valid = valid_ ? 1 : 0;
    out.size = core_.size() + leaving_;
    return out;
}

void ClockedAssignTable::edge(const Inputs& in) {
    const bool applied = applies(in);
    const bool left_one = applied && removes_one(in);
    if (in.out_ready) valid_ = false;
    if (left_one) {
        if (removed_ == 0) leaving_ = core_.invalidate(in.pair.input, SmId(in.sm));
        ++removed_;
        --leaving_;
    } else if (applied) {
        answer_ = {};
        apply(in);
        removed_ = 0;
        valid_ = true;
    } else if (sets_up(in)) {
        ready_ = in.setup_entries != 0 && in.setup_entries <= parameters_.max_entries();
        error_ = !ready_;
        if (!ready_) return;
        entries_ = in.setup_entries;
        core_ = AssignTable(entries_);
    }
}

void ClockedAssignTable::reset() {
    core_ = AssignTable(1);
    ready_ = error_ = valid_ = false;
    entries_ = removed_ = leaving_ = 0;
}

void ClockedAssignTable::apply(const Inputs& in) {
    switch (in.op) {
        case Rtl::Op::kLookup: {
            const SmId sm = core_.find(in.pair);
            if (!sm.valid()) return;
            answer_.done = 1;
            answer_.sm = sm.value();
            return;
        }
        case Rtl::Op::kInsert: {
            const std::uint64_t replaced = core_.counts().replaced;
            if (!core_.insert_if_absent(in.pair, SmId(in.sm))) return;
            answer_.done = 1;
            answer_.replaced = core_.counts().replaced != replaced ? 1 : 0;
            return;
        }
        case Rtl::Op::kInvalidate:
            answer_.count = removed_;
            break;
        case Rtl::Op::kFlush:
            answer_.count = core_.size();
            core_.flush();
            break;
    }
    answer_.done = answer_.count != 0 ? 1 : 0;
}

}  // namespace tessera
