// Ways of memory accesses through the machine, for the timeline.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/observe/timeline_file.h"

namespace tessera {

/// Waveform recorder that reads the signals with ids of memory accesses (AccessInfo::id) and draws
/// each access as one flow in the timeline: rows "access: LDST unit", "L1", "network", "L2" and
/// "DRAM" of its SM, with a span of one cycle where the access passes. It forwards all signals to
/// another recorder.
class AccessTimeline final : public WaveRecorder {
public:
    /// `wave` may be null; both must outlive this object.
    AccessTimeline(WaveRecorder* wave, TimelineFile& timeline) : wave_(wave), timeline_(timeline) {}

    Signal add(std::string_view scope, std::string_view name, std::uint32_t width_bits) override;
    void set(Signal signal, Cycle at, std::uint64_t value) override;
    void pulse(Signal signal, Cycle at, Cycle cycles) override {
        if (wave_ != nullptr) wave_->pulse(signal, at, cycles);
    }
    DumpPlan add_dump(std::string_view scope, std::function<void()> close) override;

private:
    static constexpr std::array<const char*, 5> kLevels = {"LDST unit", "L1", "network", "L2",
                                                           "DRAM"};
    /// Signals from here on are those with ids; the others are those of `wave_`.
    static constexpr Signal kFirstHop = Signal{1} << 31U;

    struct Hop {
        std::string block;
        std::size_t level;  ///< in kLevels
        Signal forwarded;
    };

    WaveRecorder* wave_;
    TimelineFile& timeline_;
    std::vector<Hop> hops_;
    /// Rows of each SM that has an LDST unit, by level.
    std::map<std::uint64_t, std::array<TimelineRecorder::Track, kLevels.size()>> rows_;
};

}  // namespace tessera
