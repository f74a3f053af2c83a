// A third-party memory: uses IEEE 1666-2011 only, nothing of this project.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <cstring>
#include <systemc>
#include <vector>

namespace vendor {

/// RAM with one socket per client. Serves b_transport and transport_dbg; the sockets' own adapter
/// handles nb_transport. Its latency is added to the annotated delay, or, if it `waits`, spent in
/// wait() as in most textbooks: b_transport then returns without a remaining delay.
class Memory : public sc_core::sc_module {
public:
    using Socket = tlm_utils::simple_target_socket_tagged<Memory>;
    sc_core::sc_vector<Socket> sockets;

    Memory(const sc_core::sc_module_name& name, unsigned clients, std::size_t bytes,
           const sc_core::sc_time& latency, bool waits)
        : sc_module(name),
          sockets("socket", clients),
          latency_(latency),
          waits_(waits),
          bytes_(bytes) {
        for (unsigned i = 0; i < clients; ++i) {
            sockets[i].register_b_transport(this, &Memory::b_transport, static_cast<int>(i));
            sockets[i].register_transport_dbg(this, &Memory::transport_dbg, static_cast<int>(i));
        }
    }

    /// Contents, from outside the simulation.
    [[nodiscard]] std::vector<unsigned char>& bytes() { return bytes_; }
    [[nodiscard]] unsigned long reads() const { return reads_; }
    [[nodiscard]] unsigned long writes() const { return writes_; }

private:
    void b_transport(int client, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        if (waits_) {
            wait(delay + latency_);
            delay = sc_core::SC_ZERO_TIME;
        }
        if (payload.get_byte_enable_ptr() != nullptr) {
            payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
            return;
        }
        if (transport_dbg(client, payload) != payload.get_data_length()) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        ++(payload.is_read() ? reads_ : writes_);
        if (!waits_) delay += latency_;
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    unsigned transport_dbg(int /*client*/, tlm::tlm_generic_payload& payload) {
        const sc_dt::uint64 begin = payload.get_address();
        const unsigned length = payload.get_data_length();
        if (begin > bytes_.size() || length > bytes_.size() - begin) return 0;
        if (payload.is_read()) {
            std::memcpy(payload.get_data_ptr(), bytes_.data() + begin, length);
        } else if (payload.is_write()) {
            std::memcpy(bytes_.data() + begin, payload.get_data_ptr(), length);
        }
        return length;
    }

    sc_core::sc_time latency_;
    bool waits_;
    std::vector<unsigned char> bytes_;
    unsigned long reads_ = 0, writes_ = 0;
};

}  // namespace vendor
