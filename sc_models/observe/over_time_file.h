// File of a machine's figures over time.
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
/// begin, and for each figure one value per sample. Spans of the timeline's first process, SM 0,
/// serve as clock ticks and are not kept.
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
    TimelineSpans kernels_;  ///< intervals of the kernels; holds no spans
    std::string process_;
};

}  // namespace tessera
