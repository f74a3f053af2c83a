// What watches a run from outside: waveforms and timelines. Blocks hold pointers that are null when
// nobody watches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Core cycles [begin, end), counted from the start of the run.
struct CycleSpan {
    Cycle begin = 0;
    Cycle end = kNever;
};

/// Collects values of named signals over time. Loosely-timed blocks know of changes before they
/// happen, so `set` takes the core cycle at which the change becomes visible (not before the
/// current cycle); changes may arrive in any order of cycle.
class WaveRecorder {
public:
    using Signal = std::uint32_t;
    static constexpr Signal kNoSignal = ~Signal{0};
    virtual ~WaveRecorder() = default;
    /// Declares signal `scope`.`name` of `width_bits` (1..64), at elaboration. `kNoSignal` if the
    /// user's scope pattern leaves it out; `set` on it does nothing.
    virtual Signal add(std::string_view scope, std::string_view name, std::uint32_t width_bits) = 0;
    /// From core cycle `at` on the signal has this value.
    virtual void set(Signal signal, Cycle at, std::uint64_t value) = 0;
    /// A one-bit signal that is 1 in [at, at + cycles) and 0 otherwise; pulses that touch merge. A
    /// wider signal counts the pulses that overlap. A signal is either set or pulsed.
    virtual void pulse(Signal signal, Cycle at, Cycle cycles) = 0;

    /// How a block that writes a value change dump of its own joins in.
    struct DumpPlan {
        std::string file;  ///< to write, times in femtoseconds; empty: not recorded
        /// What to write; one that counts from a kernel's start is moved there as that starts.
        std::shared_ptr<const CycleSpan> span;
        std::uint64_t period_fs = 0;  ///< of a core cycle
    };
    /// Declares a block whose whole dump is to show under `scope`, at elaboration. `close` is
    /// called when the recording ends; the dump must be whole then.
    virtual DumpPlan add_dump(std::string_view scope, std::function<void()> close) {
        static_cast<void>(scope);
        static_cast<void>(close);
        return {};
    }
};

/// Bits of a signal that holds a warp of an SM with room for `max_warps`, how many there are, or
/// the assistant warp, whose number is max_warps.
[[nodiscard]] constexpr std::uint32_t warp_signal_bits(std::uint32_t max_warps) {
    return max_warps < 256 ? 8 : 9;
}

/// Collects named spans for Perfetto (Chrome-trace JSON). Spans of one track must nest or be
/// disjoint.
class TimelineRecorder {
public:
    using Track = std::uint32_t;
    static constexpr Track kNoTrack = ~Track{0};
    virtual ~TimelineRecorder() = default;
    /// A row of the timeline: `thread` within `process` ("SM 3", "sub-core 1"). `kNoTrack` if the
    /// user's scope pattern leaves it out; nothing is recorded on it.
    virtual Track add_track(std::string_view process, std::string_view thread) = 0;
    /// The same for a row that says more of what others show. Recorders whose files hold what is
    /// there already leave it out.
    virtual Track add_detail_track(std::string_view /*process*/, std::string_view /*thread*/) {
        return kNoTrack;
    }
    /// Core cycles [begin, end) of a track; `args` is JSON object text or empty.
    virtual void span(Track track, std::string_view name, Cycle begin, Cycle end,
                      std::string_view args) = 0;
};

/// Both, as blocks receive them.
struct Observers {
    WaveRecorder* wave = nullptr;
    TimelineRecorder* timeline = nullptr;
};

/// A figure over time: what `count` gained between two moments, over what `of` gained or, without
/// one, over the cycles in between; times `scale`. Both count from the start of a kernel. A loosely
/// timed machine counts work when it is asked for. Where the unit does at most `peak` for each `of`
/// or cycle, what is beyond that is done, and shown, later.
struct SampledFigure {
    std::string name, unit;
    std::function<std::uint64_t()> count, of;
    double scale = 1;
    double peak = 0;  ///< 0: not known
};

/// Hears from the run what concerns the whole machine, which no block says.
class RunListener {
public:
    virtual ~RunListener() = default;
    /// Figures of the machine, for those who show some over time; before the first kernel.
    virtual void watch(std::vector<SampledFigure> /*figures*/) {}
    /// A kernel starts at this core cycle, at which all before it have ended.
    virtual void start_kernel(std::string_view name, Cycle start) = 0;
    /// The kernel ends at this core cycle, which loosely-timed blocks may not have come to.
    virtual void end_kernel(Cycle /*end*/) {}
};

/// All that watch a run.
struct RunObservers {
    Observers blocks;                     ///< told by the blocks
    std::vector<RunListener*> listeners;  ///< told by the run, in this order
};

}  // namespace tessera
