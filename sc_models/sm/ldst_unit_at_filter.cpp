// Fragment loads through the load filter, approximately timed: units are looked up one after the
// other in the cycles of their slots; each row of a missed unit is requested once.
#include <algorithm>

#include "sc_models/sm/ldst_unit_at.h"

namespace tessera {

void LdstUnitAt::begin_units(const WarpAccess& access, Job& job) {
    job.filtered = true;
    if (!job.of_filter) job.of_filter = std::make_unique<Filtered>();
    unit_looked_up_ = false;
    job.of_filter->from = rows_of(job.instruction);
    for (std::uint32_t row = 0; row < kFragmentRows; ++row) {
        row_bank_[row] = banks_.bank(job.of_filter->from.address[row]);
    }
    begin_filtered(access, job.of_filter->from, slots_.peek(row_bank_[0]));
    job.of_filter->rows.fill(RowState{});
    job.of_filter->units.fill(Unit{});
    job.of_filter->to_check.clear();
    if (registers_.holds_values()) {
        job.of_filter->row_bytes.resize(std::size_t{2} * kFragmentRows * kFragmentRowBytes);
    }
}

bool LdstUnitAt::advance_units(Cycle now) {
    for (; next_ < traits_.units.count(); ++next_) {
        if (!unit_looked_up_ && !look_up_unit(now)) return false;
        if (!send_rows_of_unit(now)) return false;
        unit_looked_up_ = false;
    }
    return !link_.waiting();
}

/// Looks up the next unit in the cycle of its slot; returns false if that is in the future.
bool LdstUnitAt::look_up_unit(Cycle now) {
    Job& job = *jobs_[current_];
    const auto unit = static_cast<std::uint32_t>(next_);
    const WarpInstruction& instruction = job.instruction;
    const std::uint32_t first_row = traits_.units.first_row(unit);
    const Cycle slot = slots_.peek(row_bank_[first_row]);
    if (!job.of_filter->from.has(first_row)) {
        filter_->skip(slot, unit);
        if (registers_.follows_renaming()) {
            registers_.rename(job.warp, instruction.dst, unit, {});
        }
        unit_looked_up_ = true;
        next_row_ = traits_.units.rows();  // nothing to load
        return true;
    }
    const Cycle at = look_up_at(slot);
    if (at > now) {
        alarm_.at(at);
        return false;
    }
    if (at > slot) wait_for_filter(slot, at, slots_);
    const bool values = registers_.holds_values();
    const FilterAnswer answer = look_up(at, unit);
    if (registers_.follows_renaming()) {
        registers_.rename(job.warp, instruction.dst, unit, answer.phys);
    }
    unit_looked_up_ = true;
    next_row_ = 0;
    job.done = std::max(job.done, answer_at(at));
    job.of_filter->units[unit].rows_left = 0;
    switch (answer.kind) {
        case AccessKind::kHit:
        case AccessKind::kZero:
            if (answer.kind == AccessKind::kHit) {
                if (answer.ready == kNever) {
                    waiters_.push(answer.phys.value(), current_);
                    ++job.outstanding;
                } else {
                    job.done = std::max(job.done, answer.ready);
                }
            }
            if (values)
                job.of_filter->to_check.push_back({unit, answer.phys, filter_->value_id(unit)});
            if (!traits_.hit_frees_slot) take_slots_of_unit(job, unit);
            next_row_ = traits_.units.rows();  // nothing to load
            break;
        case AccessKind::kMiss:
        case AccessKind::kBypass:
            job.of_filter->units[unit] = {answer.phys, traits_.units.rows()};
            waiters_.grow(answer.phys.value() + 1);
            break;
    }
    return true;
}

/// Takes the issue slots of a hit's rows, except those an earlier unit took.
void LdstUnitAt::take_slots_of_unit(Job& job, std::uint32_t unit) {
    const std::uint32_t first = traits_.units.first_row(unit);
    for (std::uint32_t row = first; row < first + traits_.units.rows(); ++row) {
        RowState& state = row_of(job, unit, row);
        if (state.slotted) continue;
        slots_.take(row_bank_[row]);
        state.slotted = true;
    }
}

bool LdstUnitAt::send_rows_of_unit(Cycle now) {
    const auto unit = static_cast<std::uint32_t>(next_);
    for (; next_row_ < traits_.units.rows(); ++next_row_) {
        Job& job = *jobs_[current_];
        const std::uint32_t row = traits_.units.first_row(unit) + next_row_;
        RowState& state = row_of(job, unit, row);
        if (!state.requested) {
            const WarpInstruction& instruction = job.instruction;
            const Planned request{job.of_filter->from.address[row], kFragmentRowBytes, nullptr};
            if (!send(request, row_index(unit, row), now)) return false;
            state.requested = state.slotted = true;
            ++rows_requested(instruction.registers().role);
        } else if (state.arrived != kNever && --job.of_filter->units[unit].rows_left == 0) {
            unit_loaded(job, unit, state.arrived);
        }
    }
    return true;
}

void LdstUnitAt::row_arrived(std::uint32_t index, std::uint32_t row, Cycle at) {
    Job& job = *jobs_[index];
    job.of_filter->rows[row].arrived = at;
    // Checks the unit that holds the row in each octet copy.
    const std::uint32_t group = row % kFragmentRows / traits_.units.rows();
    for (std::uint32_t unit = group; unit < traits_.units.count(); unit += traits_.units.groups()) {
        Unit& loading = job.of_filter->units[unit];
        if (loading.rows_left == 0) continue;
        const std::uint32_t first = traits_.units.first_row(unit);
        const bool in_unit =
            row_index(unit, first) <= row && row < row_index(unit, first) + traits_.units.rows();
        // Rows that the unit has not reached yet are counted when it reaches them.
        const bool come_to = index != current_ || unit < next_ ||
                             (unit == next_ && row - row_index(unit, first) < next_row_);
        if (in_unit && come_to && --loading.rows_left == 0) unit_loaded(job, unit, at);
    }
}

/// All rows of a missed unit have arrived: notifies the filter and the jobs that hit it meanwhile.
void LdstUnitAt::unit_loaded(Job& job, std::uint32_t unit, Cycle at) {
    const PhysRegId phys = job.of_filter->units[unit].phys;
    filter_->set_ready(phys, at);
    job.done = std::max(job.done, at);
    if (registers_.holds_values()) {
        const std::uint32_t first = row_index(unit, traits_.units.first_row(unit));
        std::copy_n(job.of_filter->row_bytes.data() + std::size_t{first} * kFragmentRowBytes,
                    traits_.units.bytes(), registers_.unit(phys));
    }
    waiters_.drain(phys.value(), [&](std::uint32_t waiter) { end_wait(waiter, at); });
}

}  // namespace tessera
