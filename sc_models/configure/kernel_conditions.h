// Conditions of keys of workloads that depend on what kernels make of them.
#pragma once

#include <string_view>
#include <vector>

#include "sc_models/config/engine/key_condition.h"

namespace tessera {

/// Conditions beside those of the key's declaration: keys that only some operators have, and
/// convolutions for which workload.kernel auto selects a depthwise kernel.
[[nodiscard]] std::vector<KeyCondition> kernel_conditions_of(std::string_view key);

}  // namespace tessera
