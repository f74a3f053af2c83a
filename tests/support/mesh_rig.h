// Memory behind a mesh, with the SMs' message ports, at either level of timing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/noc/core/mesh_port.h"
#include "tests/support/memory_at_rig.h"
#include "tests/support/memory_rig.h"

namespace tessera::test {

/// `width` x `height` nodes, a controller at the end of each row, SMs in all others. Flits of 16
/// bytes, routers of 2 stages, links of 1 cycle.
inline RigConfig mesh_config(std::uint32_t width, std::uint32_t height) {
    RigConfig config;
    config.noc.kind = NocKind::kMesh;
    config.noc.mesh = MeshConfig{};
    config.noc.mesh.width = width;
    config.noc.mesh.height = height;
    config.l2.slices = config.dram.channels = height;
    config.sms = (width - 1) * height;
    return config;
}

/// A message as it came, and when.
struct Received {
    MeshMessage message;
    Cycle at;
};

/// One SM's port and what it received; answers lookups if set to.
class MeshEnd : private MeshReceiver {
public:
    MeshEnd(SmId sm, const ClockDomain& clock, CycleTicker* ticker, StatGroup& stats)
        : port(("port_" + std::to_string(sm.value())).c_str(), sm, clock, ticker,
               stats.instance("port", sm.value())) {
        MeshReceiver& self = *this;
        port.attach(self);
    }
    MeshPort port;
    std::vector<Received> received;
    bool answers = false;

private:
    void on_mesh_message(const MeshMessage& message, Cycle at) override {
        received.push_back({message, at});
        if (!answers || message.kind != MeshMessageKind::kLookup) return;
        MeshMessage reply = message;
        reply.kind = MeshMessageKind::kLookupReply;
        reply.network = MeshNetwork::kReply;
        reply.destination = message.source;
        reply.holder = port.sm();
        port.send(reply, at);
    }
};

/// Ports of `sms` SMs on the mesh of `rig`, which is a MemoryRig that has not run, or a
/// MemoryAtRig.
template <class Rig>
std::vector<std::unique_ptr<MeshEnd>> mesh_ends(Rig& rig, std::size_t sms, CycleTicker* ticker) {
    std::vector<std::unique_ptr<MeshEnd>> ends;
    MessageLinks& links = *rig.memory.messages();
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
        ends.push_back(std::make_unique<MeshEnd>(SmId(sm), rig.clock, ticker, rig.stats));
        ends.back()->port.to_mesh.bind(links.message_target(SmId(sm)));
        links.message_initiator(SmId(sm)).bind(ends.back()->port.from_mesh);
    }
    return ends;
}

inline MeshMessage message_to(std::uint32_t sm, MeshMessageKind kind = MeshMessageKind::kAssign,
                              std::uint32_t flits = 2, std::uint64_t id = 0) {
    MeshMessage message;
    message.kind = kind;
    message.destination = SmId(sm);
    message.flits = flits;
    message.id = id;
    return message;
}

}  // namespace tessera::test
