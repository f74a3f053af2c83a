#include "sc_models/memory/core/dram_core.h"

#include <algorithm>
#include <string>

#include "sc_models/common/error.h"

namespace tessera {

DramCore::DramCore(const DramConfig& config, std::uint32_t sector_bytes)
    : t_rcd_(config.t_rcd_cycles),
      t_rp_(config.t_rp_cycles),
      t_cl_(config.t_cl_cycles),
      t_ras_(config.t_ras_cycles),
      t_ccd_(config.t_ccd_cycles),
      burst_(std::max(config.t_ccd_cycles.get(),
                      ceil_div(sector_bytes, config.bytes_per_clock.get()))),
      map_(config),
      banks_(config.banks),
      queue_(config.queue_entries),
      bus_(config.efficiency_percent, burst_ * 100) {
    if (!is_power_of_two(config.banks)) {
        throw ConfigError("dram.banks: got " + std::to_string(config.banks) +
                          ", expected a power of two");
    }
    if (!is_power_of_two(config.row_bytes) || config.row_bytes < sector_bytes) {
        throw ConfigError("dram.row_bytes: got " + std::to_string(config.row_bytes) +
                          ", expected a power of two that is at least l2.sector_bytes = " +
                          std::to_string(sector_bytes));
    }
}

DramCore::Service DramCore::access(Address address, Cycle arrival) {
    const auto [row, index] = map_.locate(address);
    Bank& bank = banks_[index];
    const Cycle entered = queue_.enter(arrival);
    RowOutcome outcome = RowOutcome::kHit;
    Episode* episode = join(bank, row, entered);
    if (episode == nullptr) {
        outcome = bank.used || bank.count != 0 ? RowOutcome::kConflict : RowOutcome::kEmpty;
        episode = &open(bank, row, entered);
    }
    const Cycle access = std::max(entered, episode->activated + t_rcd_);
    const Cycle data = bus_.reserve(access + t_cl_);
    const Cycle column_command = data - t_cl_;
    episode->last_access = std::max(episode->last_access, column_command);
    queue_.leave(column_command);
    return {data + burst_, outcome};
}

/// First cycle at which the episode's row may be precharged.
Cycle DramCore::closable(const Episode& episode) const {
    return std::max(episode.activated + t_ras_, episode.last_access + t_ccd_);
}

/// First cycle at which the row open before position `position` may be precharged.
Cycle DramCore::closed_before(const Bank& bank, std::size_t position) const {
    return position == 0 ? bank.closed_before : closable(bank.episodes[position - 1]);
}

/// When a row for a request that enters the queue at `entered` could be activated at `position`.
Cycle DramCore::activation(const Bank& bank, std::size_t position, Cycle entered) const {
    if (position == 0 && !bank.used) return entered;
    return std::max(entered, closed_before(bank, position)) + t_rp_;
}

/// Whether the row at `position` is open, or still needed, when a request enters the queue.
bool DramCore::joinable(const Bank& bank, std::size_t position, Cycle entered) const {
    if (position + 1 == bank.count) return true;
    const Cycle precharged = bank.episodes[position + 1].activated - t_rp_;
    return entered <= std::max(bank.episodes[position].last_access, precharged);
}

/// The episode the request is a row hit of, or null.
DramCore::Episode* DramCore::join(Bank& bank, std::uint64_t row, Cycle entered) {
    for (std::size_t i = bank.count; i-- > 0;) {
        if (bank.rows[i] != static_cast<std::uint32_t>(row)) continue;
        Episode& episode = bank.episodes[i];
        if (episode.row != row) continue;
        if (!joinable(bank, i, entered)) return nullptr;
        // A request that is earlier than the one that opened the row opens it instead, if it can.
        if (entered < episode.activated) {
            episode.activated = std::min(episode.activated, activation(bank, i, entered));
        }
        return &episode;
    }
    return nullptr;
}

/// Places a new episode in the first gap that has room for it.
DramCore::Episode& DramCore::open(Bank& bank, std::uint64_t row, Cycle entered) {
    // The last position always has room; earlier ones only if what follows does not have to move.
    Cycle activated = activation(bank, bank.count, entered);
    for (std::size_t i = bank.count; i > 0 && entered < bank.episodes[i - 1].activated; --i) {
        const Cycle earlier = activation(bank, i - 1, entered);
        const Cycle open_until = earlier + std::max(t_ras_, t_rcd_ + t_ccd_);
        if (open_until + t_rp_ <= bank.episodes[i - 1].activated) activated = earlier;
    }
    std::size_t position = bank.count;
    while (position > 0 && bank.episodes[position - 1].activated > activated) --position;
    if (bank.count == kRemembered) {
        bank.closed_before = std::max(bank.closed_before, closable(bank.episodes[0]));
        bank.used = true;
        std::move(bank.episodes.begin() + 1, bank.episodes.end(), bank.episodes.begin());
        std::move(bank.rows.begin() + 1, bank.rows.end(), bank.rows.begin());
        --bank.count;
        if (position > 0) --position;
    }
    const auto make_room = [&](auto& of_episode) {
        const auto begin = of_episode.begin();
        std::move_backward(begin + static_cast<std::ptrdiff_t>(position), begin + bank.count,
                           begin + bank.count + 1);
    };
    make_room(bank.episodes);
    make_room(bank.rows);
    ++bank.count;
    bank.rows[position] = static_cast<std::uint32_t>(row);
    bank.episodes[position] = {row, activated, 0};
    return bank.episodes[position];
}

}  // namespace tessera
