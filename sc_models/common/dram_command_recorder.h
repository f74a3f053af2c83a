// Interface of recorders of DRAM commands.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Kinds of DRAM commands, in the order of commands of one cycle.
enum class DramCommandKind : std::uint8_t { kPrecharge, kRefresh, kActivate, kRead, kWrite };

/// Command on the command bus of a DRAM channel.
struct DramCommand {
    Cycle cycle = 0;  ///< in cycles of the DRAM command clock
    DramCommandKind kind = DramCommandKind::kRefresh;
    std::uint32_t bank_group = 0;  ///< unused by a refresh, which is for all banks
    std::uint32_t bank = 0;        ///< within the channel; unused by a refresh
    std::uint64_t row = 0;         ///< of activations, reads and writes
    std::uint32_t column = 0;      ///< of reads and writes: byte of the row
    std::uint64_t id = 0;          ///< of reads and writes: AccessInfo::id; 0: none
};

/// Named parameter of a channel: geometry, clock, or a timing rule in cycles of the command clock.
struct DramParameter {
    static constexpr std::uint64_t kNoRule = ~std::uint64_t{0};
    std::string_view name;
    std::uint64_t value = kNoRule;
};

/// Records the commands of DRAM channels.
class DramCommandRecorder {
public:
    using Channel = std::uint32_t;
    virtual ~DramCommandRecorder() = default;
    /// Declares a channel, at elaboration; channels are numbered in this order, and all have equal
    /// parameters. `close` is called at the end of the recording and must record what is missing.
    virtual Channel add_channel(const std::vector<DramParameter>& parameters,
                                std::function<void()> close) = 0;
    /// Records a command; commands of a channel may arrive in any order of cycle.
    virtual void record(Channel channel, const DramCommand& command) = 0;
    /// No later command of the channel is before `cycle`.
    virtual void advance(Channel channel, Cycle cycle) = 0;
};

}  // namespace tessera
