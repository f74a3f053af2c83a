// Timing rules of a DRAM channel, for both levels of timing.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sc_models/common/divisor.h"
#include "sc_models/common/types.h"
#include "sc_models/config/memory_config.h"

namespace tessera {

/// State of the bank found by a request: its row open, no row, or another row.
enum class RowOutcome : std::uint8_t { kHit, kEmpty, kConflict };

/// Parameters in cycles of the DRAM command clock, with JEDEC's names (JESD212 for GDDR5, JESD235
/// for HBM): those of the configuration, and values derived from them. A rule that is off has no
/// effect: its distance is 0, or shorter than another rule's.
struct DramTiming {
    /// `sector_bytes` is the size of a request. Throws ConfigError unless banks, bank_groups and
    /// row_bytes are powers of two, groups have banks and a row holds a request.
    DramTiming(const DramConfig& config, std::uint32_t sector_bytes);

    std::uint32_t t_rcd, t_rp, t_cl, t_ras, t_ccd;
    Cycle burst;                ///< data-bus cycles of one request
    std::uint32_t bank_groups;  ///< consecutive banks are in different groups
    Cycle t_ccd_l;              ///< column commands to one bank group; at least `burst`
    Cycle t_rrd, t_faw;         ///< distance of two activations; of the first and fifth of any five
    Cycle t_refi, t_rfc;        ///< interval and length of a refresh; 0: none
    bool turns_bus;             ///< reads and writes are separate
    Cycle write_to_read = 0;    ///< a write's column command to a read's
    Cycle read_to_write = 0;    ///< a read's column command to a write's
    Cycle write_to_precharge;   ///< a write's column command to its bank's precharge
    Cycle write_latency;        ///< a write's column command to its data: tCWL
    std::uint32_t drain_high = 0;  ///< waiting writes at which they get priority over reads
    std::uint32_t drain_low = 0;   ///< waiting writes at which reads get priority again

    /// Number of queues: one, or one for reads and one for writes.
    [[nodiscard]] std::uint32_t queues() const { return turns_bus ? 2 : 1; }
    [[nodiscard]] bool groups_matter() const { return bank_groups > 1 && t_ccd_l > burst; }
    [[nodiscard]] bool activations_matter() const { return t_rrd != 0 || t_faw != 0; }
    [[nodiscard]] std::uint32_t group_of(std::uint32_t bank) const { return bank % bank_groups; }
    /// Returns the cycles from a column command to the precharge of its bank.
    [[nodiscard]] Cycle to_precharge(bool write) const {
        return write ? write_to_precharge : Cycle{t_ccd};
    }
    /// Returns the cycles from a column command to the end of its data.
    [[nodiscard]] Cycle to_data_end(bool write) const {
        return (write ? write_latency : Cycle{t_cl}) + burst;
    }
};

/// Time without refreshes. All banks are refreshed at once: the channel is blocked for the last
/// tRFC cycles of every tREFI, and no row is open afterwards. Schedulers count running cycles,
/// which exclude refreshes.
class RefreshClock {
public:
    /// Without refresh (`t_refi` 0) running cycles equal cycles.
    explicit RefreshClock(const DramTiming& timing)
        : refreshes_(timing.t_refi != 0),
          interval_(std::max(timing.t_refi, Cycle{1})),
          runs_(std::max(timing.t_refi - timing.t_rfc, Cycle{1})) {}

    /// Returns the running cycles before `time`.
    [[nodiscard]] Cycle running(Cycle time) const {
        if (!refreshes_) return time;
        return time / interval_ * runs_.value() + std::min(time % interval_, runs_.value());
    }
    /// Returns the time at which a running cycle begins.
    [[nodiscard]] Cycle time(Cycle running) const {
        if (!refreshes_) return running;
        return running / runs_ * interval_.value() + running % runs_;
    }
    [[nodiscard]] bool refreshes_at(Cycle time) const {
        return refreshes_ && time % interval_ >= runs_.value();
    }
    /// Returns the running cycle that follows refresh number `refreshes` + 1; kNever without
    /// refresh.
    [[nodiscard]] Cycle next_refresh(std::uint64_t refreshes) const {
        return refreshes_ ? (refreshes + 1) * runs_.value() : kNever;
    }
    /// Returns the refreshes before the running cycle.
    [[nodiscard]] std::uint64_t refreshes(Cycle running) const {
        return refreshes_ ? running / runs_ : 0;
    }

private:
    bool refreshes_;
    Divisor interval_, runs_;
};

}  // namespace tessera
