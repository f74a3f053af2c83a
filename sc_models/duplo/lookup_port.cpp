#include "sc_models/duplo/lookup_port.h"

#include <algorithm>

namespace tessera {

Cycle LookupPort::open_at(Cycle now) const {
    Cycle at = entries_.next(now);
    for (const Cycle stand : stands_) {
        if (stand == at) ++at;
    }
    // With depth 0 the LHB itself accepts the unit.
    return depth_ == 0 ? next_place(at) : at;
}

Cycle LookupPort::next_place(Cycle earliest) const {
    Places places = places_;
    for (const Cycle ready : insertions_) {
        const Cycle first = places.next(ready);
        if (first > places.next(earliest)) break;
        places.take(first);
    }
    return places.next(earliest);
}

void LookupPort::enter(Cycle at) {
    entries_.take(at);
    while (!stands_.empty() && stands_.front() < at) stands_.pop_front();
    // All units that stall the pipe are in front of this one.
    unheld_ = at + depth_;
    skip_to(unheld_ + stands_.size());
    left_ = arrival_;
}

LookupPort::Departure LookupPort::leave() {
    if (left_ < released_) left_ = released_;
    if (depth_ > 0) {
        const Cycle known = stands_.empty() ? 0 : stands_.back() + 1;
        for (Cycle stand = std::max(arrival_, known); stand < left_; ++stand) {
            stands_.push_back(stand);
        }
    }
    arrival_ = left_;
    return {left_, left_ - unheld_};
}

}  // namespace tessera
