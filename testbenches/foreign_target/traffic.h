// Traffic generators in place of the LDST units: accesses of one SM, loosely or approximately
// timed.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>
#include <systemc>
#include <vector>

#include "sc_models/tlm/at/cycle_ticker.h"
#include "sc_models/tlm/at/links.h"
#include "sc_models/tlm/memory_port.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera::foreign_target {

/// One access with the data written or read.
struct Transfer {
    tlm::tlm_command command;
    Address address;
    std::vector<unsigned char> data;
};

/// Executes transfers, and counts response errors and latency.
class Traffic : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<Traffic> socket{"socket"};

    explicit Traffic(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_nb_transport_bw(this, &Traffic::nb_transport_bw);
    }
    /// Starts the transfers, in place; they are finished when the simulation has no more events.
    virtual void start(std::vector<Transfer>& transfers) = 0;

    [[nodiscard]] std::size_t finished() const { return finished_; }
    [[nodiscard]] std::size_t errors() const { return errors_; }
    /// Sum over all accesses of the time from request to response.
    [[nodiscard]] const sc_core::sc_time& total_latency() const { return total_latency_; }

protected:
    /// Backward calls; b_transport causes none.
    virtual tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& /*payload*/,
                                               tlm::tlm_phase& /*phase*/,
                                               sc_core::sc_time& /*delay*/) {
        SC_REPORT_FATAL(name(), "a call back without a request");
        return tlm::TLM_COMPLETED;
    }
    void count(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& latency) {
        ++finished_;
        if (!payload.is_response_ok()) ++errors_;
        total_latency_ += latency;
    }

private:
    std::size_t finished_ = 0, errors_ = 0;
    sc_core::sc_time total_latency_;
};

/// Issues one b_transport after the other.
class LooselyTimed : public Traffic {
public:
    explicit LooselyTimed(const sc_core::sc_module_name& name) : Traffic(name) { SC_THREAD(run); }
    void start(std::vector<Transfer>& transfers) override {
        transfers_ = &transfers;
        started_.notify(sc_core::SC_ZERO_TIME);
    }
    SC_HAS_PROCESS(LooselyTimed);

private:
    void run() {
        for (;;) {
            while (transfers_ == nullptr) wait(started_);
            for (Transfer& transfer : *transfers_) {
                const auto bytes = static_cast<unsigned>(transfer.data.size());
                tlm::tlm_generic_payload payload;
                payload.set_command(transfer.command);
                payload.set_address(transfer.address);
                payload.set_data_ptr(transfer.data.data());
                payload.set_data_length(bytes);
                payload.set_streaming_width(bytes);
                sc_core::sc_time delay;
                const sc_core::sc_time begin = sc_core::sc_time_stamp();
                socket->b_transport(payload, delay);
                wait(delay);
                count(payload, sc_core::sc_time_stamp() - begin);
            }
            transfers_ = nullptr;
        }
    }

    std::vector<Transfer>* transfers_ = nullptr;
    sc_core::sc_event started_;
};

/// Issues as many concurrent accesses as the cache accepts, in four phases.
class ApproximatelyTimed : public Traffic, private Clocked {
public:
    ApproximatelyTimed(const sc_core::sc_module_name& name, CycleTicker& ticker, PayloadPool& pool)
        : Traffic(name), pool_(pool), alarm_(ticker, *this) {}
    void start(std::vector<Transfer>& transfers) override {
        transfers_ = &transfers;
        next_ = 0;
        begun_.assign(transfers.size(), {});
        alarm_.at(0);
    }

private:
    void evaluate() override {
        while (next_ < transfers_->size() && link_.open(alarm_.now())) {
            Transfer& transfer = (*transfers_)[next_];
            PooledPayload& payload =
                pool_.acquire(transfer.command, transfer.address, transfer.data.data(),
                              static_cast<std::uint32_t>(transfer.data.size()));
            payload.tag = next_;
            begun_[next_++] = sc_core::sc_time_stamp();
            if (link_.send(socket, payload, alarm_) != kNever) finish(payload);
        }
        if (next_ < transfers_->size()) alarm_.at(link_.free_at());
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        link_.ended(payload, alarm_.cycle_after(delay));
        alarm_.at(link_.free_at());
        if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
        finish(PooledPayload::of(payload));
        return tlm::TLM_COMPLETED;
    }
    void finish(PooledPayload& payload) {
        count(payload, sc_core::sc_time_stamp() - begun_[payload.tag]);
        payload.release();
    }

    PayloadPool& pool_;
    CycleAlarm alarm_;
    RequestLink link_;
    std::vector<Transfer>* transfers_ = nullptr;
    std::size_t next_ = 0;
    std::vector<sc_core::sc_time> begun_;
};

}  // namespace tessera::foreign_target
