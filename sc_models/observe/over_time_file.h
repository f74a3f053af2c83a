// Figures of the machine over time as a file.
#pragma once

#include <string>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/partial_file.h"
#include "sc_models/observe/figure_samples.h"
#include "sc_models/observe/timeline_spans.h"

namespace tessera {

/// Samples the figures of a whole run and writes them as JSON: kernels, the cycles at which samples
/// begin, and of each figure a value for each of them. It takes spans of the first process of the
/// timeline, SM 0, as the ticks of its clock and keeps none.
class OverTimeFile final : public TimelineRecorder, public RunListener {
public:
    /// Throws ConfigError if the file cannot be written.
    OverTimeFile(const std::string& file, const ClockDomain& clock) : clock_(clock), file_(file) {}

    Track add_track(std::string_view process, std::string_view thread) override;
    void watch(std::vector<SampledFigure> figures) override { samples_.watch(std::move(figures)); }
    void span(Track track, std::string_view name, Cycle begin, Cycle end,
              std::string_view args) override;
    void start_kernel(std::string_view name, Cycle start) override;
    void end_kernel(Cycle end) override;

    /// Call after the run. Throws ConfigError if the file could not be written.
    void finish();

private:
    const ClockDomain clock_;
    PartialFile file_;
    FigureSamples samples_;
    TimelineSpans kernels_;  ///< no spans: when each kernel ran
    std::string process_;
};

}  // namespace tessera
