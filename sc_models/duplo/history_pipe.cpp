#include "sc_models/duplo/history_pipe.h"

#include <algorithm>

namespace tessera {

Cycle HistoryPipe::enter(Cycle now) {
    entered_ = port_->open_at(now);
    port_->enter(entered_);
    return entered_;
}

Cycle HistoryPipe::leave() {
    const LookupPort::Departure left = port_->leave();
    late_ = left.late;
    return left.at;
}

/// Executes the lookup of the unit that entered last.
void HistoryPipe::look_up() {
    looked_up_ = operate();
    buffer_.at(looked_up_);
}

void HistoryPipe::insert(const LhbKey& key, PhysRegId phys) {
    if (!port_) {
        listener_->on_inserted(phys, buffer_.insert(key, phys));
        return;
    }
    port_->add_insertion(looked_up_);
    insertions_.push_back({key, phys});
}

bool HistoryPipe::release(PhysRegId phys) {
    if (port_) {
        settle_insertion_of(phys);
        buffer_.at(operate());
    }
    return buffer_.release(phys);
}

bool HistoryPipe::release_behind(PhysRegId phys) {
    buffer_.at(port_->operate_behind([this](Cycle at) { insert_oldest(at); }));
    return buffer_.release(phys);
}

bool HistoryPipe::keeps(PhysRegId phys) {
    if (port_) settle_insertion_of(phys);
    return buffer_.keeps(phys);
}

void HistoryPipe::settle() {
    if (port_) port_->settle([this](Cycle at) { insert_oldest(at); });
}

void HistoryPipe::settle_at(Cycle now) {
    settle();
    if (port_) port_->skip_to(now);
}

Cycle HistoryPipe::operate() {
    return port_->operate([this](Cycle at) { insert_oldest(at); });
}

void HistoryPipe::insert_oldest(Cycle at) {
    buffer_.at(at);
    const PendingInsertion oldest = insertions_.front();
    listener_->on_inserted(oldest.phys, buffer_.insert(oldest.key, oldest.phys));
    insertions_.pop_front();
}

/// Executes the pending insertions first if one is for `phys`, which dies: its entry must exist to
/// be released.
void HistoryPipe::settle_insertion_of(PhysRegId phys) {
    const bool pending = std::any_of(insertions_.begin(), insertions_.end(),
                                     [phys](const auto& i) { return i.phys == phys; });
    if (pending) settle();
}

}  // namespace tessera
