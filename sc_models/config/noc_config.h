// Configuration of the network between SMs and L2.
#pragma once

#include <cstdint>

#include "sc_models/config/config_visitor.h"
#include "sc_models/config/knob.h"
#include "sc_models/config/mesh_config.h"

namespace tessera {

/// How requests of an SM wait for their slices.
enum class NocQueueing {
    kVirtualOutput,  ///< for each slice on its own
    kFifo            ///< in one queue, whose head holds up the others
};

/// Which SM's request an L2 slice takes next, or which slice's response an SM does.
enum class NocArbitration {
    kRoundRobin,  ///< each port in turn
    kOldestFirst  ///< the one that has waited longest
};

enum class NocKind { kCrossbar, kMesh };

/// Network between SMs and L2 slices: a crossbar or a mesh.
struct NocConfig {
    Knob<NocKind> kind = NocKind::kCrossbar;
    Knob<std::uint32_t> latency_cycles = 14;            ///< one way, without contention
    Knob<std::uint32_t> request_bytes_per_cycle = 32;   ///< per SM, towards L2 (headers are free)
    Knob<std::uint32_t> response_bytes_per_cycle = 64;  ///< per SM, from L2
    Knob<std::uint32_t> slice_bytes_per_cycle = 32;     ///< per slice, each way
    Knob<NocQueueing> queueing = NocQueueing::kVirtualOutput;
    Knob<NocArbitration> arbitration = NocArbitration::kRoundRobin;  ///< approximately-timed only
    Knob<std::uint32_t> request_queue_entries = 32;  ///< of an SM, those on their way included
    /// Approximately-timed only: of a slice, those on their way included.
    Knob<std::uint32_t> response_queue_entries = 32;
    MeshConfig mesh;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
