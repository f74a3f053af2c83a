// The machines of `tessera network`: what its arguments say of them.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/study/network_study.h"
#include "testbenches/tessera/network_arguments.h"

namespace tessera {

/// The machine alone, and with each mechanism. Throws ConfigError for what is no machine, names
/// that are there twice, and keys of mechanisms that none of them has.
[[nodiscard]] std::vector<NetworkVariant> variants_of(const NetworkArguments& arguments);

/// Of the launches drawn; empty: none is. Throws ConfigError if a seed is set, too.
[[nodiscard]] std::vector<std::uint64_t> seeds_of(const NetworkArguments& arguments);

}  // namespace tessera
