// Target side of a socket of an approximately-timed block.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <tlm>
#include <vector>

#include "sc_models/common/ring_queue.h"
#include "sc_models/tlm/at/links.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

/// A transaction for which a block has no room. It waits at the socket: its END_REQ (for a
/// response: END_RESP) is withheld.
class BlockedTransaction {
public:
    [[nodiscard]] explicit operator bool() const { return payload_ != nullptr; }
    [[nodiscard]] const tlm::tlm_generic_payload& payload() const { return *payload_; }
    /// Stalls `payload`, which arrived at `since`. Returns the status of its call.
    tlm::tlm_sync_enum stall(tlm::tlm_generic_payload& payload, Cycle since) {
        payload_ = &payload;
        since_ = since;
        return tlm::TLM_ACCEPTED;
    }
    struct Accepted {
        tlm::tlm_generic_payload& payload;
        Cycle at;  ///< cycle at which it proceeds: now, or its arrival if that is later
    };
    /// Accepts the transaction at `now`. Adds its waiting time to `waited_cycles`.
    Accepted accept(Cycle now, std::uint64_t& waited_cycles) {
        const Accepted accepted{*payload_, std::max(now, since_)};
        waited_cycles += accepted.at - since_;
        payload_ = nullptr;
        return accepted;
    }

private:
    tlm::tlm_generic_payload* payload_ = nullptr;
    Cycle since_ = 0;
};

/// Responds to the BEGIN_REQ of an accepted request with END_REQ.
[[nodiscard]] inline tlm::tlm_sync_enum accept_request(tlm::tlm_phase& phase) {
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

/// One socket of a target, four-phase base protocol. The block decides which requests it has room
/// for; a request without room is kept in `blocked_request`. Ready responses queue here and are
/// sent one after the other, each after END_RESP of the one before.
class TargetPort : public LinkEnd {
public:
    using Payload = tlm::tlm_generic_payload;
    BlockedTransaction blocked_request;

    /// `socket` (a simple target socket of tlm_utils) and `alarm` must outlive the port.
    template <class Socket>
    TargetPort(Socket& socket, CycleAlarm& alarm)
        : socket_(&socket), backward_(socket.operator->()), alarm_(&alarm) {}

    /// Returns whether a call of nb_transport_fw carries a request that a target of blocks of
    /// `block_bytes` serves (see verdict()). If not, the port has handled the call (END_RESP is
    /// recorded, or the response status holds the error), and the caller returns TLM_COMPLETED.
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
    /// Sends END_REQ of a blocked request that is accepted at `at`.
    void send_end_request(Payload& payload, Cycle at) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = alarm_->delay_to(at);
        if (backward_->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
            SC_REPORT_FATAL(socket_->name(), "END_REQ was answered with a phase");
        }
    }

    /// Queues the response of `payload`.
    void push_response(Payload& payload) { ready_responses_.push(&payload); }
    [[nodiscard]] bool has_ready_responses() const { return !ready_responses_.empty(); }
    /// Removes and returns the response that may be sent at `now`; null if there is none.
    [[nodiscard]] Payload* pop_response(Cycle now) {
        return ready_responses_.empty() || !open(now) ? nullptr : ready_responses_.pop();
    }
    /// Returns the cycle at which the next response may be sent; kNever if none is ready or
    /// END_RESP is awaited.
    [[nodiscard]] Cycle next_response() const {
        return ready_responses_.empty() ? kNever : free_at();
    }
    /// Sends BEGIN_RESP; the payload may be destroyed when it returns.
    void send_response(Payload& payload) {
        waiting_ = &payload;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        if (backward_->nb_transport_bw(payload, phase, delay) == tlm::TLM_ACCEPTED) return;
        waiting_ = nullptr;
        free_at_ = alarm_->cycle_after(delay);
    }

    /// Returns the number of transactions that wait here for acceptance or for their response
    /// phase.
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
