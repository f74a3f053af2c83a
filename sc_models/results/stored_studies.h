// Schemas of the files of sweeps and networks that commands read back.
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

/// Reads the network.json that `tessera network` wrote into a folder. Throws ConfigError as
/// read_stored() does, and for a layer without exactly one time per variant.
[[nodiscard]] nlohmann::ordered_json read_network(const std::filesystem::path& folder);

}  // namespace tessera
