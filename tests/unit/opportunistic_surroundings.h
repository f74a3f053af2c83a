// Stubs for the neighbours of an opportunistic unit, for tests of its rules.
#pragma once

#include <map>
#include <vector>

#include "sc_models/memory/core/block_watch.h"
#include "sc_models/opportunistic/assign_cluster.h"
#include "sc_models/opportunistic/assign_link.h"
#include "sc_models/sm/vector_unit.h"

namespace tessera::test {

/// Holds every sector from cycle 0 on, except those in `ready`.
class Cache : public BlockPresence {
public:
    std::map<Address, Cycle> ready;  ///< by sector
    BlockWatcher* watcher = nullptr;
    [[nodiscard]] Cycle sector_ready(Address address) const override {
        const auto found = ready.find(address / 32 * 32);
        return found == ready.end() ? 0 : found->second;
    }
    void watch(BlockWatcher* one) override { watcher = one; }
};

/// Another SM of a cluster, which holds every block.
class Member : public ClusterMember {
public:
    [[nodiscard]] bool holds(BlockNumber /*block*/) const override { return true; }
    void on_message(const MeshMessage& /*message*/, Cycle /*at*/) override {}
};

/// The SM around a unit.
class Host : public VectorUnitHost {
public:
    struct Decided {
        std::uint32_t warp;
        VectorOutcome outcome;
    };
    Cycle now = 0;
    std::vector<Decided> decided;
    std::uint32_t wakes = 0;
    Cycle active_until = 0;
    [[nodiscard]] Cycle present() const override { return now; }
    void on_vector_decided(WarpId warp, const VectorDecision& decision) override {
        decided.push_back({warp.value(), decision.outcome});
    }
    void wake_assistant() override { ++wakes; }
    void on_vector_activity(Cycle at) override { active_until = at; }
};

/// Keeps what is sent, and when.
class Link : public AssignLink {
public:
    struct Sent {
        MeshMessage message;
        Cycle at;
    };
    std::vector<Sent> sent;
    void send(const MeshMessage& message, Cycle at) override { sent.push_back({message, at}); }
};

}  // namespace tessera::test
