// Loosely-timed model of one DRAM channel: banks, rows and data bus.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sc_models/common/host_memory.h"
#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/dram_address.h"
#include "sc_models/memory/core/dram_timing.h"
#include "sc_models/tlm/lt/queue_occupancy.h"
#include "sc_models/tlm/lt/reservation_table.h"

namespace tessera {

class DramCommandLog;

/// Timing model of one channel, in cycles of the DRAM command clock: banks with open rows, one data
/// bus on which a request takes max(tCCD, bytes / bytes_per_clock) cycles, and the optional rules
/// of DramTiming that are on.
///
/// FR-FCFS scheduling is approximated, since the completion of a loosely-timed request must be
/// returned at once. The queue holds queue_entries requests (if turning the bus takes time, that
/// many reads and that many writes); a request that finds no room waits until another has its
/// column command. A bank keeps its latest row episodes: a row, its activation, and its last column
/// access. A request joins an episode of its row as a row hit if that row is the one left open, or
/// if it enters the queue before the episode is over: while column accesses of it are still to
/// come, or before the row is precharged for the next one. Otherwise it opens a new episode in the
/// first gap that is long enough for precharge, activate, access and tRAS: usually after the last
/// one (row conflict; row empty if the bank was never used). Neglected: an episode that is joined
/// late does not delay episodes already placed behind it. The data bus, the scarce resource, is
/// never granted twice.
///
/// Optional rules: activations are at least max(tRRD, tFAW / 4) apart; a bank waiting for its
/// activation slot is precharged as early as possible. Turning the bus takes time once for every
/// batch of write_drain_high - write_drain_low writes, at any position among the reads. A refresh
/// closes all rows; a bank's pending row work is then dropped, but its bus slots are kept.
class DramCore {
public:
    /// `sector_bytes` is the size of a request. Throws ConfigError as DramTiming does.
    DramCore(const DramConfig& config, std::uint32_t sector_bytes);

    struct Service {
        Cycle data_end = 0;  ///< first cycle after the request's data on the bus
        RowOutcome row = RowOutcome::kHit;
        bool turned = false;  ///< the bus is turned twice for the batch that this write completes
    };
    /// Schedules one request to channel-local `address` that arrives at `arrival`.
    Service access(Address address, Cycle arrival, bool write = false);
    /// No later request arrives before `now`.
    void advance(Cycle now);
    /// Logs row commands from now on; `log` must outlive the core. access() and log_rows() log them
    /// once they cannot change.
    void set_log(DramCommandLog& log);
    /// Logs the rows whose first command is before `now`; all of them: kNever.
    void log_rows(Cycle now);
    /// Host prefetch of the bank of the channel-local address.
    void host_prefetch(Address address) const {
        const Bank& bank = banks_[map_.locate(address).bank];
        host_prefetch_line(&bank);
        host_prefetch_line(&bank.count);
    }
    /// Returns the cycles of the data bus one request takes.
    [[nodiscard]] Cycle burst_cycles() const { return timing_.burst; }

private:
    struct Episode {
        std::uint32_t row_high = 0;  ///< upper half of the row
        std::uint32_t closed = 0;    ///< cycles from the previous row's precharge to `activated`
        Cycle activated = 0;
        Cycle accessed = 0;  ///< first cycle at which its column commands allow a precharge
    };
    /// With 8, a crowded bank drops rows that are still requested and falls ever further behind; 32
    /// are no better than 16.
    static constexpr std::size_t kRemembered = 16;
    /// The lower halves of the rows are contiguous, so that a search reads only episodes that are
    /// likely to match: the host's nearest cache holds few banks.
    struct alignas(64) Bank {
        std::array<std::uint32_t, kRemembered> rows{};  ///< lower halves of the episodes' rows
        std::uint32_t count = 0;
        std::uint32_t first = 0;      ///< place of the first kept episode in both rings
        std::uint32_t refreshes = 0;  ///< refreshes of the channel at the last use
        bool used = false;            ///< a row was open before the first episode kept
        Cycle closed_before = 0;      ///< first cycle at which that row could be precharged
        std::array<Episode, kRemembered> episodes;

        /// Returns the place of the episode at `position`, by time of activation.
        [[nodiscard]] std::size_t place(std::size_t position) const {
            return (first + position) % kRemembered;
        }
        [[nodiscard]] const Episode& at(std::size_t position) const {
            return episodes[place(position)];
        }
        [[nodiscard]] Episode& at(std::size_t position) { return episodes[place(position)]; }
    };

    [[nodiscard]] Cycle closable(const Episode& episode) const;
    [[nodiscard]] Cycle closed_before(const Bank& bank, std::size_t position) const;
    [[nodiscard]] Cycle activation(const Bank& bank, std::size_t position, Cycle entered) const;
    [[nodiscard]] Cycle first_gap(const Bank& bank, Cycle entered, Cycle not_before) const;
    [[nodiscard]] bool joinable(const Bank& bank, std::size_t position, Cycle entered) const;
    [[nodiscard]] Episode* join(Bank& bank, std::uint64_t row, Cycle entered);
    [[nodiscard]] Episode& open(Bank& bank, std::uint64_t row, Cycle entered);
    [[nodiscard]] bool completes_batch(Cycle data);
    [[nodiscard]] Cycle row_begins(const Bank& bank, std::size_t position) const;
    void log_row(const Bank& bank, std::size_t position);
    void log_opened(const Bank& bank, std::size_t position);
    void log_rows_of(const Bank& bank, Cycle before);

    const DramTiming timing_;
    RefreshClock clock_;
    DramAddressMap map_;
    std::vector<Bank> banks_;
    std::vector<UnorderedOccupancy> queues_;  ///< one for all, or one for reads and one for writes
    ReservationTable bus_;
    std::vector<ReservationTable> groups_;       ///< column commands of each bank group, if limited
    std::optional<ReservationTable> activates_;  ///< activations, if limited
    std::uint32_t batched_writes_ = 0;           ///< since the last turnaround
    DramCommandLog* log_ = nullptr;              ///< null: commands are not logged
    Cycle logged_before_ = 0;  ///< running cycle before which row commands have been logged
};

}  // namespace tessera
