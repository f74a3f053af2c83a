// Socket of a sub-core to a unit of its SM.
#pragma once

#include <functional>
#include <systemc>
#include <tlm>
#include <utility>

#include "sc_models/common/clock.h"
#include "sc_models/tlm/lt/lt_socket.h"

namespace tessera {

/// Initiator socket of a sub-core to the LDST unit or the tensor cores. Loosely timed, an operation
/// is one b_transport. Approximately timed it is one nb_transport_fw that the unit completes, or
/// answers with END_REQ and completes later by a BEGIN_RESP.
class UnitSocket : public LtInitiatorSocket<UnitSocket> {
public:
    using Payload = tlm::tlm_generic_payload;

    UnitSocket(const char* name, const ClockDomain& clock, bool approximately_timed)
        : LtInitiatorSocket<UnitSocket>(name),
          time_(clock),
          approximately_timed_(approximately_timed) {
        register_nb_transport_bw(this, &UnitSocket::nb_transport_bw);
    }

    /// Calls `receive` for each payload whose response comes later; once, before the simulation
    /// starts.
    void on_response(std::function<void(Payload&)> receive) { receive_ = std::move(receive); }
    /// Sends `payload`, to arrive at cycle `at`; returns its completion cycle, or kNever if the
    /// response comes later. An error response is fatal, with the message `refusal`.
    Cycle send(Payload& payload, Cycle at, const char* refusal) {
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        time_.sample();
        if (approximately_timed_) return send_request(payload, at, refusal);
        const Cycle done = transport(payload, at, time_);
        expect_ok(payload, refusal);
        return done;
    }
    /// Returns the name of the sub-core.
    [[nodiscard]] const char* owner() const { return get_parent_object()->name(); }

private:
    Cycle send_request(Payload& payload, Cycle at, const char* refusal) {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay = time_.delay_to(at);
        const tlm::tlm_sync_enum status = (*this)->nb_transport_fw(payload, phase, delay);
        if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) return kNever;
        if (status != tlm::TLM_COMPLETED) SC_REPORT_FATAL(owner(), "a unit withheld END_REQ");
        expect_ok(payload, refusal);
        return time_.back(delay);
    }
    void expect_ok(const Payload& payload, const char* refusal) const {
        if (!payload.is_response_ok()) SC_REPORT_FATAL(owner(), refusal);
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& /*delay*/) {
        if (phase != tlm::BEGIN_RESP || !receive_) {
            SC_REPORT_FATAL(owner(), "a unit sent an unexpected phase");
        }
        expect_ok(payload, "a unit answered with an error");
        receive_(payload);
        return tlm::TLM_COMPLETED;
    }

    LtTime time_;
    const bool approximately_timed_;
    std::function<void(Payload&)> receive_;
};

}  // namespace tessera
