// The files of sweeps and networks that commands read back: their schemas.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sc_models/common/json_schema.h"

namespace tessera {

/// sweep.json.
[[nodiscard]] const StoredFile& sweep_plan_file();
/// summary.json.
[[nodiscard]] const StoredFile& summary_file();
/// origin.json.
[[nodiscard]] const StoredFile& origin_file();

/// The results of a network that `tessera network` left in a folder (network.json). Throws
/// ConfigError as read_stored() does, and for a layer that has not one time for each variant.
[[nodiscard]] nlohmann::ordered_json read_network(const std::filesystem::path& folder);

}  // namespace tessera
