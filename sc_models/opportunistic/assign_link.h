// Links for messages between the SMs of a cluster.
#pragma once

#include "sc_models/noc/core/mesh_message.h"
#include "sc_models/noc/core/mesh_port.h"
#include "sc_models/opportunistic/assign_cluster.h"

namespace tessera {

/// Interface through which an SM sends messages to its cluster.
class AssignLink {
public:
    virtual ~AssignLink() = default;
    /// Sends at cycle `at`; the receiver's ClusterMember gets the message on arrival.
    virtual void send(const MeshMessage& message, Cycle at) = 0;
};

/// Link over the mesh, in ordinary flits.
class MeshLink : public AssignLink, private MeshReceiver {
public:
    MeshLink(MeshPort& port, AssignCluster& cluster) : port_(port), cluster_(cluster) {
        port_.attach(*this);
    }
    void send(const MeshMessage& message, Cycle at) override { port_.send(message, at); }

private:
    void on_mesh_message(const MeshMessage& message, Cycle at) override {
        cluster_.member(port_.sm()).on_message(message, at);
    }
    MeshPort& port_;
    AssignCluster& cluster_;
};

/// Link for machines with a crossbar, which does not connect SMs with each other: separate wires
/// with the crossbar's latency and unlimited bandwidth. Loosely timed only.
class WireLink : public AssignLink {
public:
    WireLink(SmId sm, AssignCluster& cluster, std::uint32_t latency_cycles)
        : sm_(sm), cluster_(cluster), latency_(latency_cycles) {}
    void send(const MeshMessage& message, Cycle at) override {
        MeshMessage sent = message;
        sent.source = sm_;
        cluster_.member(sent.destination).on_message(sent, at + latency_);
    }

private:
    SmId sm_;
    AssignCluster& cluster_;
    Cycle latency_;
};

}  // namespace tessera
