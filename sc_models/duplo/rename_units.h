// Units of renaming.
#pragma once

#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/sm/fragment_units.h"

namespace tessera {

/// Returns the units into which A fragments are cut for renaming. Throws ConfigError for
/// octet_copies other than 1 and 2.
[[nodiscard]] FragmentUnits units_of(const DuploConfig& config);

}  // namespace tessera
