// Rules between the keys of Duplo and those of machine and workload.
#pragma once

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Checks the detection unit and its RTL. Throws the ConfigError of ConfigSource::fail.
void check_duplo_machine(const Config& config, const ConfigSource& source);
/// Checks that the kernels of the workload load what the detection unit sees; throws likewise.
void check_duplo_workload(const Config& config, const ConfigSource& source);

}  // namespace tessera
