// Page of a whole network: the benefit of each mechanism, and where the time goes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_models/results/stored_studies.h"

namespace tessera {

/// Section for a page with other results: totals with their intervals, charts and the table by
/// layer. Reads only NetworkResults::json().
[[nodiscard]] std::string network_html(const nlohmann::ordered_json& network);
/// One line per machine: its time and speedup with their intervals.
[[nodiscard]] std::string network_text(const nlohmann::ordered_json& network);
/// Page with this network only.
[[nodiscard]] std::string network_page(const nlohmann::ordered_json& network);

}  // namespace tessera
