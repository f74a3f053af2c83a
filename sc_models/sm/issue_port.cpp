#include "sc_models/sm/issue_port.h"

#include <fmt/format.h>
#include <string>

namespace tessera {

IssuePort::IssuePort(std::uint32_t issue_cycles, const TraceScope& scope, StatGroup& statistics)
    : issue_cycles_(issue_cycles),
      wave_(scope.observers.wave),
      timeline_(scope.observers.timeline) {
    for (std::size_t kind = 0; kind < kStallReasons; ++kind) {
        statistics.counter(kStallReasonText[kind].name, slots_[kind], "cycles",
                           kStallReasonText[kind].description);
    }
    statistics.counter("cycles", cycles_, "cycles", "cycles of all kernels");
    statistics.counter("instructions", instructions_, "count", "warp instructions issued");
    if (wave_ != nullptr) {
        const std::string name =
            fmt::format("sm{}.sub_core{}", scope.sm.value(), scope.sub_core.value());
        issue_ = wave_->add(name, "issue", 1);
        opcode_ = wave_->add(name, "opcode", 5);
        warp_ = wave_->add(name, "warp", scope.warp_bits);
        stall_ = wave_->add(name, "stall_reason", 4);
        resident_ = wave_->add(name, "resident_warps", scope.warp_bits);
        show_stall(0, StallReason::kNoWarp);
    }
    if (timeline_ != nullptr) {
        track_ = timeline_->add_track(fmt::format("SM {}", scope.sm.value()),
                                      fmt::format("sub-core {} issue", scope.sub_core.value()));
        if (track_ == TimelineRecorder::kNoTrack) timeline_ = nullptr;
    }
}

void IssuePort::account(Cycle until) {
    const Cycle from = accounted_until_;
    add(reason_, until - from, until);
    if (timeline_ != nullptr && reason_ != StallReason::kNoWarp &&
        reason_ != StallReason::kIssued) {
        timeline_->span(track_, kStallReasonText[static_cast<std::size_t>(reason_)].name, from,
                        until, "");
    }
}

std::uint32_t IssuePort::issue(Opcode opcode, WarpId warp, std::uint32_t count, Cycle now) {
    const std::uint32_t cycles = count * issue_cycles_;
    instructions_ += count;
    free_at_ = now + cycles;
    add(StallReason::kIssued, cycles, free_at_);
    if (wave_ != nullptr) {
        wave_->pulse(issue_, now, cycles);
        show_stall(now, StallReason::kIssued);
        wave_->set(opcode_, now, static_cast<std::uint64_t>(opcode));
        wave_->set(warp_, now, warp.value());
    }
    if (timeline_ != nullptr) {
        timeline_->span(track_, name_of(opcode), now, free_at_,
                        fmt::format(R"({{"warp":{}}})", warp.value()));
    }
    return cycles;
}

void IssuePort::wait_for_collector(Cycle free) {
    if (free <= free_at_) return;
    if (wave_ != nullptr) show_stall(free_at_, StallReason::kOperands);
    add(StallReason::kOperands, free - free_at_, free);
    free_at_ = free;
}

}  // namespace tessera
