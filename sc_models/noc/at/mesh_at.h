// Mesh between SMs and memory controllers, approximately timed.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/config/noc_config.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/noc/at/at_ports.h"
#include "sc_models/noc/core/mesh_core.h"
#include "sc_models/noc/core/mesh_format.h"
#include "sc_models/noc/core/mesh_port.h"
#include "sc_models/noc/core/noc_context.h"
#include "sc_models/noc/noc.h"

namespace tessera {

/// Mesh around a MeshCore: one target socket for each SM, one initiator socket for each slice, as
/// in the crossbar; the address selects the slice, which is at the node of its DRAM channel.
/// Sockets for messages between SMs (see MeshPort) may stay unbound.
///
/// Transactions pass through unchanged, requests and responses (acknowledgements of writes too) as
/// packets. END_REQ is withheld while an SM's request queue is full, END_RESP to a slice while its
/// controller's reply queue is full; a message is not completed before there is room for it. If an
/// SM has a request and a message waiting, they alternate. Arrived packets wait in order for the
/// socket of their slice or SM; messages are delivered at once.
class MeshAt : public Noc, public MessageLinks, private Clocked {
public:
    using TargetSocket = tlm_utils::simple_target_socket_tagged<MeshAt>;
    using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<MeshAt>;
    sc_core::sc_vector<TargetSocket> targets;        ///< indexed by SM
    sc_core::sc_vector<InitiatorSocket> initiators;  ///< indexed by slice
    sc_core::sc_vector<tlm_utils::simple_target_socket_tagged_optional<MeshAt>>
        message_targets;  ///< indexed by SM
    sc_core::sc_vector<tlm_utils::simple_initiator_socket_optional<MeshAt>>
        message_initiators;  ///< indexed by SM

    /// Throws ConfigError as Mesh does.
    MeshAt(const sc_core::sc_module_name& name, const MeshContext& context, CycleTicker& ticker,
           Observers observers);
    MeshAt(const MeshAt&) = delete;
    MeshAt& operator=(const MeshAt&) = delete;

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
    /// Returns the transactions begun and not answered at SM sockets, and the messages in flight.
    [[nodiscard]] std::size_t outstanding() const override {
        return outstanding_ + messages_.live();
    }
    void describe_waiting(std::vector<std::string>& lines) const override;
    /// Checks the statistics only when nothing is in flight.
    void check(std::vector<std::string>& violations) const override;

private:
    using Payload = tlm::tlm_generic_payload;
    struct SmPort : TargetPort {
        using TargetPort::TargetPort;
        BlockedTransaction blocked_message;
        bool message_first = false;
    };
    struct ControllerPort {
        RingQueue<Payload*> arrived;
    };
    struct Waves {
        WaveRecorder::Signal sending{}, receiving{}, buffered{}, queued{};
        Cycle sent_until = 0, received_until = 0;  ///< end of the recorded flits
    };

    tlm::tlm_sync_enum nb_transport_fw(int sm, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    tlm::tlm_sync_enum message_transport_fw(int sm, Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(int slice, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned int transport_dbg(int sm, Payload& payload);
    void evaluate() override;
    void inject(NodeId from, NodeId to, MeshNetwork network, std::uint32_t flits, Payload& payload,
                Cycle at);
    void enter_request(SmId sm, Payload& payload, Cycle at);
    void enter_message(SmId sm, const Payload& payload, Cycle at);
    void enter_reply(std::uint32_t slice, Payload& payload, Cycle at);
    void arrive(NodeId node, MeshNetwork network, Payload& payload);
    void hand_over(Cycle now);
    [[nodiscard]] bool hand_over_requests(std::uint32_t controller, Cycle now);
    [[nodiscard]] bool hand_over_replies(SmId sm, Cycle now);
    void accept_blocked(Cycle now);
    void accept_blocked_of(SmId sm, Cycle now);
    void record_flits();
    void record(Cycle now);
    [[nodiscard]] std::uint32_t controller_of(std::uint32_t slice) const {
        return slice % static_cast<std::uint32_t>(controllers_.size());
    }

    MeshTopology topology_;
    MeshCore core_;
    MeshFormat format_;
    const AddressMap& map_;
    std::vector<SmPort> sms_;
    std::vector<ControllerPort> controllers_;
    std::vector<SlicePort> slices_;
    std::vector<std::uint32_t> owner_;  ///< SM or controller of each node
    std::vector<std::uint32_t> waiting_sms_,
        waiting_controllers_;  ///< SMs and controllers with arrived packets
    std::uint32_t blocked_requests_ = 0, blocked_replies_ = 0;
    std::size_t outstanding_ = 0;
    PayloadOrigins origins_;  ///< source SMs
    MeshPayloadPool messages_;
    CycleAlarm alarm_;
    NocTraffic traffic_;
    std::uint64_t request_wait_cycles_ = 0, reply_wait_cycles_ = 0, messages_sent_ = 0,
                  message_flits_ = 0;
    WaveRecorder* wave_;
    std::vector<Waves> waves_;  ///< indexed by node
};

}  // namespace tessera
