#include <algorithm>
#include <stdexcept>

#include "sc_models/sm/ldst_unit_lt.h"

// Loosely-timed LDST unit: quanta that run ahead of SystemC's time.

namespace tessera {

void LdstUnitLt::forget_resolved() {
    if (!open_accesses_.empty() || resolved_units_ < open_units_.size()) return;
    awaited_.clear();
    unit_futures_.clear();
    open_units_.clear();
    resolved_units_ = 0;
}

/// Records that a unit is being loaded into `phys`, complete at `ready` and at the futures from
/// `first` on at the earliest.
void LdstUnitLt::expect_unit(PhysRegId phys, Cycle ready, std::size_t first) {
    open_units_.push_back({phys, ready, first, unit_futures_.size()});
    if (!ahead_->active()) resolve_units();  // synchronised meanwhile
}

/// Makes the access in service depend on the unit being loaded into `phys`.
void LdstUnitLt::await_unit(PhysRegId phys) {
    for (std::size_t i = open_units_.size(); i-- > 0;) {
        if (open_units_[i].phys != phys) continue;
        awaited_.push_back({static_cast<std::uint32_t>(i), true});
        return;
    }
    throw std::logic_error("LdstUnitLt: a hit on data that nobody loads");
}

/// Returns the completion of an access that depends on awaited_ from `first` on; kNever: unknown
/// yet.
Cycle LdstUnitLt::close(const WarpAccess& access, Cycle done, std::size_t first) {
    if (!ahead_->active()) return std::max(done, latest_answer(first, awaited_.size()));
    const WarpInstruction& instruction = *access.instruction;
    open_accesses_.push_back({access.sub_core,
                              {access.warp, instruction.dst, is_store(instruction.opcode()), done},
                              first,
                              awaited_.size()});
    return kNever;
}

Cycle LdstUnitLt::latest_answer(std::size_t first, std::size_t end) const {
    Cycle latest = 0;
    for (std::size_t i = first; i < end; ++i) {
        const Awaited& awaited = awaited_[i];
        latest = std::max(latest, awaited.is_unit ? open_units_[awaited.number].ready
                                                  : ahead_->cycle_of(awaited.number));
    }
    return latest;
}

void LdstUnitLt::resolve_units() {
    for (; resolved_units_ < open_units_.size(); ++resolved_units_) {
        OpenUnit& unit = open_units_[resolved_units_];
        for (std::size_t i = unit.first; i < unit.end; ++i) {
            unit.ready = std::max(unit.ready, ahead_->cycle_of(unit_futures_[i]));
        }
        filter_->set_ready(unit.phys, unit.ready);
    }
}

void LdstUnitLt::resolve() {
    resolve_units();
    for (OpenAccess& access : open_accesses_) {
        Cycle& done = access.completion.done;
        done = std::max(done, latest_answer(access.first, access.end));
        client(access.sub_core).on_ldst_completed(access.completion);
    }
    open_accesses_.clear();
}

}  // namespace tessera
