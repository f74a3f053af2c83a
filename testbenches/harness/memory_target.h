// Memory with a fixed latency as the target below a tested module, at either level of timing.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>
#include <cstring>
#include <deque>
#include <functional>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "sc_models/common/clock.h"
#include "sc_models/memory/core/memory_image.h"
#include "sc_models/tlm/memory_port.h"

namespace tessera::testbench {

/// Transaction that reached the memory.
struct MemoryEvent {
    std::size_t link = 0;
    Cycle at = 0;  ///< cycle of its arrival
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    Address address = 0;
    std::uint32_t bytes = 0;
    const unsigned char* data = nullptr;  ///< pointer of the payload, which its initiator chose
};

/// Memory that answers each transaction `latency` cycles after its arrival, in order. It takes
/// requests at once, unless `accept_delay` withholds END_REQ for a number of cycles (approximately
/// timed only, unless `delays_calls`). Adds the FP32 words of atomics as L2 does. Bytes never
/// written read as zero.
class MemoryTarget : public sc_core::sc_module {
public:
    using Socket = tlm_utils::simple_target_socket_tagged<MemoryTarget>;
    sc_core::sc_vector<Socket> sockets;

    MemoryTarget(const sc_core::sc_module_name& name, std::uint32_t links, const ClockDomain& clock,
                 Cycle latency)
        : sc_module(name),
          sockets("socket", links),
          clock_(clock),
          latency_(latency),
          links_(links),
          events_("events", this, &MemoryTarget::on_event) {
        for (std::uint32_t i = 0; i < links; ++i) {
            const int tag = static_cast<int>(i);
            sockets[i].register_b_transport(this, &MemoryTarget::b_transport, tag);
            sockets[i].register_nb_transport_fw(this, &MemoryTarget::nb_transport_fw, tag);
            sockets[i].register_transport_dbg(this, &MemoryTarget::transport_dbg, tag);
        }
    }

    std::vector<MemoryEvent> events;      ///< all transactions, in order of arrival
    std::function<Cycle()> accept_delay;  ///< null: none
    bool delays_calls = false;            ///< accept_delay holds for b_transport, too
    std::uint32_t lost_write_every = 0;   ///< every so many writes are lost; 0: none
    std::uint32_t wrong_read_every = 0;   ///< every so many reads have a bit inverted; 0: none
    MemoryImage image;

private:
    using Payload = tlm::tlm_generic_payload;
    struct Link {
        std::deque<Payload*> answered;
        bool responding = false;
    };

    void record(int link, const Payload& payload, const sc_core::sc_time& delay) {
        events.push_back({static_cast<std::size_t>(link),
                          clock_.cycle_at(sc_core::sc_time_stamp() + delay), payload.get_command(),
                          payload.get_address(), payload.get_data_length(),
                          payload.get_data_ptr()});
    }
    void b_transport(int link, Payload& payload, sc_core::sc_time& delay) {
        record(link, payload, delay);
        if (delays_calls && accept_delay) delay += clock_.span(accept_delay());
        if (auto* info = payload.get_extension<AccessInfo>()) {
            info->accepted = clock_.cycle_at(sc_core::sc_time_stamp() + delay);
        }
        delay += clock_.span(latency_);
        carry_out(payload);
    }
    tlm::tlm_sync_enum nb_transport_fw(int link, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::END_RESP) {
            events_.notify(payload, phase, delay);
            return tlm::TLM_ACCEPTED;
        }
        record(link, payload, delay);
        payload.acquire();
        link_of_[&payload] = static_cast<std::size_t>(link);
        const Cycle held = accept_delay ? accept_delay() : 0;
        events_.notify(payload, tlm::BEGIN_RESP, delay + clock_.span(held + latency_));
        if (held > 0) {
            events_.notify(payload, tlm::END_REQ, delay + clock_.span(held));
            return tlm::TLM_ACCEPTED;
        }
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    void on_event(Payload& payload, const tlm::tlm_phase& phase) {
        const std::size_t index = link_of_.at(&payload);
        if (phase == tlm::END_REQ) {
            tlm::tlm_phase sent = phase;
            sc_core::sc_time delay;
            sockets[index]->nb_transport_bw(payload, sent, delay);
            return;
        }
        if (phase == tlm::BEGIN_RESP) {
            links_[index].answered.push_back(&payload);
        } else {
            end_response(index, payload);
        }
        respond(index);
    }
    void end_response(std::size_t index, Payload& payload) {
        links_[index].responding = false;
        link_of_.erase(&payload);
        payload.release();
    }
    void respond(std::size_t index) {
        Link& link = links_[index];
        while (!link.responding && !link.answered.empty()) {
            Payload& payload = *link.answered.front();
            link.answered.pop_front();
            link.responding = true;
            carry_out(payload);
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay;
            const auto status = sockets[index]->nb_transport_bw(payload, phase, delay);
            if (status == tlm::TLM_ACCEPTED) return;
            if (status == tlm::TLM_UPDATED && delay != sc_core::SC_ZERO_TIME) {
                events_.notify(payload, phase, delay);
                return;
            }
            end_response(index, payload);
        }
    }
    unsigned transport_dbg(int /*link*/, Payload& payload) {
        move(payload);
        return payload.get_data_length();
    }
    void carry_out(Payload& payload) {
        auto* const info = payload.get_extension<AccessInfo>();
        const bool atomic = info != nullptr && info->atomic != AtomicKind::kNone;
        if (atomic) {
            add(payload, info->atomic == AtomicKind::kFetchAdd);
            info->added = true;
        } else if (moves_bytes(info)) {
            move(payload);
        }
        if (info != nullptr) info->served_by = ServedBy::kDram;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    /// Adds the payload's FP32 words to those of the image. `fetches`: the old words replace them.
    void add(Payload& payload, bool fetches) {
        const std::size_t words = payload.get_data_length() / sizeof(float);
        std::vector<float> old(words), sum(words);
        std::memcpy(sum.data(), payload.get_data_ptr(), words * sizeof(float));
        image.read(payload.get_address(), old.data(), words * sizeof(float));
        for (std::size_t i = 0; i < words; ++i) sum[i] += old[i];
        image.write(payload.get_address(), sum.data(), words * sizeof(float));
        if (fetches) std::memcpy(payload.get_data_ptr(), old.data(), words * sizeof(float));
    }
    void move(Payload& payload) {
        unsigned char* const data = payload.get_data_ptr();
        if (payload.is_write()) {
            if (lost_write_every != 0 && ++writes_ % lost_write_every == 0) return;
            image.write(payload.get_address(), data, payload.get_data_length());
        } else {
            image.read(payload.get_address(), data, payload.get_data_length());
            if (wrong_read_every != 0 && ++reads_ % wrong_read_every == 0) *data ^= 1U;
        }
    }

    const ClockDomain clock_;
    const Cycle latency_;
    std::vector<Link> links_;
    std::unordered_map<Payload*, std::size_t> link_of_;
    std::uint64_t reads_ = 0, writes_ = 0;
    tlm_utils::peq_with_cb_and_phase<MemoryTarget> events_;
};

}  // namespace tessera::testbench
