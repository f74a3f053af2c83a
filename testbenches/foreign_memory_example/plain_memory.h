// A third-party memory: uses IEEE 1666-2011 only, nothing of Tessera.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <systemc>
#include <unordered_map>
#include <vector>

namespace example {

/// A memory of any size, initially zero. Transactions take turns on the bus, which transfers their
/// bytes at its rate, and are answered `latency` later. Any number of initiators may be bound to
/// `socket`, loosely timed (b_transport, which adds to the annotated delay) or approximately
/// (nb_transport, four phases).
class PlainMemory : public sc_core::sc_module {
public:
    tlm_utils::multi_passthrough_target_socket<PlainMemory> socket{"socket"};

    PlainMemory(const sc_core::sc_module_name& name, const sc_core::sc_time& latency,
                double bytes_per_ns)
        : sc_module(name),
          latency_(latency),
          byte_time_(1 / bytes_per_ns, sc_core::SC_NS),
          answers_("answers", this, &PlainMemory::on_answer) {
        socket.register_b_transport(this, &PlainMemory::b_transport);
        socket.register_nb_transport_fw(this, &PlainMemory::nb_transport_fw);
        socket.register_transport_dbg(this, &PlainMemory::transport_dbg);
    }

    [[nodiscard]] std::uint64_t reads() const { return reads_; }
    [[nodiscard]] std::uint64_t writes() const { return writes_; }

private:
    using Payload = tlm::tlm_generic_payload;
    static constexpr std::uint64_t kPageBytes = 4096;
    struct Link {
        std::deque<Payload*> answered;  ///< no BEGIN_RESP yet
        bool responding = false;        ///< BEGIN_RESP without END_RESP
    };

    void b_transport(int /*link*/, Payload& payload, sc_core::sc_time& delay) {
        delay = serve(payload, delay);
    }

    tlm::tlm_sync_enum nb_transport_fw(int link, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::END_RESP) {
            links_[link].responding = false;
            payload.release();
            respond(link);
            return tlm::TLM_COMPLETED;
        }
        payload.acquire();
        link_of_[&payload] = link;
        answers_.notify(payload, tlm::BEGIN_RESP, serve(payload, delay));
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }

    /// Moves the data; returns the delay until the end of a transaction that arrives after `delay`.
    sc_core::sc_time serve(Payload& payload, const sc_core::sc_time& delay) {
        if (payload.get_byte_enable_ptr() != nullptr) {
            payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
            return delay;
        }
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        const sc_core::sc_time begin = std::max(now + delay, bus_free_);
        bus_free_ = begin + byte_time_ * payload.get_data_length();
        move(payload);
        ++(payload.is_read() ? reads_ : writes_);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return bus_free_ + latency_ - now;
    }

    void on_answer(Payload& payload, const tlm::tlm_phase& /*phase*/) {
        const auto found = link_of_.find(&payload);
        const int link = found->second;
        link_of_.erase(found);
        links_[link].answered.push_back(&payload);
        respond(link);
    }

    void respond(int index) {
        Link& link = links_[index];
        while (!link.responding && !link.answered.empty()) {
            Payload& payload = *link.answered.front();
            link.answered.pop_front();
            link.responding = true;
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay;
            if (socket[index]->nb_transport_bw(payload, phase, delay) == tlm::TLM_ACCEPTED) return;
            link.responding = false;  // END_RESP was returned in the call
            payload.release();
        }
    }

    unsigned transport_dbg(int /*link*/, Payload& payload) {
        move(payload);
        return payload.get_data_length();
    }

    void move(Payload& payload) {
        for (unsigned i = 0; i < payload.get_data_length(); ++i) {
            const std::uint64_t address = payload.get_address() + i;
            std::vector<unsigned char>& page = pages_[address / kPageBytes];
            page.resize(kPageBytes);
            unsigned char& byte = page[address % kPageBytes];
            if (payload.is_read()) {
                payload.get_data_ptr()[i] = byte;
            } else {
                byte = payload.get_data_ptr()[i];
            }
        }
    }

    sc_core::sc_time latency_, byte_time_;
    sc_core::sc_time bus_free_;
    tlm_utils::peq_with_cb_and_phase<PlainMemory> answers_;
    std::unordered_map<Payload*, int> link_of_;  ///< unanswered transactions
    std::map<int, Link> links_;
    std::unordered_map<std::uint64_t, std::vector<unsigned char>> pages_;
    std::uint64_t reads_ = 0, writes_ = 0;
};

}  // namespace example
