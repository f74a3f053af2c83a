// Machine variants that the arguments of `tessera network` specify.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/study/network_study/network_study.h"
#include "tools/tessera/network_arguments.h"

namespace tessera {

/// The machine alone, and with each mechanism. Throws ConfigError for configurations without a
/// machine, duplicate names, and keys of mechanisms that none of them has.
[[nodiscard]] std::vector<NetworkVariant> variants_of(const NetworkArguments& arguments);

/// Seeds 1 to N of --seeds N; empty without it. Throws ConfigError if --set seed is given, too.
[[nodiscard]] std::vector<std::uint64_t> seeds_of(const NetworkArguments& arguments);

}  // namespace tessera
