// From a configuration to what a run executes.
#pragma once

#include <cstdint>
#include <memory>

#include "sc_models/workload/workload.h"

namespace tessera {

/// Makes the workload `config` describes. Regions of a convolution: "input", "filters",
/// "workspace", "c", "d", "packet", computed directly "input", "weights", "output"; of a matrix
/// product: "a", "b", "c", "d"; of a sparse one, for each operand in bitmaps, "a.descriptors",
/// "a.bitmaps" and "a.values" instead, of a sparse convolution also those of its feature map,
/// "map"; of an operator "operand0" on and "result0" on. `seed` decides the
/// values; `machine` matters to kernels made for it. Throws ConfigError on impossible
/// layers or tilings, and when values are wanted without the C matrix traffic (nothing would be
/// stored).
[[nodiscard]] std::unique_ptr<Workload> make_workload(const WorkloadConfig& config,
                                                      std::uint64_t seed, bool values,
                                                      const PacketOptions& packet = {},
                                                      const TargetMachine& machine = {});

}  // namespace tessera
