// Rules between the keys of the dual-side sparse tensor core and those of machine and workload.
#pragma once

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Checks outer-product tensor cores and their RTL. Throws the ConfigError of ConfigSource::fail.
void check_dual_side_machine(const Config& config, const ConfigSource& source);
/// Checks SpWMMAs in sparse products; throws likewise.
void check_dual_side_workload(const Config& config, const ConfigSource& source);

}  // namespace tessera
