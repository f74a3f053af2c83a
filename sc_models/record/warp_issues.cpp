#include "sc_models/record/warp_issues.h"

namespace tessera {

void WarpIssues::launch(SmId sm, WarpId slot, CtaId cta, std::uint32_t warp_of_cta) {
    std::vector<Slot>& slots = sms_[sm.value()].slots;
    if (slots.size() <= slot.value()) slots.resize(slot.value() + 1);
    slots[slot.value()] = {cta.value(), warp_of_cta, 0};
}

void WarpIssues::issue(SmId sm, SubCoreId sub_core, WarpId slot, std::uint32_t opcode, Cycle at) {
    Sm& here = sms_[sm.value()];
    if (here.slots.size() <= slot.value()) here.slots.resize(slot.value() + 1);  // assistant warp
    if (here.last.size() <= sub_core.value()) here.last.resize(sub_core.value() + 1);
    here.last[sub_core.value()] = {slot, here.slots[slot.value()].issued++, opcode, at};
}

WarpIssues::Issued WarpIssues::last(std::uint32_t sm, std::uint32_t sub_core) const {
    const Sm& here = sms_.at(sm);
    const LastIssue& last = here.last[sub_core];
    const Slot& slot = here.slots[last.slot.value()];
    return {slot.cta, slot.warp, last.index, last.opcode, last.at};
}

}  // namespace tessera
