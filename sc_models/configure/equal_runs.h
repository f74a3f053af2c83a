// Detection of runs with equal steps, independently of settings of disabled parts.
#pragma once

#include <string>
#include <vector>

#include "sc_models/config/config.h"

namespace tessera {

/// `config` with the keys that have no effect at their defaults: equal for configurations whose
/// runs take the same steps. Keys of a disabled mechanism have no effect; nor have, without values,
/// operand zeros and their seed if the kernel processes every element. Sections with a key of
/// `user_keys` are left unchanged, so that a run that would refuse the key differs.
[[nodiscard]] Config acting_config(const Config& config, const std::vector<std::string>& user_keys);

/// config_hash() of acting_config().
[[nodiscard]] std::string acting_hash(const Config& config,
                                      const std::vector<std::string>& user_keys);

}  // namespace tessera
