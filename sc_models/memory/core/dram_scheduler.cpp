#include "sc_models/memory/core/dram_scheduler.h"

#include <algorithm>

#include "sc_models/memory/core/dram_command_log.h"

namespace tessera {

DramScheduler::DramScheduler(const DramConfig& config, std::uint32_t sector_bytes)
    : timing_(config, sector_bytes),
      clock_(timing_),
      entries_(config.queue_entries),
      row_hit_cap_(config.row_hit_cap),
      efficiency_percent_(config.efficiency_percent),
      map_(config),
      banks_(config.banks),
      group_columns_(timing_.groups_matter() ? timing_.bank_groups : 0) {
    for (auto& words : busy_) words.resize(ceil_div(config.banks, 64U));
}

void DramScheduler::push(std::uint64_t id, Address address, bool write) {
    first_command_known_ = false;
    const auto location = map_.locate(address);
    const std::size_t direction = write && timing_.turns_bus ? 1 : 0;
    Bank& bank = banks_[location.bank];
    bank.queues[direction].requests.push_back({id, location.row, sequence_++, RowOutcome::kHit});
    busy_[direction][location.bank / 64] |= std::uint64_t{1} << (location.bank % 64);
    ++waiting_[direction];
    if (bank.hit == kNoHit) find_hit(bank);
}

/// Selects the oldest request of the open row; only the oldest request of all once it has been
/// overtaken row_hit_cap times.
void DramScheduler::find_hit(Bank& bank) const {
    bank.hit = kNoHit;
    if (bank.state != RowState::kOpen) return;
    const auto& [requests, overtaken] = queue(bank);
    const std::size_t reach =
        overtaken < row_hit_cap_ ? requests.size() : std::min<std::size_t>(1, requests.size());
    for (std::size_t i = 0; i < reach; ++i) {
        if (requests[i].row != bank.row) continue;
        bank.hit = i;
        return;
    }
}

/// Applies a refresh: no row is open afterwards, and precharges are complete.
void DramScheduler::apply_refresh(Cycle now) {
    const std::uint64_t refreshes = clock_.refreshes(now);
    if (refreshes == refreshes_) return;
    refreshes_ = refreshes;
    for (Bank& bank : banks_) {
        bank.state = RowState::kNeverUsed;
        bank.hit = kNoHit;
    }
}

/// Returns whether the bus has to change direction.
bool DramScheduler::turnaround_due() const {
    const auto [reads, writes] = waiting_;
    if (writing_) return reads != 0 && writes <= timing_.drain_low;
    return writes != 0 && (reads == 0 || writes >= timing_.drain_high);
}

void DramScheduler::turn_bus() {
    writing_ = !writing_;
    ++turnarounds_;
    for (Bank& bank : banks_) find_hit(bank);
}

/// Returns when a bank with requests but without a row hit may be precharged or activated.
Cycle DramScheduler::row_command_at(const Bank& bank) const {
    switch (bank.state) {
        case RowState::kNeverUsed:
            return next_activation_;
        case RowState::kClosed:
            return std::max(bank.precharged + timing_.t_rp, next_activation_);
        case RowState::kOpen:
            break;
    }
    return std::max(bank.activated + timing_.t_ras, bank.accessed);
}

/// Returns when a bank with a row hit may have its column command.
Cycle DramScheduler::column_command_at(const Bank& bank) const {
    Cycle at = std::max(bank.activated + timing_.t_rcd, next_column_[direction()]);
    if (!group_columns_.empty()) {
        at = std::max(at, group_columns_[timing_.group_of(index_of(bank))]);
    }
    return at;
}

template <class Visit>
void DramScheduler::for_each_busy(Visit&& visit) const {
    const auto& busy = busy_[direction()];
    for (std::size_t word = 0; word < busy.size(); ++word) {
        for (std::uint64_t left = busy[word]; left != 0; left &= left - 1) {
            visit(word * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
        }
    }
}

Cycle DramScheduler::next(Cycle now) const {
    if (size() == 0) return kNever;
    const Cycle running = clock_.running(now);
    if (turnaround_due()) return clock_.time(running);
    if (!first_command_known_) {
        first_command_ = first_command();
        first_command_known_ = true;
    }
    return clock_.time(std::max(first_command_, running));
}

/// Returns when a bank may have its next command, or the next refresh closes all rows.
Cycle DramScheduler::first_command() const {
    Cycle first = clock_.next_refresh(refreshes_);
    for_each_busy([&](std::size_t index) {
        const Bank& bank = banks_[index];
        first =
            std::min(first, bank.hit == kNoHit ? row_command_at(bank) : column_command_at(bank));
    });
    return first;
}

/// Precharges the bank's open row if due. Returns whether the bank may be activated at once.
bool DramScheduler::precharge_due(Bank& bank, Cycle now) const {
    if (bank.hit != kNoHit || row_command_at(bank) > now) return false;
    if (bank.state != RowState::kOpen) return true;
    bank.state = RowState::kClosed;
    bank.precharged = now;
    if (log_ != nullptr) log_->precharge(index_of(bank), now);
    return timing_.t_rp == 0 && next_activation_ <= now;
}

void DramScheduler::activate(Bank& bank, Cycle now) {
    Request& oldest = queue(bank).requests.front();
    oldest.outcome =
        bank.state == RowState::kNeverUsed ? RowOutcome::kEmpty : RowOutcome::kConflict;
    bank.state = RowState::kOpen;
    bank.row = oldest.row;
    bank.activated = now;
    if (log_ != nullptr) log_->activate(index_of(bank), bank.row, now);
    bank.accessed = 0;
    find_hit(bank);
}

void DramScheduler::issue_row_commands(Cycle now) {
    Bank* chosen = nullptr;
    for_each_busy([&](std::size_t index) {
        Bank& bank = banks_[index];
        if (!precharge_due(bank, now)) return;
        if (!timing_.activations_matter()) {
            activate(bank, now);
        } else if (chosen == nullptr || queue(bank).requests.front().sequence <
                                            queue(*chosen).requests.front().sequence) {
            chosen = &bank;
        }
    });
    if (chosen == nullptr) return;
    activate(*chosen, now);
    faw_window_[faw_index_] = now + timing_.t_faw;
    faw_index_ = (faw_index_ + 1) % faw_window_.size();
    next_activation_ = std::max(now + std::max<Cycle>(timing_.t_rrd, 1), faw_window_[faw_index_]);
}

/// Returns the bank with the oldest request that can have its column command now, or null.
DramScheduler::Bank* DramScheduler::ready_bank(Cycle now) {
    if (next_column_[direction()] > now) return nullptr;
    Bank* chosen = nullptr;
    const auto next_request = [this](const Bank& bank) {
        return queue(bank).requests[bank.hit].sequence;
    };
    for_each_busy([&](std::size_t index) {
        Bank& bank = banks_[index];
        if (bank.hit == kNoHit || column_command_at(bank) > now) return;
        if (chosen == nullptr || next_request(bank) < next_request(*chosen)) chosen = &bank;
    });
    return chosen;
}

DramScheduler::Request DramScheduler::issue_column_command(Bank& bank, Cycle now) {
    auto& [requests, overtaken] = queue(bank);
    const Request request = requests[bank.hit];
    overtaken = bank.hit == 0 ? 0 : overtaken + 1;
    requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(bank.hit));
    bank.accessed = std::max(bank.accessed, now + timing_.to_precharge(writing_));
    // At an efficiency of e percent a burst takes 100 / e of its length; the rounding up to whole
    // cycles does not accumulate over successive commands.
    const bool idle = now > ceil_div(bus_free_percent_, efficiency_percent_);
    bus_free_percent_ =
        (idle ? now * efficiency_percent_ : bus_free_percent_) + timing_.burst * 100;
    const Cycle bus_free = ceil_div(bus_free_percent_, efficiency_percent_);
    const Cycle turnaround = writing_ ? timing_.write_to_read : timing_.read_to_write;
    next_column_[direction()] = std::max(now + timing_.burst, bus_free);
    next_column_[1 - direction()] = std::max(now + turnaround, bus_free);
    const std::uint32_t index = index_of(bank);
    if (!group_columns_.empty()) group_columns_[timing_.group_of(index)] = now + timing_.t_ccd_l;
    --waiting_[direction()];
    if (requests.empty()) {
        busy_[direction()][index / 64] &= ~(std::uint64_t{1} << (index % 64));
    }
    find_hit(bank);
    return request;
}

}  // namespace tessera
