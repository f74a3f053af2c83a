// The page of a whole network: what each mechanism is worth on it, and where its time goes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_models/study/stored_studies.h"

namespace tessera {

/// Totals with their intervals, charts and the table by layer, from NetworkResults::json() alone;
/// for a page with other results.
[[nodiscard]] std::string network_html(const nlohmann::ordered_json& network);
/// A line a machine: its time and speedup, with their intervals.
[[nodiscard]] std::string network_text(const nlohmann::ordered_json& network);
/// A page of its own.
[[nodiscard]] std::string network_page(const nlohmann::ordered_json& network);

}  // namespace tessera
