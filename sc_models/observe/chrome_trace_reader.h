// Reader of Chrome-trace files, for display as pages.
#pragma once

#include <filesystem>

#include "sc_models/observe/timeline_spans.h"

namespace tessera {

/// Reads the complete events ("X") and counters ("C") of a Chrome trace in which one microsecond is
/// one core cycle, as in ChromeTimeline's files, which have no counters. Such files hold no
/// kernels. Throws ConfigError for a file that is no trace, and for one without a span.
[[nodiscard]] TimelineSpans read_chrome_trace(const std::filesystem::path& file);

}  // namespace tessera
