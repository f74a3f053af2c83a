// Runs that come to the same, whatever their configurations say of parts that are switched off.
#pragma once

#include <string>
#include <vector>

#include "sc_models/config/config.h"

namespace tessera {

/// The same for configurations whose runs take the same steps: config_hash() of what acts. Keys of
/// a mechanism that is switched off do not act, nor do, without values, zeros of operands and their
/// seed where the kernel takes every element. A section of which a user set a key himself counts
/// as it is, so that a run that would refuse the key is not taken for another.
[[nodiscard]] std::string acting_hash(const Config& config,
                                      const std::vector<std::string>& user_keys);

}  // namespace tessera
