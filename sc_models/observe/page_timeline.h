// Timeline recorder that writes a self-contained page: it needs no viewer and no network.
#pragma once

#include <string>
#include <vector>

#include "sc_models/common/partial_file.h"
#include "sc_models/observe/figure_samples.h"
#include "sc_models/observe/timeline_file.h"
#include "sc_models/observe/timeline_spans.h"

namespace tessera {

/// Keeps spans, kernels and samples of the machine's figures, and writes them as one HTML page
/// after the run.
class PageTimeline final : public TimelineFile {
public:
    /// Throws ConfigError if the file cannot be written.
    PageTimeline(const std::string& file, const CycleWindow& window,
                 std::string_view scope_patterns, const ClockDomain& clock);
    ~PageTimeline() override { save_what_there_is(); }
    PageTimeline(const PageTimeline&) = delete;
    PageTimeline& operator=(const PageTimeline&) = delete;

    Track add_detail_track(std::string_view process, std::string_view thread) override {
        return add_track(process, thread);
    }
    void watch(std::vector<SampledFigure> figures) override { samples_.watch(std::move(figures)); }
    void start_kernel(std::string_view name, Cycle start) override;
    void end_kernel(Cycle end) override;

private:
    Track new_track(std::string_view process, std::string_view thread) override;
    void record_span(Track track, std::string_view name, Cycle begin, Cycle end,
                     std::string_view args) override;
    void save() override;
    void tick() override;
    [[nodiscard]] bool in_window(Cycle at) const {
        return at >= window().begin() && at <= window().end();
    }

    const ClockDomain clock_;
    PartialFile file_;
    TimelineSpans spans_;
    FigureSamples samples_;
};

}  // namespace tessera
