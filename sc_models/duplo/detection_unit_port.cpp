// Units in the pipe of the detection unit, with limited lookups: operations of the load history
// buffer and their cycles.
#include <algorithm>

#include "sc_models/duplo/detection_unit.h"

namespace tessera {

/// Enters a unit of `active` that comes at `now`; returns false if it is not looked up.
bool DetectionUnit::enter_port(Cycle now, const ActiveLoad& active) {
    if (!passes_port(active)) {
        port_->skip_to(now);
        late_ = 0;
        return false;
    }
    entered_ = port_->open_at(now);
    port_->enter(entered_);
    return true;
}

Cycle DetectionUnit::operate() {
    return port_->operate([this](Cycle at) { insert_oldest(at); });
}

PhysRegId DetectionUnit::find_in_time(const LhbKey& key) {
    looked_up_ = operate();
    lhb_.at(looked_up_);
    return lhb_.find(key);
}

void DetectionUnit::insert_in_time(const LhbKey& key, PhysRegId phys) {
    port_->add_insertion(looked_up_);
    insertions_.push_back({key, phys});
}

bool DetectionUnit::release_in_time(PhysRegId phys) {
    settle_insertion_of(phys);
    lhb_.at(operate());
    return lhb_.release(phys);
}

void DetectionUnit::insert_oldest(Cycle at) {
    lhb_.at(at);
    insert<false>(insertions_.front().key, insertions_.front().phys);
    insertions_.pop_front();
}

void DetectionUnit::settle_insertions() {
    port_->settle([this](Cycle at) { insert_oldest(at); });
}

/// Inserts pending entries first if one is for `phys`, which dies: its entry must exist to be
/// released.
void DetectionUnit::settle_insertion_of(PhysRegId phys) {
    const bool pending = std::any_of(insertions_.begin(), insertions_.end(),
                                     [phys](const auto& i) { return i.phys == phys; });
    if (pending) settle_insertions();
}

/// Ends the unit that entered the port last, after all its operations.
void DetectionUnit::leave_port(const ActiveLoad& active, std::uint32_t group) {
    const LookupPort::Departure left = port_->leave();
    late_ = left.late;
    if (!ids_.has_device()) return;
    const Address address = active.load.row(group * shape_.rows());
    ids_.pass(entered_, left.at, address, active.ids[group]);
}

}  // namespace tessera
