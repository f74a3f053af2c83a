// Request/response exclusion state at each end of a base-protocol link.
#pragma once

#include <tlm>

#include "sc_models/tlm/at/cycle_ticker.h"

namespace tessera {

/// One end of a link. At most one phase (BEGIN_REQ at the initiator, BEGIN_RESP at the target) is
/// begun and not ended; the next may begin when the other end has ended it.
class LinkEnd {
public:
    /// Returns whether the phase may begin at `now`.
    [[nodiscard]] bool open(Cycle now) const { return waiting_ == nullptr && now >= free_at_; }
    /// Returns the cycle at which the phase may begin; kNever: the end of the last one is awaited.
    [[nodiscard]] Cycle free_at() const { return waiting_ == nullptr ? free_at_ : kNever; }
    /// Returns the transaction whose phase has begun and not ended, or null.
    [[nodiscard]] const tlm::tlm_generic_payload* waiting() const { return waiting_; }
    /// Ends the phase of `payload` at `at`, explicitly or implicitly. Returns false if it had
    /// ended.
    bool ended(const tlm::tlm_generic_payload& payload, Cycle at) {
        if (waiting_ != &payload) return false;
        waiting_ = nullptr;
        free_at_ = at;
        return true;
    }

protected:
    const tlm::tlm_generic_payload* waiting_ = nullptr;
    Cycle free_at_ = 0;
};

/// Initiator end: after a BEGIN_REQ nothing may be sent before its END_REQ, or the BEGIN_RESP that
/// implies it.
class RequestLink : public LinkEnd {
public:
    /// Sends BEGIN_REQ. Returns the cycle at which the response starts if the call returned it
    /// (END_RESP is then sent), otherwise kNever.
    template <class Socket>
    Cycle send(Socket& socket, tlm::tlm_generic_payload& payload, CycleAlarm& time) {
        waiting_ = &payload;  // the target may respond by a call before it returns
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        const tlm::tlm_sync_enum status = socket->nb_transport_fw(payload, phase, delay);
        if (status == tlm::TLM_ACCEPTED) return kNever;
        waiting_ = nullptr;
        free_at_ = time.cycle_after(delay);
        if (status == tlm::TLM_UPDATED) {
            if (phase == tlm::END_REQ) return kNever;
            if (phase != tlm::BEGIN_RESP) {
                SC_REPORT_FATAL(socket.name(), "unknown phase returned to BEGIN_REQ");
            }
            phase = tlm::END_RESP;
            socket->nb_transport_fw(payload, phase, delay);
        }
        return free_at_;
    }
};

/// Returns whether a call of nb_transport_bw on `socket` carries a response, not just END_REQ.
[[nodiscard]] inline bool brings_response(const sc_core::sc_object& socket,
                                          const tlm::tlm_phase& phase) {
    if (phase == tlm::END_REQ) return false;
    if (phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL(socket.name(), "unknown phase on the backward path");
    }
    return true;
}

}  // namespace tessera
