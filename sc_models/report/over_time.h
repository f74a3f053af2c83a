// Charts of a run's figures over time.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sc_models/page/page_frame.h"

namespace tessera {

/// Style sheets and scripts of pages with these charts, beside the page's frame.
[[nodiscard]] PageAssets over_time_assets();

/// A chart for each figure of an over_time.json, drawn by uPlot, and a table of the same numbers
/// for readers without JavaScript.
[[nodiscard]] std::string over_time_html(const nlohmann::ordered_json& over_time);

}  // namespace tessera
