// Crossbar between SMs and L2 slices, approximately timed.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/due_queue.h"
#include "sc_models/common/observer.h"
#include "sc_models/config/noc_config.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/noc/at/at_ports.h"
#include "sc_models/noc/core/crossbar_statistics.h"
#include "sc_models/noc/core/noc_context.h"
#include "sc_models/noc/core/switch_core.h"
#include "sc_models/noc/noc.h"

namespace tessera {

/// Crossbar: one target socket for each SM, one initiator socket for each slice; the address
/// selects the slice. Transactions pass through unchanged. Two SwitchCores, one for each direction:
/// a request is taken by its SM's port, reaches the head of the SM's queue latency_cycles later
/// (behind older ones, whatever their slice), and goes to the slice when granted; data returns
/// likewise, through slice ports and queues. A read request and a write of up to one sector take
/// the bandwidth of a sector; the acknowledgement of a write, and an error, takes none and passes
/// at once.
///
/// END_REQ is withheld while the SM's queue is full, and its delay ends when the port has taken the
/// request; END_RESP to a slice likewise.
class CrossbarAt : public Noc, private Clocked {
public:
    using TargetSocket = tlm_utils::simple_target_socket_tagged<CrossbarAt>;
    using InitiatorSocket = tlm_utils::simple_initiator_socket_tagged<CrossbarAt>;
    sc_core::sc_vector<TargetSocket> targets;        ///< indexed by SM
    sc_core::sc_vector<InitiatorSocket> initiators;  ///< indexed by slice

    CrossbarAt(const sc_core::sc_module_name& name, const CrossbarContext& context,
               CycleTicker& ticker, Observers observers);
    CrossbarAt(const CrossbarAt&) = delete;
    CrossbarAt& operator=(const CrossbarAt&) = delete;

    [[nodiscard]] tlm::tlm_base_target_socket_b<>& sm_socket(SmId sm) override {
        return targets[sm.value()];
    }
    [[nodiscard]] tlm::tlm_base_initiator_socket<>& slice_socket(std::uint32_t slice) override {
        return initiators[slice];
    }
    [[nodiscard]] const NocTraffic& traffic() const override { return stats_; }
    /// Returns the transactions begun and not answered at SM sockets.
    [[nodiscard]] std::size_t outstanding() const override { return outstanding_; }
    void describe_waiting(std::vector<std::string>& lines) const override;
    /// Checks the statistics only when no transaction is in flight.
    void check(std::vector<std::string>& violations) const override;

private:
    using Payload = tlm::tlm_generic_payload;
    struct Acknowledgement {
        Payload* payload;
        std::uint32_t sm;
    };

    tlm::tlm_sync_enum nb_transport_fw(int sm, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(int slice, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned int transport_dbg(int sm, Payload& payload);
    void evaluate() override;
    Cycle enter_request(std::uint32_t sm, Payload& payload, Cycle arrival);
    Cycle enter_response(std::uint32_t slice, Payload& payload, Cycle arrival);
    Cycle deliver_request(std::uint32_t slice, Payload& payload);
    Cycle deliver_response(std::uint32_t sm, Payload& payload);
    void response_from(std::uint32_t slice, Payload& payload, Cycle arrival);
    void respond(std::uint32_t sm, Payload& payload);
    void queue_response(std::uint32_t sm, Payload& payload);
    void send_queued_responses(Cycle now);
    void accept_blocked(Cycle now);

    const AddressMap& map_;
    Cycle latency_;
    SwitchCore requests_, responses_;
    std::vector<TargetPort> sms_;  ///< their ready responses: acknowledgements, and data that
                                   ///< found its socket taken
    std::vector<SlicePort> slices_;
    DueQueue<Acknowledgement> acknowledgements_;
    std::vector<std::uint32_t> unanswered_;  ///< SMs with ready responses
    std::uint32_t blocked_requests_ = 0, blocked_responses_ = 0;
    std::size_t outstanding_ = 0;
    PayloadOrigins origins_;  ///< SMs of transactions at or behind L2
    std::uint64_t blocked_cycles_ = 0;
    CycleAlarm alarm_;
    CrossbarStatistics stats_;
    WaveRecorder* wave_;
    std::vector<WaveRecorder::Signal> request_waves_, response_waves_,
        id_waves_;  ///< indexed by SM
};

}  // namespace tessera
