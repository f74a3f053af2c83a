// An initiator and a target that a test controls, legally or not.
#pragma once

#include <functional>
#include <systemc>
#include <tlm>

namespace tessera::test {

using Payload = tlm::tlm_generic_payload;
using NbCall =
    std::function<tlm::tlm_sync_enum(Payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay)>;

/// Calls go out by `socket`; calls that come back are answered by `on_bw`.
class RogueInitiator : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
public:
    tlm::tlm_initiator_socket<> socket{"socket"};
    NbCall on_bw = [](Payload&, tlm::tlm_phase&, sc_core::sc_time&) { return tlm::TLM_ACCEPTED; };

    explicit RogueInitiator(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
    }
    tlm::tlm_sync_enum send(Payload& payload, tlm::tlm_phase phase, sc_core::sc_time delay = {}) {
        return socket->nb_transport_fw(payload, phase, delay);
    }

private:
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        return on_bw(payload, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 /*first*/, sc_dt::uint64 /*last*/) override {}
};

/// Calls that arrive are answered by the functions; calls back go out by `socket`.
class RogueTarget : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
public:
    tlm::tlm_target_socket<> socket{"socket"};
    NbCall on_fw = [](Payload&, tlm::tlm_phase&, sc_core::sc_time&) { return tlm::TLM_ACCEPTED; };
    std::function<void(Payload&, sc_core::sc_time&)> on_blocking = [](Payload& payload,
                                                                      sc_core::sc_time&) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    };
    std::function<unsigned(Payload&)> on_debug = [](Payload& payload) {
        return payload.get_data_length();
    };
    std::function<bool(tlm::tlm_dmi&)> on_dmi = [](tlm::tlm_dmi&) { return false; };

    explicit RogueTarget(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }
    tlm::tlm_sync_enum send(Payload& payload, tlm::tlm_phase phase, sc_core::sc_time delay = {}) {
        return socket->nb_transport_bw(payload, phase, delay);
    }
    /// BEGIN_RESP with a good status.
    tlm::tlm_sync_enum respond(Payload& payload, sc_core::sc_time delay = {}) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return send(payload, tlm::BEGIN_RESP, delay);
    }

private:
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        return on_fw(payload, phase, delay);
    }
    void b_transport(Payload& payload, sc_core::sc_time& delay) override {
        on_blocking(payload, delay);
    }
    unsigned int transport_dbg(Payload& payload) override { return on_debug(payload); }
    bool get_direct_mem_ptr(Payload& /*payload*/, tlm::tlm_dmi& dmi) override {
        return on_dmi(dmi);
    }
};

}  // namespace tessera::test
