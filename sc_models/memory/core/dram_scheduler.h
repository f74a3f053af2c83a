// Command scheduler of one approximately-timed DRAM channel.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/dram_address.h"
#include "sc_models/memory/core/dram_core.h"

namespace tessera {

/// First-ready first-come-first-served, no SystemC, in cycles of the DRAM command clock. Among up
/// to queue_entries requests, a column command goes to the oldest one whose row is open; a bank
/// none of whose requests wants its open row precharges it and activates the row of its oldest
/// request. When row_hit_cap younger requests of a bank have overtaken its oldest one, no more do.
/// Banks keep tRCD, tRP, tRAS and tCL; column commands are max(tCCD, burst) cycles apart, and
/// further if efficiency_percent says so; the data bus is never taken twice. Rows stay open. Row
/// commands of different banks may coincide; no refresh, no read/write turnaround, as in DramCore.
class DramScheduler {
public:
    /// As DramCore; throws ConfigError as it does.
    DramScheduler(const DramConfig& config, std::uint32_t sector_bytes);

    struct Served {
        std::uint64_t id;
        Cycle data_end;  ///< first cycle after the request's data on the bus
        RowOutcome row;
    };

    [[nodiscard]] bool full() const { return size_ == config_.queue_entries; }
    [[nodiscard]] std::uint32_t size() const { return size_; }
    /// A request to channel-local `address` joins the queue, which has room.
    void push(std::uint64_t id, Address address);
    /// When the next command may be given, not before `now`; kNever: the queue is empty.
    [[nodiscard]] Cycle next(Cycle now) const;
    /// Gives the commands that are due at `now`: row commands of all banks, and at most one column
    /// command, whose request leaves the queue and is handed to `deliver`.
    template <class Deliver>
    void step(Cycle now, Deliver&& deliver) {
        give_row_commands(now);
        Bank* const bank = ready_bank(now);
        if (bank != nullptr) deliver(give_column_command(*bank, now));
    }
    /// Cycles of the data bus one request takes.
    [[nodiscard]] Cycle burst_cycles() const { return burst_; }

private:
    struct Request {
        std::uint64_t id, row, sequence;
        RowOutcome outcome;
    };
    enum class RowState : std::uint8_t { kNeverUsed, kClosed, kOpen };
    struct Bank {
        std::vector<Request> queue;  ///< oldest first
        RowState state = RowState::kNeverUsed;
        std::uint64_t row = 0;  ///< open
        Cycle activated = 0;
        Cycle precharged = 0;
        Cycle last_column = 0;
        bool accessed = false;        ///< a column command has been given since the activation
        std::uint32_t overtaken = 0;  ///< times the oldest request was
        std::size_t hit = kNoHit;     ///< the request of the open row to be served next
    };
    static constexpr std::size_t kNoHit = ~std::size_t{0};

    void find_hit(Bank& bank) const;
    [[nodiscard]] Cycle row_command_at(const Bank& bank) const;
    void give_row_commands(Cycle now);
    [[nodiscard]] Bank* ready_bank(Cycle now);
    Served give_column_command(Bank& bank, Cycle now);
    template <class Visit>
    void for_each_busy(Visit&& visit) const;

    DramConfig config_;
    Cycle burst_;
    DramAddressMap map_;
    std::vector<Bank> banks_;
    std::vector<std::uint64_t> busy_;     ///< one bit a bank with requests
    Cycle next_column_ = 0;               ///< when the next column command may be given
    std::uint64_t bus_free_percent_ = 0;  ///< as data goes, in 1 / efficiency_percent of a cycle
    std::uint64_t sequence_ = 0;
    std::uint32_t size_ = 0;
};

}  // namespace tessera
