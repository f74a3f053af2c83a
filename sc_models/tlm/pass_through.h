// Module between two sockets of the base protocol that forwards every call.
#pragma once

#include <systemc>
#include <tlm>

namespace tessera {

/// Base of modules on a link: `target` is bound to the initiator, `initiator` to the target. Every
/// call of the four interfaces is forwarded in both directions; derived modules override the calls
/// that they watch or change. It takes no time and touches no kernel state.
class PassThrough : public sc_core::sc_module,
                    protected tlm::tlm_fw_transport_if<>,
                    protected tlm::tlm_bw_transport_if<> {
public:
    tlm::tlm_target_socket<> target{"target"};
    tlm::tlm_initiator_socket<> initiator{"initiator"};

    PassThrough(const PassThrough&) = delete;
    PassThrough& operator=(const PassThrough&) = delete;

protected:
    using Payload = tlm::tlm_generic_payload;

    explicit PassThrough(const sc_core::sc_module_name& name);
    ~PassThrough() override = default;

    void b_transport(Payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    unsigned int transport_dbg(Payload& payload) override;
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;
};

}  // namespace tessera
