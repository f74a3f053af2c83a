// Figures of a machine over time, from its counters.
#pragma once

#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/observe/timeline_spans.h"

namespace tessera {

/// Reads the counters of figures every so many cycles, at the moments at which it is told what
/// cycle it is: an event of its own would change the order of others. Where samples become too many
/// each takes the next one in, and the period doubles.
class FigureSamples {
public:
    /// The shortest period, and how many samples are kept at most (chosen).
    static constexpr Cycle kShortest = 128;
    static constexpr std::size_t kMost = 4096;

    void watch(std::vector<SampledFigure> figures) { figures_ = std::move(figures); }
    /// Counters count from `start` on.
    void start_kernel(Cycle start);
    /// The machine has got to this cycle. It is sampled if the period is over.
    void advance(Cycle now);
    /// Takes the last sample of the kernel.
    void finish(Cycle now);

    [[nodiscard]] Cycle period() const { return period_; }
    /// Those that ever were other than zero. What exceeds a figure's peak goes to the samples
    /// behind it; what then is left at the end is done after it, and not shown.
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
