// Chrome-trace files read back, to be shown as pages.
#pragma once

#include <filesystem>

#include "sc_models/observe/timeline_spans.h"

namespace tessera {

/// The complete events ("X") and counters ("C") of a Chrome trace in which one microsecond is one
/// core cycle, as in those of ChromeTimeline, which have no counters. Kernels are not in such
/// files. Throws ConfigError for a file that is none, and for one without a span.
[[nodiscard]] TimelineSpans read_chrome_trace(const std::filesystem::path& file);

}  // namespace tessera
