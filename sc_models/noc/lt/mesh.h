// Mesh between SMs and memory controllers, loosely timed.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/config/noc_config.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/noc/core/mesh_format.h"
#include "sc_models/noc/core/mesh_reservations.h"
#include "sc_models/noc/core/noc_context.h"
#include "sc_models/noc/noc.h"
#include "sc_models/tlm/lt/lt_socket.h"
#include "sc_models/tlm/lt/queue_occupancy.h"

namespace tessera {

/// Mesh (opportunistic computing, Table I): one target socket for each SM, one initiator socket for
/// each slice, as in the crossbar; the address selects the slice, which is at the node of its DRAM
/// channel. Sockets for messages between SMs (see MeshPort) may stay unbound.
///
/// A request waits for room among the request_queue_entries of its SM, travels to its slice, and
/// its response returns, in MeshReservations; a write ends when its acknowledgement has returned.
/// AccessInfo::accepted, if carried, is the cycle at which the SM's queue took the request.
class Mesh : public Noc, public MessageLinks {
public:
    using TargetSocket = LtTargetSocket<Mesh>;
    using InitiatorSocket = LtInitiatorSocket<Mesh>;
    sc_core::sc_vector<TargetSocket> targets;        ///< indexed by SM
    sc_core::sc_vector<InitiatorSocket> initiators;  ///< indexed by slice
    sc_core::sc_vector<tlm_utils::simple_target_socket_tagged_optional<Mesh>>
        message_targets;  ///< indexed by SM
    sc_core::sc_vector<tlm_utils::simple_initiator_socket_optional<Mesh>>
        message_initiators;  ///< indexed by SM

    /// Throws ConfigError if the mesh has no room for the SMs and controllers.
    Mesh(const sc_core::sc_module_name& name, const MeshContext& context, const ClockDomain& clock,
         Observers observers);
    Mesh(const Mesh&) = delete;
    Mesh& operator=(const Mesh&) = delete;

    [[nodiscard]] tlm::tlm_base_target_socket_b<>& sm_socket(SmId sm) override {
        return targets[sm.value()];
    }
    [[nodiscard]] tlm::tlm_base_initiator_socket<>& slice_socket(std::uint32_t slice) override {
        return initiators[slice];
    }
    [[nodiscard]] MessageLinks* messages() override { return this; }
    [[nodiscard]] tlm::tlm_base_target_socket_b<>& message_target(SmId sm) override {
        return message_targets[sm.value()];
    }
    [[nodiscard]] Initiator& message_initiator(SmId sm) override {
        return message_initiators[sm.value()];
    }
    [[nodiscard]] const NocTraffic& traffic() const override { return traffic_; }
    [[nodiscard]] const MeshStatistics& mesh_statistics() const override {
        return core_.statistics();
    }
    void check(std::vector<std::string>& violations) const override;

private:
    friend TargetSocket;
    void b_transport(int sm, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
        if (!acceptable(transaction, map_.interleave_bytes())) return;
        const Cycle arrival = time_.arrive(delay);
        delay = time_.delay_to(
            serve(sm, transaction, transaction.get_extension<AccessInfo>(), arrival));
    }
    Cycle serve(int sm, tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle arrival);
    void message_transport(int sm, tlm::tlm_generic_payload& message, sc_core::sc_time& delay);
    unsigned int transport_dbg(int sm, tlm::tlm_generic_payload& transaction);
    MeshReservations::Transit send(NodeId from, NodeId to, MeshNetwork network, std::uint32_t flits,
                                   Cycle at);

    MeshTopology topology_;
    MeshReservations core_;
    MeshFormat format_;
    LtTime time_;
    const AddressMap& map_;
    std::uint32_t controllers_;
    std::vector<UnorderedOccupancy> queues_;  ///< of requests, by SM
    NocTraffic traffic_;
    std::uint64_t request_wait_cycles_ = 0, messages_ = 0, message_flits_ = 0;
    WaveRecorder* wave_;
    std::vector<WaveRecorder::Signal> sending_, receiving_;  ///< indexed by node
};

}  // namespace tessera
