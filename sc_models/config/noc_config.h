// Configuration of the network between SMs and L2.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"
#include "sc_models/config/mesh_config.h"

namespace tessera {

/// Queues for requests of an SM.
enum class NocQueueing {
    kVirtualOutput,  ///< one queue for each slice
    kFifo            ///< a single queue with head-of-line blocking
};

/// Arbitration among SMs at an L2 slice, and among slices at an SM.
enum class NocArbitration {
    kRoundRobin,  ///< ports in rotation
    kOldestFirst  ///< the request with the longest wait
};

enum class NocKind { kCrossbar, kMesh };

/// Network between SMs and L2 slices: a crossbar or a mesh.
struct NocConfig {
    NocKind kind = NocKind::kCrossbar;
    std::uint32_t latency_cycles = 14;            ///< one way, without contention
    std::uint32_t request_bytes_per_cycle = 32;   ///< per SM, towards L2 (headers are free)
    std::uint32_t response_bytes_per_cycle = 64;  ///< per SM, from L2
    std::uint32_t slice_bytes_per_cycle = 32;     ///< per slice, each way
    NocQueueing queueing = NocQueueing::kVirtualOutput;
    NocArbitration arbitration = NocArbitration::kRoundRobin;  ///< approximately-timed only
    std::uint32_t request_queue_entries = 32;  ///< per SM, including those in flight
    /// Approximately-timed only: per slice, including those in flight.
    std::uint32_t response_queue_entries = 32;
    MeshConfig mesh;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
