// Target's side of a socket of an approximately-timed block.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <tlm>
#include <vector>

#include "sc_models/common/ring_queue.h"
#include "sc_models/tlm/links.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

/// A transaction for which a block has no room. It waits at the socket, as its END_REQ is withheld
/// (or its END_RESP, if it is a response).
class BlockedTransaction {
public:
    [[nodiscard]] explicit operator bool() const { return payload_ != nullptr; }
    [[nodiscard]] const tlm::tlm_generic_payload& payload() const { return *payload_; }
    /// `payload` came at `since`, and waits from now on. Returns the answer to its call.
    tlm::tlm_sync_enum hold(tlm::tlm_generic_payload& payload, Cycle since) {
        payload_ = &payload;
        since_ = since;
        return tlm::TLM_ACCEPTED;
    }
    struct Released {
        tlm::tlm_generic_payload& payload;
        Cycle at;  ///< when it goes on: now, or when it comes if that is later
    };
    /// There is room at `now`. Adds the time the transaction has waited to `waited_cycles`.
    Released release(Cycle now, std::uint64_t& waited_cycles) {
        const Released released{*payload_, std::max(now, since_)};
        waited_cycles += released.at - since_;
        payload_ = nullptr;
        return released;
    }

private:
    tlm::tlm_generic_payload* payload_ = nullptr;
    Cycle since_ = 0;
};

/// The answer to BEGIN_REQ of a request that has been taken: END_REQ.
[[nodiscard]] inline tlm::tlm_sync_enum accept_request(tlm::tlm_phase& phase) {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

/// One socket of a target, four phases of the base protocol. The block says which requests it has
/// room for; one that it has not is kept in `blocked_request`. Responses that are ready queue up
/// here, and are sent one after the other: the next after END_RESP of the one before.
class TargetPort : public LinkEnd {
public:
    using Payload = tlm::tlm_generic_payload;
    BlockedTransaction blocked_request;

    /// `socket`, one of tlm_utils' simple target sockets, and `alarm` must outlive the port.
    template <class Socket>
    TargetPort(Socket& socket, CycleAlarm& alarm)
        : socket_(&socket), backward_(socket.operator->()), alarm_(&alarm) {}

    /// Whether a call of nb_transport_fw brings a request that a target of blocks of `block_bytes`
    /// serves (see verdict()). If not, the port has done what there is to do, and the call is
    /// answered by TLM_COMPLETED: END_RESP is noted, or the response status says what is wrong.
    [[nodiscard]] bool brings_request(Payload& payload, const tlm::tlm_phase& phase,
                                      const sc_core::sc_time& delay, std::uint32_t block_bytes) {
        if (phase == tlm::END_RESP) {
            ended(payload, alarm_->cycle_after(delay));
            alarm_->at(free_at());
            return false;
        }
        if (phase != tlm::BEGIN_REQ) {
            SC_REPORT_FATAL(socket_->name(), "unknown phase on the forward path");
            return false;
        }
        return acceptable(payload, block_bytes);
    }
    /// A request that was blocked is taken at `at`: sends END_REQ.
    void send_end_request(Payload& payload, Cycle at) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = alarm_->delay_to(at);
        if (backward_->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
            SC_REPORT_FATAL(socket_->name(), "END_REQ was answered with a phase");
        }
    }

    /// The response of `payload` is ready.
    void push_response(Payload& payload) { ready_responses_.push(&payload); }
    [[nodiscard]] bool has_ready_responses() const { return !ready_responses_.empty(); }
    /// Takes out the response that may be sent at `now`; null if there is none.
    [[nodiscard]] Payload* pop_response(Cycle now) {
        return ready_responses_.empty() || !open(now) ? nullptr : ready_responses_.pop();
    }
    /// When the next response may be sent; kNever if none is ready or END_RESP is awaited.
    [[nodiscard]] Cycle next_response() const {
        return ready_responses_.empty() ? kNever : free_at();
    }
    /// Sends BEGIN_RESP; the payload may be gone when it returns.
    void send_response(Payload& payload) {
        waiting_ = &payload;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        if (backward_->nb_transport_bw(payload, phase, delay) == tlm::TLM_ACCEPTED) return;
        waiting_ = nullptr;
        free_at_ = alarm_->cycle_after(delay);
    }

    /// Transactions that wait here to be taken, or to be answered.
    [[nodiscard]] std::size_t outstanding() const {
        return ready_responses_.size() + (blocked_request ? 1 : 0);
    }
    /// Appends a line, which begins with `owner`, if END_RESP is awaited.
    void describe_responses(const std::string& owner, std::vector<std::string>& lines) const {
        if (waiting() == nullptr) return;
        lines.push_back(fmt::format("{}: {} responses wait for the END_RESP of {:#x}", owner,
                                    ready_responses_.size(), waiting()->get_address()));
    }

private:
    const sc_core::sc_object* socket_;
    tlm::tlm_bw_transport_if<>* backward_;
    CycleAlarm* alarm_;
    RingQueue<Payload*> ready_responses_;
};

}  // namespace tessera
