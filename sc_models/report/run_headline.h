// Headline of the page of a run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tessera {

/// Machine, mechanisms, layer, time, limit and energy of a run in one box. `result` is the content
/// of a result.json; parts that an older one lacks are left out.
[[nodiscard]] std::string run_headline(const nlohmann::ordered_json& result);

}  // namespace tessera
