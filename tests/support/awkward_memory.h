// A memory that does all that IEEE 1666-2011 allows a target, the less usual the better.
#pragma once

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>
#include <deque>
#include <memory>
#include <random>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "sc_models/memory/core/memory_image.h"

namespace tessera::test {

struct AwkwardHabits {
    bool waits = false;     ///< b_transport spends its time in wait()
    bool endless = false;   ///< has events for ever, as refreshes and clocks have
    bool moves = false;     ///< changes the address of what passes, and leaves it changed
    bool corrupts = false;  ///< some bytes come back with a bit flipped
    bool deaf = false;      ///< never answers a request
};

/// Approximately timed it accepts each request a while after it has come, carries requests out in
/// any order and right before their responses, and takes for the end of a response only END_RESP.
class AwkwardMemory : public sc_core::sc_module {
public:
    using Socket = tlm_utils::simple_target_socket_tagged<AwkwardMemory>;
    sc_core::sc_vector<Socket> sockets;

    AwkwardMemory(const sc_core::sc_module_name& name, std::uint32_t links,
                  const AwkwardHabits& habits)
        : sc_module(name),
          sockets("socket", links),
          habits_(habits),
          links_(links),
          events_("events", this, &AwkwardMemory::on_event) {
        for (std::uint32_t i = 0; i < links; ++i) {
            const int tag = static_cast<int>(i);
            sockets[i].register_b_transport(this, &AwkwardMemory::b_transport, tag);
            sockets[i].register_nb_transport_fw(this, &AwkwardMemory::nb_transport_fw, tag);
            sockets[i].register_transport_dbg(this, &AwkwardMemory::transport_dbg, tag);
        }
        if (habits.endless) SC_THREAD(refresh);
    }
    SC_HAS_PROCESS(AwkwardMemory);

    std::uint64_t served = 0;

private:
    using Payload = tlm::tlm_generic_payload;
    static constexpr std::uint64_t kMovedBy = 1U << 30U;
    struct Link {
        std::deque<Payload*> answered;
        bool responding = false;
    };

    sc_core::sc_time latency() {
        return {50.0 + static_cast<double>(random_() % 200), sc_core::SC_NS};
    }

    void b_transport(int /*link*/, Payload& payload, sc_core::sc_time& delay) {
        if (habits_.deaf) wait(never_);
        const sc_core::sc_time taken = latency();
        if (habits_.waits) {
            wait(delay + taken);
            delay = sc_core::SC_ZERO_TIME;
        } else {
            delay += taken;
        }
        carry_out(payload);
    }

    tlm::tlm_sync_enum nb_transport_fw(int link, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::BEGIN_REQ) {
            payload.acquire();
            link_of_[&payload] = static_cast<std::size_t>(link);
            address_of_[&payload] = payload.get_address();
            if (habits_.moves) payload.set_address(payload.get_address() + kMovedBy);
            events_.notify(payload, tlm::END_REQ, delay + sc_core::sc_time(3, sc_core::SC_NS));
        } else {
            events_.notify(payload, phase, delay);
        }
        return tlm::TLM_ACCEPTED;
    }

    void on_event(Payload& payload, const tlm::tlm_phase& phase) {
        const std::size_t index = link_of_.at(&payload);
        Link& link = links_[index];
        tlm::tlm_phase sent = phase;
        sc_core::sc_time delay;
        if (phase == tlm::END_REQ) {
            if (habits_.deaf) return;
            sockets[index]->nb_transport_bw(payload, sent, delay);
            events_.notify(payload, tlm::BEGIN_RESP, latency());
        } else if (phase == tlm::BEGIN_RESP) {
            link.answered.push_back(&payload);
            respond(index);
        } else {
            link.responding = false;
            link_of_.erase(&payload);
            payload.release();
            respond(index);
        }
    }

    void respond(std::size_t index) {
        Link& link = links_[index];
        if (link.responding || link.answered.empty()) return;
        Payload& payload = *link.answered.front();
        link.answered.pop_front();
        link.responding = true;
        const Address address = address_of_.at(&payload);
        address_of_.erase(&payload);
        move_data(payload, address);
        ++served;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay;
        if (sockets[index]->nb_transport_bw(payload, phase, delay) == tlm::TLM_UPDATED) {
            events_.notify(payload, phase, delay);
        }
    }

    unsigned transport_dbg(int /*link*/, Payload& payload) {
        move_data(payload, payload.get_address());
        if (habits_.moves) payload.set_address(payload.get_address() + kMovedBy);
        return payload.get_data_length();
    }

    void carry_out(Payload& payload) {
        move_data(payload, payload.get_address());
        if (habits_.moves) payload.set_address(payload.get_address() + kMovedBy);
        ++served;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

    void move_data(Payload& payload, Address address) {
        unsigned char* const data = payload.get_data_ptr();
        const unsigned bytes = payload.get_data_length();
        if (payload.is_write()) {
            image_.write(address, data, bytes);
            return;
        }
        image_.read(address, data, bytes);
        for (unsigned i = 0; habits_.corrupts && i < bytes; ++i) {
            if ((address + i) % 256 == 1) data[i] ^= 0x20U;
        }
    }

    void refresh() {
        for (;;) wait(sc_core::sc_time(300, sc_core::SC_NS));
    }

    AwkwardHabits habits_;
    sc_core::sc_event never_;
    std::vector<Link> links_;
    MemoryImage image_;
    std::mt19937 random_{5};
    std::unordered_map<Payload*, std::size_t> link_of_;
    std::unordered_map<Payload*, Address> address_of_;  ///< as they came
    tlm_utils::peq_with_cb_and_phase<AwkwardMemory> events_;
};

}  // namespace tessera::test
