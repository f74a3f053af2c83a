// Interfaces of observers of a run: waveforms, timelines and DRAM commands. Blocks hold pointers
// that are null if the run has no observer.
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

/// Records values of named signals over time. Loosely-timed blocks compute changes ahead of time,
/// so `set` takes the core cycle at which the change becomes visible (not before the current
/// cycle); changes may arrive in any order of cycle.
class WaveRecorder {
public:
    using Signal = std::uint32_t;
    static constexpr Signal kNoSignal = ~Signal{0};
    virtual ~WaveRecorder() = default;
    /// Declares signal `scope`.`name` of `width_bits` (1..64), at elaboration. Returns `kNoSignal`,
    /// on which `set` has no effect, if the user's scope pattern excludes it.
    virtual Signal add(std::string_view scope, std::string_view name, std::uint32_t width_bits) = 0;
    /// Sets the value of the signal from core cycle `at` on.
    virtual void set(Signal signal, Cycle at, std::uint64_t value) = 0;
    /// Sets a one-bit signal to 1 in [at, at + cycles) and to 0 otherwise; adjacent pulses merge. A
    /// wider signal counts overlapping pulses. A signal is either set or pulsed.
    virtual void pulse(Signal signal, Cycle at, Cycle cycles) = 0;

    /// Parameters for a block that writes a value change dump of its own.
    struct DumpPlan {
        std::string file;  ///< output file, times in femtoseconds; empty: not recorded
        /// Recorded cycles; a span relative to a kernel's start is moved there when the kernel
        /// starts.
        std::shared_ptr<const CycleSpan> span;
        std::uint64_t period_fs = 0;  ///< length of a core cycle
    };
    /// Declares a block whose whole dump appears under `scope`, at elaboration. `close` is called
    /// at the end of the recording and must complete the dump.
    virtual DumpPlan add_dump(std::string_view scope, std::function<void()> close) {
        static_cast<void>(scope);
        static_cast<void>(close);
        return {};
    }
};

/// Width of a signal that holds a warp index of an SM with `max_warps` warps, a warp count, or the
/// assistant warp's index max_warps.
[[nodiscard]] constexpr std::uint32_t warp_signal_bits(std::uint32_t max_warps) {
    return max_warps < 256 ? 8 : 9;
}

/// Records named spans for Perfetto (Chrome-trace JSON). Spans of one track must nest or be
/// disjoint.
class TimelineRecorder {
public:
    using Track = std::uint32_t;
    static constexpr Track kNoTrack = ~Track{0};
    virtual ~TimelineRecorder() = default;
    /// Adds a row of the timeline: `thread` within `process` ("SM 3", "sub-core 1"). Returns
    /// `kNoTrack`, on which nothing is recorded, if the user's scope pattern excludes it.
    virtual Track add_track(std::string_view process, std::string_view thread) = 0;
    /// Adds a row with details of other rows. Recorders whose files already hold the details return
    /// kNoTrack.
    virtual Track add_detail_track(std::string_view /*process*/, std::string_view /*thread*/) {
        return kNoTrack;
    }
    /// Records core cycles [begin, end) of a track; `args` is JSON object text or empty.
    virtual void span(Track track, std::string_view name, Cycle begin, Cycle end,
                      std::string_view args) = 0;
};

class DramCommandRecorder;
class TransactionObserver;

/// Observers passed to the blocks.
struct Observers {
    WaveRecorder* wave = nullptr;
    TimelineRecorder* timeline = nullptr;
    DramCommandRecorder* dram = nullptr;
    TransactionObserver* transactions = nullptr;
    /// Whether accesses to memory get ids (AccessInfo::id).
    [[nodiscard]] bool follow_accesses() const {
        return wave != nullptr || dram != nullptr || transactions != nullptr;
    }
};

/// Figure over time: the increase of `count` in an interval, divided by that of `of` or, without
/// one, by the cycles of the interval; times `scale`. Both count from the start of a kernel. A
/// loosely-timed machine counts work when it is requested. If the unit does at most `peak` per `of`
/// or cycle, the excess is shown in later intervals.
struct SampledFigure {
    std::string name, unit;
    std::function<std::uint64_t()> count, of;
    double scale = 1;
    double peak = 0;  ///< 0: unknown
};

/// Receives events of the whole machine, which single blocks do not report.
class RunListener {
public:
    virtual ~RunListener() = default;
    /// Passes the machine's figures to listeners that record them over time; called before the
    /// first kernel.
    virtual void watch(std::vector<SampledFigure> /*figures*/) {}
    /// A kernel starts at this core cycle; all earlier ones have ended.
    virtual void start_kernel(std::string_view name, Cycle start) = 0;
    /// The kernel ends at this core cycle, which loosely-timed blocks may not have reached.
    virtual void end_kernel(Cycle /*end*/) {}
};

/// All observers of a run.
struct RunObservers {
    Observers blocks;                     ///< notified by the blocks
    std::vector<RunListener*> listeners;  ///< notified by the run, in this order
};

}  // namespace tessera
