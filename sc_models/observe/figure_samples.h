// Sampler of a machine's figures over time, from its counters.
#pragma once

#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/observe/timeline_spans.h"

namespace tessera {

/// Samples the counters of figures periodically, during calls that report the current cycle: an
/// event of its own would change the order of others. When samples exceed kMost, pairs are merged
/// and the period doubles.
class FigureSamples {
public:
    /// Shortest period, and maximum number of samples (chosen).
    static constexpr Cycle kShortest = 128;
    static constexpr std::size_t kMost = 4096;

    void watch(std::vector<SampledFigure> figures) { figures_ = std::move(figures); }
    /// Starts a kernel: counters count from `start` on.
    void start_kernel(Cycle start);
    /// Reports that the machine has reached cycle `now`; takes a sample if the period is over.
    void advance(Cycle now);
    /// Takes the last sample of the kernel.
    void finish(Cycle now);

    [[nodiscard]] Cycle period() const { return period_; }
    /// All figures that were ever nonzero. Counts beyond a figure's peak move to the next sample;
    /// the rest after the last sample is dropped.
    [[nodiscard]] std::vector<TimelineSpans::Series> series() const;

private:
    struct Gain {
        std::uint64_t count = 0, of = 0;
    };
    struct Sample {
        Cycle from = 0, to = 0;
        std::vector<Gain> gains;  ///< by figure
    };
    [[nodiscard]] std::vector<Gain> totals() const;
    void take(Cycle now);
    void halve();

    std::vector<SampledFigure> figures_;
    std::vector<Sample> samples_;
    std::vector<Gain> before_;  ///< totals at since_
    Cycle since_ = 0;
    Cycle period_ = kShortest;
    bool started_ = false;
};

}  // namespace tessera
