// Log of the issues of a sub-core, taken from the signals that it drives.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/observer.h"
#include "testbenches/sub_core/naive_sub_core.h"

namespace tessera::testbench {

/// Recorder between the SM and the waveform, if there is one: passes everything on, and notes each
/// issue of sub-core 0 (its signals opcode and warp are set once an issue, in this order).
class IssueLog : public WaveRecorder {
public:
    explicit IssueLog(WaveRecorder* next) : next_(next) {}

    [[nodiscard]] std::vector<IssueEvent>& issues() { return issues_; }

    Signal add(std::string_view scope, std::string_view name, std::uint32_t width_bits) override {
        const auto signal = static_cast<Signal>(passed_on_.size());
        passed_on_.push_back(next_ == nullptr ? kNoSignal : next_->add(scope, name, width_bits));
        if (scope == "sm0.sub_core0" && name == "opcode") opcode_ = signal;
        if (scope == "sm0.sub_core0" && name == "warp") warp_ = signal;
        return signal;
    }
    void set(Signal signal, Cycle at, std::uint64_t value) override {
        if (signal == opcode_) issues_.push_back({at, 0, static_cast<Opcode>(value)});
        if (signal == warp_) issues_.back().warp = static_cast<std::uint32_t>(value);
        if (next_ != nullptr && signal != kNoSignal) next_->set(passed_on_[signal], at, value);
    }
    void pulse(Signal signal, Cycle at, Cycle cycles) override {
        if (next_ != nullptr && signal != kNoSignal) next_->pulse(passed_on_[signal], at, cycles);
    }

private:
    WaveRecorder* const next_;       ///< null: none
    std::vector<Signal> passed_on_;  ///< of the next recorder, by signal
    Signal opcode_ = kNoSignal, warp_ = kNoSignal;
    std::vector<IssueEvent> issues_;
};

}  // namespace tessera::testbench
