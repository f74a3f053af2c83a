#include "sc_models/memory/core/dram_core.h"

#include <algorithm>

#include "sc_models/common/byte_search.h"
#include "sc_models/memory/core/dram_command_log.h"

namespace tessera {

DramCore::DramCore(const DramConfig& config, std::uint32_t sector_bytes)
    : timing_(config, sector_bytes),
      clock_(timing_),
      map_(config),
      banks_(config.banks),
      queues_(timing_.queues(), UnorderedOccupancy(config.queue_entries)),
      bus_(config.efficiency_percent, timing_.burst * 100) {
    if (timing_.groups_matter()) {
        groups_.assign(timing_.bank_groups, ReservationTable(1, timing_.t_ccd_l));
    }
    if (timing_.activations_matter()) {
        activates_.emplace(4, std::max(4 * timing_.t_rrd, timing_.t_faw));
    }
}

DramCore::Service DramCore::access(Address address, Cycle arrival, bool write) {
    const auto [row, index] = map_.locate(address);
    Bank& bank = banks_[index];
    UnorderedOccupancy& queue = write ? queues_.back() : queues_.front();
    const Cycle entered = queue.enter(clock_.running(arrival));
    const auto refreshes = static_cast<std::uint32_t>(clock_.refreshes(entered));
    if (refreshes > bank.refreshes) {
        if (log_ != nullptr) log_rows_of(bank, kNever);
        bank.count = 0;
        bank.used = false;
        bank.refreshes = refreshes;
    }
    RowOutcome outcome = RowOutcome::kHit;
    Episode* episode = join(bank, row, entered);
    if (episode == nullptr) {
        outcome = bank.used || bank.count != 0 ? RowOutcome::kConflict : RowOutcome::kEmpty;
        episode = &open(bank, row, entered);
    }
    Cycle access = std::max(entered, episode->activated + timing_.t_rcd);
    if (!groups_.empty()) access = groups_[timing_.group_of(index)].reserve(access);
    const Cycle to_data = timing_.to_data_end(write) - timing_.burst;
    const Cycle data = bus_.reserve(access + to_data);
    const Cycle column_command = data - to_data;
    episode->accessed = std::max(episode->accessed, column_command + timing_.to_precharge(write));
    queue.leave(column_command);
    return {clock_.time(column_command) + timing_.to_data_end(write), outcome,
            write && completes_batch(data)};
}

void DramCore::advance(Cycle now) {
    const Cycle running = clock_.running(now);
    bus_.advance(running);
    for (ReservationTable& group : groups_) group.advance(running);
    if (activates_) activates_->advance(running);
}

/// Counts a write whose data is at `data`; returns whether it completes a batch, for which the bus
/// is turned, which takes bus time.
bool DramCore::completes_batch(Cycle data) {
    if (!timing_.turns_bus || ++batched_writes_ < timing_.drain_high - timing_.drain_low) {
        return false;
    }
    batched_writes_ = 0;
    // From data to data, successive reads are one burst apart; the last read before and the first
    // after the batch are further apart by this, not counting the batch.
    const Cycle turns = timing_.write_to_read + timing_.read_to_write - 2 * timing_.burst;
    for (Cycle lost = 0; lost < turns; lost += timing_.burst) (void)bus_.reserve(data);
    return true;
}

/// Returns the first cycle at which the episode's row may be precharged.
Cycle DramCore::closable(const Episode& episode) const {
    return std::max(episode.activated + timing_.t_ras, episode.accessed);
}

/// Returns the first cycle at which the row open before `position` may be precharged.
Cycle DramCore::closed_before(const Bank& bank, std::size_t position) const {
    return position == 0 ? bank.closed_before : closable(bank.at(position - 1));
}

/// Returns the cycle at which a row for a request entering at `entered` could be activated at
/// `position`.
Cycle DramCore::activation(const Bank& bank, std::size_t position, Cycle entered) const {
    if (position == 0 && !bank.used) return entered;
    return std::max(entered, closed_before(bank, position)) + timing_.t_rp;
}

/// Returns whether the row at `position` is open, or still needed, when a request enters the queue.
bool DramCore::joinable(const Bank& bank, std::size_t position, Cycle entered) const {
    if (position + 1 == bank.count) return true;
    const Episode& next = bank.at(position + 1);
    const Cycle precharged = next.activated - next.closed;
    return entered + timing_.t_ccd <=
           std::max(bank.at(position).accessed, precharged + timing_.t_ccd);
}

/// Returns the episode of which the request is a row hit, or null.
DramCore::Episode* DramCore::join(Bank& bank, std::uint64_t row, Cycle entered) {
    // Bit i: the episode in place i matches.
    const std::uint32_t places = words_equal(bank.rows.data(), static_cast<std::uint32_t>(row));
    std::uint32_t found = (places | places << kRemembered) >> bank.first;
    found &= (1U << bank.count) - 1;
    while (found != 0) {
        const auto i = static_cast<std::size_t>(31 - __builtin_clz(found));
        found ^= 1U << i;
        Episode& episode = bank.at(i);
        if (episode.row_high != row >> 32U) continue;
        if (!joinable(bank, i, entered)) return nullptr;
        // A request earlier than the one that opened the row opens it instead, if it can. An
        // activation with a reserved slot keeps it.
        if (entered < episode.activated && !activates_) {
            episode.activated = std::min(episode.activated, activation(bank, i, entered));
        }
        return &episode;
    }
    return nullptr;
}

/// Returns the activation of a row in the first gap that has room for it, not before `not_before`.
Cycle DramCore::first_gap(const Bank& bank, Cycle entered, Cycle not_before) const {
    // The last position always has room; earlier ones only if later episodes need not move.
    Cycle activated = std::max(activation(bank, bank.count, entered), not_before);
    for (std::size_t i = bank.count; i > 0 && entered < bank.at(i - 1).activated; --i) {
        const Cycle earlier = std::max(activation(bank, i - 1, entered), not_before);
        const Cycle open_until = earlier + std::max(timing_.t_ras, timing_.t_rcd + timing_.t_ccd);
        if (open_until + timing_.t_rp <= bank.at(i - 1).activated) activated = earlier;
    }
    return activated;
}

/// Inserts a new episode.
DramCore::Episode& DramCore::open(Bank& bank, std::uint64_t row, Cycle entered) {
    Cycle activated = first_gap(bank, entered, 0);
    if (activates_) {
        const Cycle allowed = activates_->reserve(activated);
        if (allowed > activated) activated = first_gap(bank, entered, allowed);
    }
    std::size_t position = bank.count;
    while (position > 0 && bank.at(position - 1).activated > activated) --position;
    const Cycle waited = activated - std::min(activated, activation(bank, position, entered));
    if (bank.count == kRemembered) {
        if (log_ != nullptr && row_begins(bank, 0) >= logged_before_) log_row(bank, 0);
        bank.closed_before = std::max(bank.closed_before, closable(bank.at(0)));
        bank.used = true;
        bank.first = static_cast<std::uint32_t>(bank.place(1));
        --bank.count;
        if (position > 0) --position;
    }
    for (std::size_t i = bank.count; i > position; --i) {
        bank.at(i) = bank.at(i - 1);
        bank.rows[bank.place(i)] = bank.rows[bank.place(i - 1)];
    }
    ++bank.count;
    bank.rows[bank.place(position)] = static_cast<std::uint32_t>(row);
    bank.at(position) = {static_cast<std::uint32_t>(row >> 32U),
                         timing_.t_rp + static_cast<std::uint32_t>(waited), activated, 0};
    if (log_ != nullptr) log_opened(bank, position);
    return bank.at(position);
}

void DramCore::set_log(DramCommandLog& log) {
    log_ = &log;
}

/// Logs the activation of the episode at `position`, and the precharge before it if a row was open.
void DramCore::log_row(const Bank& bank, std::size_t position) {
    const auto index = static_cast<std::uint32_t>(&bank - banks_.data());
    const Episode& episode = bank.at(position);
    if (position > 0 || bank.used) log_->precharge(index, episode.activated - episode.closed);
    const std::uint64_t row =
        std::uint64_t{episode.row_high} << 32U | bank.rows[bank.place(position)];
    log_->activate(index, row, episode.activated);
}

/// Returns the cycle of the first row command of the episode at `position`: its precharge, or its
/// activation if no row was open before. An episode whose first command is before the earliest
/// request to come does not change.
Cycle DramCore::row_begins(const Bank& bank, std::size_t position) const {
    const Episode& episode = bank.at(position);
    return position > 0 || bank.used ? episode.activated - episode.closed : episode.activated;
}

/// Logs a new episode that begins before the cycle up to which rows have been logged, and the first
/// one of a bank if the new episode gives it a precharge there.
void DramCore::log_opened(const Bank& bank, std::size_t position) {
    if (row_begins(bank, position) < logged_before_) log_row(bank, position);
    if (position != 0 || bank.used || bank.count == 1) return;
    if (bank.at(1).activated >= logged_before_ && row_begins(bank, 1) < logged_before_) {
        log_row(bank, 1);
    }
}

/// Logs the bank's rows that have not been logged and begin before `before`.
void DramCore::log_rows_of(const Bank& bank, Cycle before) {
    for (std::size_t i = 0; i < bank.count; ++i) {
        const Cycle begins = row_begins(bank, i);
        if (begins >= logged_before_ && begins < before) log_row(bank, i);
    }
}

void DramCore::log_rows(Cycle now) {
    const Cycle before = now == kNever ? kNever : clock_.running(now);
    if (before <= logged_before_) return;
    for (const Bank& bank : banks_) log_rows_of(bank, before);
    logged_before_ = before;
}

}  // namespace tessera
