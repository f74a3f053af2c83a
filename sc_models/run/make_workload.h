// Factory of workloads.
#pragma once

#include <cstdint>
#include <memory>

#include "sc_models/workload/workload.h"

namespace tessera {

/// Makes the workload that `config` describes. Memory regions: of a convolution "input", "filters",
/// "workspace", "c", "d", "packet"; of a direct convolution "input", "weights", "output"; of a
/// convolution in FP32 those of its class (workload/simt); of a matrix product "a", "b", "c", "d";
/// of a sparse product, for each operand in bitmaps, "a.descriptors", "a.bitmaps" and "a.values"
/// instead; of a sparse convolution also those of its feature map, "map"; of an operator
/// "operand0", ... and "result0", .... `seed` determines the values; `machine` parameterises
/// kernels made for a machine. Throws ConfigError for impossible layers or tilings, and if values
/// are enabled without C matrix traffic (no result would be stored).
[[nodiscard]] std::unique_ptr<Workload> make_workload(const WorkloadConfig& config,
                                                      std::uint64_t seed, bool values,
                                                      const PacketOptions& packet = {},
                                                      const TargetMachine& machine = {});

}  // namespace tessera
