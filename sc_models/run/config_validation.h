// Whether the keys of a configuration, each of them in its range, agree with each other.
#pragma once

#include "sc_models/config/config.h"
#include "sc_models/config/config_source.h"

namespace tessera {

/// Throws a ConfigError for the first contradiction, located at that one of the contradicting keys
/// which the user set last. `source` is what `config` was loaded from.
void validate(const Config& config, const ConfigSource& source);

}  // namespace tessera
