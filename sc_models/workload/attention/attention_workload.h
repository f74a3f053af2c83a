// Attention of a decoder, and its rotary embedding, as workloads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/workload/workload.h"

namespace tessera {

/// The operator of workload.attention. Throws ConfigError for sizes beyond 2^32 CTAs.
[[nodiscard]] std::unique_ptr<Workload> make_attention_workload(const WorkloadConfig& config,
                                                                std::uint64_t seed, bool values,
                                                                const TargetMachine& machine);

}  // namespace tessera
