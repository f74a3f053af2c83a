// The files of a run that commands read back: their schemas.
#pragma once

#include "sc_models/common/json_schema.h"

namespace tessera {

/// result.json.
[[nodiscard]] const StoredFile& result_file();
/// host.json, which says how the host fared.
[[nodiscard]] const StoredFile& host_file();
/// over_time.json.
[[nodiscard]] const StoredFile& over_time_file();

}  // namespace tessera
