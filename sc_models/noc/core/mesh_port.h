// Message port of an SM to the mesh, at either level of timing.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <array>
#include <memory>
#include <systemc>
#include <vector>

#include "sc_models/common/due_queue.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/common/statistics.h"
#include "sc_models/noc/core/mesh_message.h"
#include "sc_models/tlm/at/cycle_ticker.h"
#include "sc_models/tlm/at/links.h"
#include "sc_models/tlm/lt/lt_time.h"

namespace tessera {

/// Interface of a receiver of an SM's messages.
class MeshReceiver {
public:
    virtual ~MeshReceiver() = default;
    /// A complete `message` arrives at core cycle `at`. Loosely timed this is called from within
    /// the sender's MeshPort::send, and `at` lies ahead of SystemC's time (maybe before or after
    /// the local time of the receiver's SM); approximately timed it is called at `at`. The receiver
    /// must accept the message; a receiver of limited capacity hands out credits. It may send
    /// messages itself, not before `at`.
    virtual void on_mesh_message(const MeshMessage& message, Cycle at) = 0;
};

/// Generic payload (TLM_IGNORE_COMMAND, no data) with a permanent MeshMessage.
class MeshPayload : public tlm::tlm_generic_payload {
public:
    explicit MeshPayload(tlm::tlm_mm_interface& manager);
    ~MeshPayload() override { clear_extension(&message_); }
    MeshPayload(const MeshPayload&) = delete;
    MeshPayload& operator=(const MeshPayload&) = delete;
    [[nodiscard]] MeshMessage& message() { return message_; }

private:
    MeshMessage message_;
};

/// Allocates message payloads with a reference count of one; memory is kept.
class MeshPayloadPool : public tlm::tlm_mm_interface {
public:
    MeshPayload& acquire(const MeshMessage& message);
    void free(tlm::tlm_generic_payload* payload) override;
    [[nodiscard]] std::size_t live() const { return all_.size() - free_.size(); }

private:
    std::vector<std::unique_ptr<MeshPayload>> all_;
    std::vector<MeshPayload*> free_;
};

/// Mesh port of an SM for messages other than memory traffic. Messages of one network from here to
/// one destination arrive in the order in which they were sent.
///
/// Loosely timed, `to_mesh` and `from_mesh` carry one b_transport a message, sender to receiver.
/// Approximately timed a message is one base-protocol transaction that the mesh completes when it
/// has accepted it (at once, or by a BEGIN_RESP when its queue has room again); unsent messages
/// wait in the port, in order. Statistics: messages sent and received of each kind, flits.
class MeshPort : public sc_core::sc_module, private Clocked {
public:
    tlm_utils::simple_initiator_socket<MeshPort> to_mesh;
    tlm_utils::simple_target_socket<MeshPort> from_mesh;

    /// Approximately timed with a `ticker`; loosely timed if null.
    MeshPort(const sc_core::sc_module_name& name, SmId sm, const ClockDomain& clock,
             CycleTicker* ticker, StatGroup& stats);
    MeshPort(const MeshPort&) = delete;
    MeshPort& operator=(const MeshPort&) = delete;

    /// Sets the receiver; once, before the first message can arrive.
    void attach(MeshReceiver& receiver) { receiver_ = &receiver; }
    /// Sends `message` at cycle `at` (not before SystemC's present). Loosely timed: returns its
    /// arrival, after calling the receiver. Approximately timed: returns kNever; the receiver is
    /// called on arrival.
    Cycle send(const MeshMessage& message, Cycle at);

    [[nodiscard]] SmId sm() const { return sm_; }
    /// Flits of all messages so far.
    [[nodiscard]] std::uint64_t flits_sent() const { return sent_flits_; }
    [[nodiscard]] std::uint64_t flits_received() const { return received_flits_; }
    /// Returns the number of messages that wait for the mesh.
    [[nodiscard]] std::size_t unsent() const;
    void describe_waiting(std::vector<std::string>& lines) const;

private:
    using Payload = tlm::tlm_generic_payload;
    void b_transport(Payload& payload, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    void evaluate() override;
    void receive(const Payload& payload, Cycle at);

    const SmId sm_;
    LtTime time_;
    std::unique_ptr<CycleAlarm> alarm_;  ///< approximately timed only
    MeshReceiver* receiver_ = nullptr;
    MeshPayloadPool pool_;
    DueQueue<MeshPayload*> waiting_;  ///< wait for their cycle and the mesh
    RequestLink link_;
    std::array<std::uint64_t, kMeshMessageKinds> sent_of_{}, received_of_{};
    std::uint64_t sent_flits_ = 0, received_flits_ = 0;
};

}  // namespace tessera
