// Banks, rows and data bus of one DRAM channel.
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
#include "sc_models/tlm/queue_occupancy.h"
#include "sc_models/tlm/slot_calendar.h"

namespace tessera {

/// Timing rules of one channel, in cycles of the DRAM command clock: banks with open rows, one data
/// bus on which a request takes max(tCCD, bytes / bytes_per_clock) cycles, and whatever of
/// DramTiming's other rules is on.
///
/// FR-FCFS scheduling is approximated, since a loosely-timed request must be told its time at once.
/// The queue has room for queue_entries requests (so many reads and so many writes, if turning the
/// bus takes time); one that finds none waits until one of them has its column command. A bank
/// keeps its latest row episodes: a row, when it was activated, and its last column access. A
/// request joins an episode of its row as a row hit if that row is the one left open, or if it
/// enters the queue before the episode is over: while column accesses of it are still to come, or
/// before the row is precharged for the next one. Else it opens a new episode in the first gap that
/// is long enough for precharge, activate, access and tRAS: usually after the last one (row
/// conflict; row empty if the bank was never used). What is neglected: an episode that is joined
/// late does not push back episodes already placed behind it; the data bus, the scarce resource, is
/// never granted twice.
///
/// Of the other rules: activations are at least max(tRRD, tFAW / 4) apart; a bank that waits for
/// its turn has been precharged before, as soon as it could. Turning the bus takes
/// its time once for every batch of write_drain_high - write_drain_low writes, wherever they come
/// among the reads. A refresh closes all rows; what a bank still had to do then is forgotten, but
/// not its place on the bus.
class DramCore {
public:
    /// `sector_bytes` is the size of a request. Throws ConfigError as DramTiming does.
    DramCore(const DramConfig& config, std::uint32_t sector_bytes);

    struct Service {
        Cycle data_end = 0;  ///< first cycle after the request's data on the bus
        RowOutcome row = RowOutcome::kHit;
        bool turned = false;  ///< the bus is turned twice for the batch that this write completes
    };
    /// Places one request to channel-local `address` that arrives at `arrival`.
    Service access(Address address, Cycle arrival, bool write = false);
    /// No request will arrive before `now` any more.
    void advance(Cycle now);
    /// Has the host load what a request to the channel-local address looks at first.
    void warm_host(Address address) const {
        const Bank& bank = banks_[map_.locate(address).bank];
        warm_host_line(&bank);
        warm_host_line(&bank.count);
    }
    /// Cycles of the data bus one request takes.
    [[nodiscard]] Cycle burst_cycles() const { return timing_.burst; }

private:
    struct Episode {
        std::uint32_t row_high = 0;  ///< upper half of the row
        std::uint32_t closed = 0;    ///< cycles from the precharge of the row before to `activated`
        Cycle activated = 0;
        Cycle accessed = 0;  ///< first cycle at which column commands let the row be precharged
    };
    /// With 8 a crowded bank forgets rows that requests still come for, and falls ever further
    /// behind; 32 are no better than 16.
    static constexpr std::size_t kRemembered = 16;
    /// The lower halves of the rows lie side by side, so that a search looks only at the episodes
    /// that are likely to match: the host has few banks in its nearest cache.
    struct alignas(64) Bank {
        std::array<std::uint32_t, kRemembered> rows{};  ///< of the episodes, lower halves
        std::uint32_t count = 0;
        std::uint32_t first = 0;      ///< place of the first episode kept, in two rings
        std::uint32_t refreshes = 0;  ///< of the channel, when the bank was last used
        bool used = false;            ///< a row was open before the first episode kept
        Cycle closed_before = 0;      ///< and could be precharged at this cycle
        std::array<Episode, kRemembered> episodes;

        /// Where the episode is that is `position` of those kept, by time of activation.
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

    const DramTiming timing_;
    RefreshClock clock_;
    DramAddressMap map_;
    std::vector<Bank> banks_;
    std::vector<UnorderedOccupancy> queues_;  ///< of all, or of reads and of writes
    SlotCalendar bus_;
    std::vector<SlotCalendar> groups_;       ///< column commands of each, if that limits them
    std::optional<SlotCalendar> activates_;  ///< activations, if they are limited
    std::uint32_t batched_writes_ = 0;       ///< since the bus was turned
};

}  // namespace tessera
