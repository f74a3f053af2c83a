// Issue port of a sub-core, with the account of its cycles.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/isa/opcode.h"
#include "sc_models/sm/stall_reason.h"
#include "sc_models/sm/trace_scope.h"

namespace tessera {

/// Issue port of a sub-core: one instruction in `issue_cycles` core cycles. Each cycle of the port
/// counts as issued or as one stall reason.
class IssuePort {
public:
    /// Statistics go to `statistics`, the group of the sub-core.
    IssuePort(std::uint32_t issue_cycles, const TraceScope& scope, StatGroup& statistics);
    IssuePort(const IssuePort&) = delete;
    IssuePort& operator=(const IssuePort&) = delete;

    /// Returns the cycle until which the port is taken.
    [[nodiscard]] Cycle free_at() const { return free_at_; }
    /// Begins to account cycles at `now`.
    void start(Cycle now) { accounted_until_ = now; }
    /// Accounts the cycles since the last issue up to `now` to the current stall reason.
    void account_until(Cycle now) {
        if (now > accounted_until_) account(now);
    }
    /// Issues `count` instructions of `warp`, back to back from `now` on; returns the cycles for
    /// which they take the port.
    std::uint32_t issue(Opcode opcode, WarpId warp, std::uint32_t count, Cycle now);
    /// Blocks the port until an operand collector is free at cycle `free`.
    void wait_for_collector(Cycle free);
    /// Sets the stall reason of the cycles that are not accounted yet.
    void set_stall_reason(StallReason reason) {
        reason_ = reason;
        if (wave_ != nullptr) show_stall(accounted_until_, reason);
    }
    /// Traces the number of resident warps from cycle `at` on.
    void show_resident(std::size_t warps, Cycle at) {
        if (wave_ != nullptr) wave_->set(resident_, at, warps);
    }
    /// Returns the cycles by stall reason.
    [[nodiscard]] const std::array<std::uint64_t, kStallReasons>& slots() const { return slots_; }

private:
    using Signal = WaveRecorder::Signal;

    void account(Cycle until);
    /// Adds cycles of one reason up to cycle `until`.
    void add(StallReason reason, Cycle cycles, Cycle until) {
        slots_[static_cast<std::size_t>(reason)] += cycles;
        cycles_ += cycles;
        accounted_until_ = until;
    }
    void show_stall(Cycle at, StallReason reason) {
        wave_->set(stall_, at, static_cast<std::uint64_t>(reason));
    }

    Cycle free_at_ = 0;
    Cycle accounted_until_ = 0;
    StallReason reason_ = StallReason::kNoWarp;
    const std::uint32_t issue_cycles_;
    WaveRecorder* const wave_;
    TimelineRecorder* timeline_;
    std::uint64_t cycles_ = 0, instructions_ = 0;
    std::array<std::uint64_t, kStallReasons> slots_{};
    Signal issue_ = WaveRecorder::kNoSignal, opcode_ = WaveRecorder::kNoSignal,
           warp_ = WaveRecorder::kNoSignal, stall_ = WaveRecorder::kNoSignal,
           resident_ = WaveRecorder::kNoSignal;
    TimelineRecorder::Track track_ = 0;
};

}  // namespace tessera
