// Schemas of the files of a run that commands read back.
#pragma once

#include "sc_models/common/json_schema.h"

namespace tessera {

/// result.json.
[[nodiscard]] const StoredFile& result_file();
/// host.json, the host's measurements.
[[nodiscard]] const StoredFile& host_file();
/// over_time.json.
[[nodiscard]] const StoredFile& over_time_file();

}  // namespace tessera
