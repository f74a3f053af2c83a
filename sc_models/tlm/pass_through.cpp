#include "sc_models/tlm/pass_through.h"

namespace tessera {

PassThrough::PassThrough(const sc_core::sc_module_name& name) : sc_module(name) {
    target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
}

void PassThrough::b_transport(Payload& payload, sc_core::sc_time& delay) {
    initiator->b_transport(payload, delay);
}

tlm::tlm_sync_enum PassThrough::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
    return initiator->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum PassThrough::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
    return target->nb_transport_bw(payload, phase, delay);
}

unsigned int PassThrough::transport_dbg(Payload& payload) {
    return initiator->transport_dbg(payload);
}

bool PassThrough::get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) {
    return initiator->get_direct_mem_ptr(payload, dmi);
}

void PassThrough::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    target->invalidate_direct_mem_ptr(first, last);
}

}  // namespace tessera
