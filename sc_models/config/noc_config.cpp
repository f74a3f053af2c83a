#include "sc_models/config/noc_config.h"

#include "sc_models/config/key_conditions.h"

namespace tessera {
namespace {

constexpr KeyCondition kCrossbar = {
    "noc.kind crossbar", [](const Config& c) { return c.noc.kind == NocKind::kCrossbar; }};
constexpr KeyCondition kMesh = {"noc.kind mesh",
                                [](const Config& c) { return c.noc.kind == NocKind::kMesh; }};

}  // namespace

void NocConfig::bind(ConfigVisitor& v) {
    constexpr std::uint32_t kMaxLatencyCycles = 100'000;
    v.choice("kind", kind, {{"crossbar", NocKind::kCrossbar}, {"mesh", NocKind::kMesh}},
             "Network between SMs and L2 slices: a crossbar, or a mesh of routers, which has "
             "latencies and bandwidths of its own.");
    v.acts_if(kCrossbar).integer(
        "latency_cycles", latency_cycles, 1, kMaxLatencyCycles,
        "SM to L2 slice or back through the crossbar, one way, without contention.");
    v.acts_if(kCrossbar).integer("request_bytes_per_cycle", request_bytes_per_cycle, 1, 4096,
                                 "Bandwidth of an SM towards L2 (headers are free).");
    v.acts_if(kCrossbar).integer("response_bytes_per_cycle", response_bytes_per_cycle, 1, 4096,
                                 "Bandwidth of an SM from L2.");
    v.acts_if(kCrossbar).integer("slice_bytes_per_cycle", slice_bytes_per_cycle, 1, 4096,
                                 "Bandwidth of an L2 slice, each way.");
    v.integer(
        "request_queue_entries", request_queue_entries, 1, 65536,
        "Requests of an SM inside the crossbar, those on their way included, or that wait to enter "
        "the mesh; a full queue stops the L1.");
    v.acts_if(acts::kApproximatelyTimed)
        .integer(
            "response_queue_entries", response_queue_entries, 1, 65536,
            "Responses of a slice inside the crossbar, those on their way included, or of a memory "
            "controller that wait to enter the mesh; a full queue stops the slice.");
    v.acts_if(kCrossbar).choice(
        "queueing", queueing,
        {{"virtual_output", NocQueueing::kVirtualOutput}, {"fifo", NocQueueing::kFifo}},
        "How messages wait at a port: for each output on its own, or in one queue, where the "
        "first holds up the others.");
    v.acts_if(acts::kApproximatelyTimed)
        .acts_if(kCrossbar)
        .choice(
            "arbitration", arbitration,
            {{"round_robin", NocArbitration::kRoundRobin},
             {"oldest_first", NocArbitration::kOldestFirst}},
            "What goes next through a port of the crossbar that several wait for: each in turn, or "
            "what has waited longest, as at timing: lt.");
    v.acts_if(kMesh).section("mesh", "The mesh.", [&] { mesh.bind(v); });
}

}  // namespace tessera
