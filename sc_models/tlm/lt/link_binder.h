// Interface that binds the links between blocks.
#pragma once

#include <tlm>

namespace tessera {

/// Interface called for each link of a machine in place of binding it, so that a component can be
/// inserted.
class LinkBinder {
public:
    /// Initiator socket that may stay unbound.
    using OptionalInitiator =
        tlm::tlm_base_initiator_socket<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>,
                                       1, sc_core::SC_ZERO_OR_MORE_BOUND>;

    virtual ~LinkBinder() = default;
    virtual void bind(tlm::tlm_base_initiator_socket<>& initiator,
                      tlm::tlm_base_target_socket_b<>& target) = 0;
    virtual void bind(OptionalInitiator& initiator, tlm::tlm_base_target_socket_b<>& target) {
        initiator.bind(target);
    }
    /// Whether what it inserts reads the time of transactions, so that one host thread has to
    /// simulate the machine: look-ahead runs ahead of SystemC's time.
    [[nodiscard]] virtual bool reads_time() const { return false; }
};

/// Binds a link with `binder`, or directly if that is null.
inline void bind_link(LinkBinder* binder, tlm::tlm_base_initiator_socket<>& initiator,
                      tlm::tlm_base_target_socket_b<>& target) {
    if (binder != nullptr) {
        binder->bind(initiator, target);
    } else {
        initiator.bind(target);
    }
}

}  // namespace tessera
