// Check of the host memory needed to simulate a machine.
#pragma once

#include <cstdint>

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"

namespace tessera {

/// Bytes that this process may still allocate: free memory of the host, or the remaining limit of
/// the process or its control group if that is less.
[[nodiscard]] std::uint64_t available_memory_bytes();

/// Refuses a machine whose tables exceed `available` bytes, naming the keys of the largest: caches
/// and detection units at the upper end of their ranges take tens of GiB, and the operating system
/// would kill the run, or another program, half-way. Throws the ConfigError of ConfigSource::fail.
void check_host_memory(const Config& config, const ConfigSource& source,
                       std::uint64_t available = available_memory_bytes());

}  // namespace tessera
