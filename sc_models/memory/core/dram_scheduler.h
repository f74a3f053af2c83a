// Command scheduler of one approximately-timed DRAM channel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/dram_address.h"
#include "sc_models/memory/core/dram_timing.h"

namespace tessera {

class DramCommandLog;

/// First-ready first-come-first-served scheduler, without SystemC, in cycles of the DRAM command
/// clock. Among up to queue_entries requests, a column command goes to the oldest one whose row is
/// open; a bank without a request for its open row precharges it and activates the row of its
/// oldest request. After row_hit_cap younger requests of a bank have overtaken its oldest one, none
/// may. Banks obey tRCD, tRP, tRAS and tCL; column commands are max(tCCD, burst) cycles apart, and
/// further with efficiency_percent below 100; the data bus is never taken twice. Rows stay open.
///
/// Optional rules of DramTiming: column commands to one bank group obey tCCD_L, activations tRRD
/// and tFAW (with either, one row is activated at a time, for the bank with the oldest request;
/// otherwise row commands of different banks may coincide); a refresh closes all rows. If turning
/// the bus takes time, reads and writes have a queue of queue_entries each, and reads have
/// priority; writes are served when write_drain_high of them wait or no read waits, until no more
/// than write_drain_low are left.
class DramScheduler {
public:
    /// Takes the parameters of DramCore; throws ConfigError as DramTiming does.
    DramScheduler(const DramConfig& config, std::uint32_t sector_bytes);

    struct Served {
        std::uint64_t id;
        Cycle data_end;  ///< first cycle after the request's data on the bus
        RowOutcome row;
    };

    /// Returns the number of requests the queue holds.
    [[nodiscard]] std::uint32_t capacity() const { return timing_.queues() * entries_; }
    /// Returns whether there is no room for a read, or a write.
    [[nodiscard]] bool full(bool write) const {
        return waiting_[write && timing_.turns_bus ? 1 : 0] == entries_;
    }
    [[nodiscard]] std::uint32_t size() const { return waiting_[0] + waiting_[1]; }
    /// Queues a request to channel-local `address`; the queue must have room.
    void push(std::uint64_t id, Address address, bool write = false);
    /// Returns when the next command may issue, not before `now`; kNever: the queue is empty.
    [[nodiscard]] Cycle next(Cycle now) const;
    /// Issues the commands due at `now`: row commands of all banks, and at most one column command,
    /// whose request leaves the queue and is passed to `deliver`.
    template <class Deliver>
    void step(Cycle now, Deliver&& deliver) {
        if (clock_.refreshes_at(now)) return;
        first_command_known_ = false;
        const Cycle running = clock_.running(now);
        apply_refresh(running);
        if (turnaround_due()) turn_bus();
        issue_row_commands(running);
        Bank* const bank = ready_bank(running);
        if (bank == nullptr) return;
        const Request request = issue_column_command(*bank, running);
        deliver(Served{request.id, now + timing_.to_data_end(writing_), request.outcome});
    }
    /// Logs row commands from now on; `log` must outlive the scheduler.
    void set_log(DramCommandLog& log) { log_ = &log; }
    /// Returns the cycles of the data bus one request takes.
    [[nodiscard]] Cycle burst_cycles() const { return timing_.burst; }
    /// Returns the number of bus turnarounds; 0 if they take no time.
    [[nodiscard]] std::uint64_t turnarounds() const { return turnarounds_; }

private:
    struct Request {
        std::uint64_t id, row, sequence;
        RowOutcome outcome;
    };
    enum class RowState : std::uint8_t { kNeverUsed, kClosed, kOpen };
    /// Requests of one direction; all requests without turnaround.
    struct Queue {
        std::vector<Request> requests;  ///< oldest first
        std::uint32_t overtaken = 0;    ///< times the oldest request was overtaken
    };
    struct Bank {
        std::array<Queue, 2> queues;  ///< reads, writes
        RowState state = RowState::kNeverUsed;
        std::uint64_t row = 0;  ///< the open row
        Cycle activated = 0;
        Cycle precharged = 0;
        Cycle accessed = 0;  ///< cycle at which column commands allow a precharge of the open row
        std::size_t hit = kNoHit;  ///< index of the next request of the open row
    };
    static constexpr std::size_t kNoHit = ~std::size_t{0};

    [[nodiscard]] std::size_t direction() const { return writing_ ? 1 : 0; }
    [[nodiscard]] Queue& queue(Bank& bank) const { return bank.queues[direction()]; }
    [[nodiscard]] const Queue& queue(const Bank& bank) const { return bank.queues[direction()]; }
    [[nodiscard]] std::uint32_t index_of(const Bank& bank) const {
        return static_cast<std::uint32_t>(&bank - banks_.data());
    }
    void find_hit(Bank& bank) const;
    void apply_refresh(Cycle now);
    [[nodiscard]] bool turnaround_due() const;
    void turn_bus();
    [[nodiscard]] Cycle first_command() const;
    [[nodiscard]] Cycle row_command_at(const Bank& bank) const;
    [[nodiscard]] Cycle column_command_at(const Bank& bank) const;
    void issue_row_commands(Cycle now);
    [[nodiscard]] bool precharge_due(Bank& bank, Cycle now) const;
    void activate(Bank& bank, Cycle now);
    [[nodiscard]] Bank* ready_bank(Cycle now);
    Request issue_column_command(Bank& bank, Cycle now);
    template <class Visit>
    void for_each_busy(Visit&& visit) const;

    const DramTiming timing_;
    RefreshClock clock_;
    const std::uint32_t entries_, row_hit_cap_;
    const std::uint64_t efficiency_percent_;
    DramAddressMap map_;
    std::vector<Bank> banks_;
    std::array<std::vector<std::uint64_t>, 2> busy_;  ///< one bit a bank with reads, with writes
    bool writing_ = false;                            ///< current direction of the bus
    std::array<std::uint32_t, 2> waiting_{};          ///< reads, writes in the queue
    std::array<Cycle, 2> next_column_{};  ///< earliest column command of reads, of writes
    std::vector<Cycle> group_columns_;  ///< earliest column command of each bank group, if limited
    Cycle next_activation_ = 0;
    std::array<Cycle, 4> faw_window_{};  ///< ends of the tFAW windows of the latest activations
    std::size_t faw_index_ = 0;
    std::uint64_t refreshes_ = 0;  ///< refreshes applied so far
    std::uint64_t turnarounds_ = 0;
    std::uint64_t bus_free_percent_ =
        0;  ///< end of data on the bus, in 1 / efficiency_percent of a cycle
    std::uint64_t sequence_ = 0;
    mutable Cycle first_command_ = 0;           ///< cached result of first_command()
    mutable bool first_command_known_ = false;  ///< first_command_ is valid
    DramCommandLog* log_ = nullptr;             ///< null: commands are not logged
};

}  // namespace tessera
