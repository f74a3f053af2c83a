// Validation of a configuration across keys; each key is in its range already.
#pragma once

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Throws a ConfigError for the first contradiction, located at the contradicting key that the user
/// set last. `source` is the source of `config`.
void validate(const Config& config, const ConfigSource& source);

}  // namespace tessera
