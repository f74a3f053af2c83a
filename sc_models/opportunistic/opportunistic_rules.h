// Rules between the keys of opportunistic computing and those of machine and workload.
#pragma once

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Checks that the workload has vector operations and that clusters divide the SMs. Throws the
/// ConfigError of ConfigSource::fail.
void check_opportunistic(const Config& config, const ConfigSource& source);

}  // namespace tessera
