// The two halves of a base-protocol link: what an initiator and a target keep of the exclusion
// rules.
#pragma once

#include <tlm>

#include "sc_models/tlm/cycle_ticker.h"

namespace tessera {

/// Initiator's half: after a BEGIN_REQ nothing may be sent before its END_REQ.
class RequestLink {
public:
    /// Whether a request may be sent at `now`.
    [[nodiscard]] bool open(Cycle now) const { return waiting_ == nullptr && now >= free_at_; }
    /// When a request may be sent; kNever: END_REQ is awaited.
    [[nodiscard]] Cycle free_at() const { return waiting_ == nullptr ? free_at_ : kNever; }
    /// The request without END_REQ, or null.
    [[nodiscard]] const tlm::tlm_generic_payload* waiting() const { return waiting_; }

    /// Sends BEGIN_REQ. Returns the cycle at which the response starts if it came along (END_RESP
    /// is done then), else kNever.
    template <class Socket>
    Cycle send(Socket& socket, tlm::tlm_generic_payload& payload, CycleAlarm& time) {
        waiting_ = &payload;  // the target may answer by a call before it returns
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
    /// END_REQ of `payload` has come, or is implied by its BEGIN_RESP, effective at `at`.
    void ended(const tlm::tlm_generic_payload& payload, Cycle at) {
        if (waiting_ != &payload) return;
        waiting_ = nullptr;
        free_at_ = at;
    }

private:
    const tlm::tlm_generic_payload* waiting_ = nullptr;
    Cycle free_at_ = 0;
};

/// Target's half: after a BEGIN_RESP nothing may be sent before its END_RESP.
class ResponseLink {
public:
    [[nodiscard]] bool open(Cycle now) const { return waiting_ == nullptr && now >= free_at_; }
    [[nodiscard]] Cycle free_at() const { return waiting_ == nullptr ? free_at_ : kNever; }
    [[nodiscard]] const tlm::tlm_generic_payload* waiting() const { return waiting_; }

    /// Sends BEGIN_RESP; the payload may be gone when it returns.
    template <class Socket>
    void send(Socket& socket, tlm::tlm_generic_payload& payload, CycleAlarm& time) {
        waiting_ = &payload;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        if (socket->nb_transport_bw(payload, phase, delay) == tlm::TLM_ACCEPTED) return;
        waiting_ = nullptr;
        free_at_ = time.cycle_after(delay);
    }
    /// END_RESP of `payload` has come, effective at `at`.
    void ended(const tlm::tlm_generic_payload& payload, Cycle at) {
        if (waiting_ != &payload) return;
        waiting_ = nullptr;
        free_at_ = at;
    }

private:
    const tlm::tlm_generic_payload* waiting_ = nullptr;
    Cycle free_at_ = 0;
};

/// END_REQ on the backward path, effective `delay` from now.
template <class Socket>
void send_end_request(Socket& socket, tlm::tlm_generic_payload& payload, sc_core::sc_time delay) {
    tlm::tlm_phase phase = tlm::END_REQ;
    if (socket->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
        SC_REPORT_FATAL(socket.name(), "END_REQ was answered with a phase");
    }
}

}  // namespace tessera
