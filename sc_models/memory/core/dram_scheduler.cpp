#include "sc_models/memory/core/dram_scheduler.h"

#include <algorithm>

#include "sc_models/config/config_entries.h"

namespace tessera {

DramScheduler::DramScheduler(const DramConfig& config, std::uint32_t sector_bytes)
    : config_(taken(config)),
      burst_(DramCore(config, sector_bytes).burst_cycles()),
      map_(config),
      banks_(config.banks),
      busy_(ceil_div(config.banks.get(), 64U)) {}

void DramScheduler::push(std::uint64_t id, Address address) {
    const auto location = map_.locate(address);
    Bank& bank = banks_[location.bank];
    bank.queue.push_back({id, location.row, sequence_++, RowOutcome::kHit});
    busy_[location.bank / 64] |= std::uint64_t{1} << (location.bank % 64);
    ++size_;
    if (bank.hit == kNoHit) find_hit(bank);
}

/// The oldest request of the open row, unless the oldest of all has been overtaken too often.
void DramScheduler::find_hit(Bank& bank) const {
    bank.hit = kNoHit;
    if (bank.state != RowState::kOpen) return;
    const std::size_t reach = bank.overtaken < config_.row_hit_cap
                                  ? bank.queue.size()
                                  : std::min<std::size_t>(1, bank.queue.size());
    for (std::size_t i = 0; i < reach; ++i) {
        if (bank.queue[i].row != bank.row) continue;
        bank.hit = i;
        return;
    }
}

/// When the bank, which has requests but no row hit, may be precharged or activated.
Cycle DramScheduler::row_command_at(const Bank& bank) const {
    switch (bank.state) {
        case RowState::kNeverUsed:
            return 0;
        case RowState::kClosed:
            return bank.precharged + config_.t_rp_cycles;
        case RowState::kOpen:
            break;
    }
    const Cycle after_row = bank.activated + config_.t_ras_cycles;
    return bank.accessed ? std::max(after_row, bank.last_column + config_.t_ccd_cycles) : after_row;
}

template <class Visit>
void DramScheduler::for_each_busy(Visit&& visit) const {
    for (std::size_t word = 0; word < busy_.size(); ++word) {
        for (std::uint64_t left = busy_[word]; left != 0; left &= left - 1) {
            visit(word * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
        }
    }
}

Cycle DramScheduler::next(Cycle now) const {
    Cycle next = kNever;
    for_each_busy([&](std::size_t index) {
        const Bank& bank = banks_[index];
        const Cycle at = bank.hit == kNoHit
                             ? row_command_at(bank)
                             : std::max(bank.activated + config_.t_rcd_cycles, next_column_);
        next = std::min(next, at);
    });
    return next == kNever ? kNever : std::max(next, now);
}

void DramScheduler::give_row_commands(Cycle now) {
    for_each_busy([&](std::size_t index) {
        Bank& bank = banks_[index];
        if (bank.hit != kNoHit || row_command_at(bank) > now) return;
        if (bank.state == RowState::kOpen) {
            bank.state = RowState::kClosed;
            bank.precharged = now;
            if (config_.t_rp_cycles != 0) return;
        }
        Request& oldest = bank.queue.front();
        oldest.outcome =
            bank.state == RowState::kNeverUsed ? RowOutcome::kEmpty : RowOutcome::kConflict;
        bank.state = RowState::kOpen;
        bank.row = oldest.row;
        bank.activated = now;
        bank.accessed = false;
        find_hit(bank);
    });
}

/// The bank with the oldest request that can have its column command now, or null.
DramScheduler::Bank* DramScheduler::ready_bank(Cycle now) {
    if (next_column_ > now) return nullptr;
    Bank* chosen = nullptr;
    for_each_busy([&](std::size_t index) {
        Bank& bank = banks_[index];
        if (bank.hit == kNoHit || bank.activated + config_.t_rcd_cycles > now) return;
        if (chosen == nullptr ||
            bank.queue[bank.hit].sequence < chosen->queue[chosen->hit].sequence) {
            chosen = &bank;
        }
    });
    return chosen;
}

DramScheduler::Served DramScheduler::give_column_command(Bank& bank, Cycle now) {
    const Request request = bank.queue[bank.hit];
    bank.overtaken = bank.hit == 0 ? 0 : bank.overtaken + 1;
    bank.queue.erase(bank.queue.begin() + static_cast<std::ptrdiff_t>(bank.hit));
    bank.last_column = now;
    bank.accessed = true;
    // At an efficiency of e percent a burst takes 100 / e of its length; what rounding up to whole
    // cycles adds is not lost when commands follow each other.
    const std::uint64_t efficiency = config_.efficiency_percent;
    const bool idle = now > ceil_div(bus_free_percent_, efficiency);
    bus_free_percent_ = (idle ? now * efficiency : bus_free_percent_) + burst_ * 100;
    next_column_ = std::max(now + burst_, ceil_div(bus_free_percent_, efficiency));
    --size_;
    if (bank.queue.empty()) {
        const auto index = static_cast<std::size_t>(&bank - banks_.data());
        busy_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    }
    find_hit(bank);
    return {request.id, now + config_.t_cl_cycles + burst_, request.outcome};
}

}  // namespace tessera
