// The page of a timeline.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sc_models/observe/timeline_spans.h"

namespace tessera {

/// Writes one HTML page of a finished timeline, piece by piece. Spans are packed: of each row the
/// differences of their beginnings, then lengths, names and details, as numbers of seven bits a
/// byte, in base64 (assets/timeline_data.js unpacks them).
void write_timeline_page(const TimelineSpans& spans,
                         const std::function<void(std::string_view)>& write);

}  // namespace tessera
