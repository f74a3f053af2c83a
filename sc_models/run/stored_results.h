// Schemas of the files of a run that commands read back.
#pragma once

#include <cstdint>
#include <string>

#include "sc_models/common/json_schema.h"

namespace tessera {

/// Keys of a stored configuration that readers of results use.
struct StoredMachine {
    double core_clock_mhz = 0;
    std::uint64_t sms = 0;
};
/// Parses an effective configuration in YAML. Throws ConfigError if it lacks one of these keys.
[[nodiscard]] StoredMachine stored_machine(const std::string& config);

/// result.json.
[[nodiscard]] const StoredFile& result_file();
/// host.json, the host's measurements.
[[nodiscard]] const StoredFile& host_file();
/// over_time.json.
[[nodiscard]] const StoredFile& over_time_file();

}  // namespace tessera
