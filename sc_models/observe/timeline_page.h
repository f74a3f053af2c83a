// Writer of timeline pages.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sc_models/observe/timeline_spans.h"

namespace tessera {

/// Writes one HTML page of a finished timeline, piece by piece. Spans are packed row by row:
/// differences of begins, then lengths, names and details, as numbers of seven bits per byte, in
/// base64 (assets/timeline_data.js unpacks them).
void write_timeline_page(const TimelineSpans& spans,
                         const std::function<void(std::string_view)>& write);

}  // namespace tessera
