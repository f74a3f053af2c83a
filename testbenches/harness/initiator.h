// Traffic initiators: transaction plans sent to a memory-mapped target, at either level of timing.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>
#include <deque>
#include <functional>
#include <systemc>

#include "sc_models/common/clock.h"
#include "sc_models/tlm/at/cycle_ticker.h"
#include "sc_models/tlm/at/links.h"
#include "sc_models/tlm/memory_port.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera::testbench {

/// Cycles at which an access was accepted and completed, and the level that served it.
struct Access {
    Cycle accepted = 0;
    Cycle done = 0;
    ServedBy served_by = ServedBy::kNone;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
};

/// Planned access of an initiator and its result.
struct Request {
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    Address address = 0;
    unsigned char* data = nullptr;  ///< valid until the access is finished
    std::uint32_t bytes = 0;
    Cycle at = 0;  ///< earliest cycle of its begin
    Access result = {};
    bool bypass_l1 = false;
    bool accepted = false, finished = false;
    Cycle sent = 0;         ///< cycle of its begin
    std::size_t index = 0;  ///< in the plan
};

/// Sends planned accesses in order: each not before its cycle, nor before the target has accepted
/// the one before it.
class Initiator : public sc_core::sc_module {
public:
    std::deque<Request> plan;
    std::size_t next = 0;      ///< index of the next request to send
    std::size_t finished = 0;  ///< number of finished requests
    Cycle last_done = 0;
    /// Cycles for which END_RESP is withheld after a response at a cycle; null: none. Approximately
    /// timed only.
    std::function<Cycle(Cycle)> response_stall;
    /// Called as a response arrives.
    std::function<void(const Request&)> on_done;

    [[nodiscard]] virtual tlm::tlm_base_initiator_socket<>& to_target() = 0;
    /// Adds a request to the plan; returns its index.
    std::size_t issue(const Request& request) {
        plan.push_back(request);
        plan.back().index = plan.size() - 1;
        schedule(request.at);
        return plan.size() - 1;
    }
    std::size_t issue(tlm::tlm_command command, Address address, void* data, std::uint32_t bytes,
                      Cycle at) {
        return issue({command, address, static_cast<unsigned char*>(data), bytes, at});
    }

protected:
    using sc_module::sc_module;
    /// Schedules the plan at `at` or later.
    virtual void schedule(Cycle at) = 0;
    void finish(Request& request, const Access& result) {
        request.finished = true;
        request.result = result;
        ++finished;
        last_done = std::max(last_done, result.done);
        if (on_done) on_done(request);
    }
};

/// Loosely-timed initiator: a thread waits for the cycle of each access and calls b_transport
/// without delay. It does not wait for the completion, so accesses overlap as far as the target
/// accepts them (AccessInfo::accepted).
class LtInitiator : public Initiator {
public:
    tlm_utils::simple_initiator_socket<LtInitiator> socket{"socket"};

    LtInitiator(const sc_core::sc_module_name& name, const ClockDomain& clock)
        : Initiator(name), clock_(clock) {
        SC_THREAD(run);
    }
    SC_HAS_PROCESS(LtInitiator);
    [[nodiscard]] tlm::tlm_base_initiator_socket<>& to_target() override { return socket; }

private:
    void schedule(Cycle /*at*/) override { planned_.notify(sc_core::SC_ZERO_TIME); }
    void run() {
        for (;;) {
            while (next == plan.size()) wait(planned_);
            Request& request = plan[next++];
            wait_until(std::max(request.at, accepted_));
            send(request);
        }
    }
    void wait_until(Cycle cycle) {
        const sc_core::sc_time at = clock_.span(cycle);
        if (at > sc_core::sc_time_stamp()) wait(at - sc_core::sc_time_stamp());
    }
    void send(Request& request) {
        auto* const info = new AccessInfo;  // owned by the payload
        info->bypass_l1 = request.bypass_l1;
        tlm::tlm_generic_payload payload;
        payload.set_extension(info);
        payload.set_command(request.command);
        payload.set_address(request.address);
        payload.set_data_ptr(request.data);
        payload.set_data_length(request.bytes);
        payload.set_streaming_width(request.bytes);
        request.sent = clock_.now();
        sc_core::sc_time delay;
        socket->b_transport(payload, delay);
        accepted_ = std::max(request.sent, info->accepted);
        request.accepted = true;
        finish(request, {accepted_, clock_.cycle_at(sc_core::sc_time_stamp() + delay),
                         info->served_by, payload.get_response_status()});
    }

    const ClockDomain clock_;
    sc_core::sc_event planned_;
    Cycle accepted_ = 0;  ///< cycle at which the target accepts the next access
};

/// Approximately-timed initiator in four phases.
class AtInitiator : public Initiator, private Clocked {
public:
    tlm_utils::simple_initiator_socket<AtInitiator> socket{"socket"};

    AtInitiator(const sc_core::sc_module_name& name, CycleTicker& ticker, PayloadPool& pool)
        : Initiator(name), pool_(pool), alarm_(ticker, *this) {
        socket.register_nb_transport_bw(this, &AtInitiator::nb_transport_bw);
    }
    [[nodiscard]] tlm::tlm_base_initiator_socket<>& to_target() override { return socket; }
    /// Moves bytes without time; returns the number of bytes moved.
    unsigned debug(tlm::tlm_command command, Address address, void* data, std::uint32_t bytes) {
        PooledPayload& payload =
            pool_.acquire(command, address, static_cast<unsigned char*>(data), bytes);
        const unsigned moved = socket->transport_dbg(payload);
        payload.release();
        return moved;
    }

private:
    void schedule(Cycle at) override { alarm_.at(std::max(at, alarm_.now())); }
    void evaluate() override {
        const Cycle now = alarm_.now();
        if (stalled_ != nullptr && stalled_until_ <= now) {
            tlm::tlm_generic_payload& payload = *stalled_;
            stalled_ = nullptr;
            tlm::tlm_phase phase = tlm::END_RESP;
            sc_core::sc_time delay;
            socket->nb_transport_fw(payload, phase, delay);
            payload.release();
        }
        while (next < plan.size() && plan[next].at <= now && link_.open(now)) send(next++, now);
        Cycle wake = stalled_ != nullptr ? stalled_until_ : kNever;
        if (next < plan.size() && link_.free_at() != kNever) {
            wake = std::min(wake, std::max(plan[next].at, link_.free_at()));
        }
        alarm_.at(wake);
    }
    void send(std::size_t index, Cycle now) {
        Request& request = plan[index];
        PooledPayload& payload =
            pool_.acquire(request.command, request.address, request.data, request.bytes);
        payload.tag = index;
        payload.info().bypass_l1 = request.bypass_l1;
        request.sent = now;
        const Cycle done = link_.send(socket, payload, alarm_);
        if (link_.free_at() != kNever) accept(index, link_.free_at());
        if (done == kNever) return;
        finish(payload, done);
        payload.release();
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        const Cycle at = alarm_.cycle_after(delay);
        if (link_.waiting() == &payload) {
            link_.ended(payload, at);
            accept(PooledPayload::of(payload).tag, at);
            if (next < plan.size()) alarm_.at(std::max({at, plan[next].at, alarm_.now()}));
        }
        if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
        finish(PooledPayload::of(payload), at);
        const Cycle stall = response_stall ? response_stall(at) : 0;
        if (stall == 0) {
            payload.release();
            return tlm::TLM_COMPLETED;
        }
        stalled_ = &payload;
        stalled_until_ = at + stall;
        alarm_.at(stalled_until_);
        return tlm::TLM_ACCEPTED;
    }
    void accept(std::size_t index, Cycle at) {
        plan[index].accepted = true;
        plan[index].result.accepted = at;
    }
    void finish(PooledPayload& payload, Cycle at) {
        Request& request = plan[payload.tag];
        Initiator::finish(request, {request.result.accepted, at, payload.info().served_by,
                                    payload.get_response_status()});
    }

    PayloadPool& pool_;
    CycleAlarm alarm_;
    RequestLink link_;
    tlm::tlm_generic_payload* stalled_ = nullptr;
    Cycle stalled_until_ = 0;
};

}  // namespace tessera::testbench
