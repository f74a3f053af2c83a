// Log of the commands of one DRAM channel, for a recorder.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sc_models/common/dram_command_recorder.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/dram_address.h"
#include "sc_models/memory/core/dram_timing.h"

namespace tessera {

/// Returns the geometry, clock and timing rules of a channel as the configuration gives them, with
/// JEDEC's names. The model has one tRRD and one tWTR for all bank groups, tRC is tRAS + tRP, and
/// tRTP is tCCD. Rules that are off have no value. A refresh closes the rows of all banks itself
/// (refresh_closes_rows) and is never postponed.
[[nodiscard]] std::vector<DramParameter> dram_parameters(const DramConfig& config,
                                                         std::uint32_t sector_bytes);

/// Translates the decisions of a channel's core and shell to commands. Row commands come from
/// DramCore or DramScheduler, in running cycles; column commands come from the shell. Refreshes are
/// those of RefreshClock.
class DramCommandLog {
public:
    /// Throws ConfigError as DramTiming does. `close` as in DramCommandRecorder::add_channel.
    DramCommandLog(DramCommandRecorder& recorder, const DramConfig& config,
                   std::uint32_t sector_bytes, std::function<void()> close);

    void precharge(std::uint32_t bank, Cycle running);
    void activate(std::uint32_t bank, std::uint64_t row, Cycle running);
    /// Records the column command of a request to channel-local `address` whose data ends at
    /// `data_end`, which is a cycle of the command clock.
    void column(Address address, bool write, Cycle data_end, std::uint64_t id);
    /// Records the refreshes up to `now`, a cycle of the command clock; no later call is for an
    /// earlier cycle.
    void advance(Cycle now);

private:
    void record(DramCommandKind kind, std::uint32_t bank, std::uint64_t row, Cycle cycle);

    DramCommandRecorder& recorder_;
    const DramTiming timing_;
    const RefreshClock clock_;
    const DramAddressMap map_;
    const std::uint32_t row_bytes_;
    Cycle next_refresh_;
    DramCommandRecorder::Channel channel_;
};

}  // namespace tessera
