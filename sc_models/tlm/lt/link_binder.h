// Interface that binds the links between blocks.
#pragma once

#include <tlm>

#include "sc_models/tlm/lt/lt_link.h"

namespace tessera {

/// Interface called for each link of a machine in place of binding it, so that a component can be
/// inserted.
class LinkBinder {
public:
    virtual ~LinkBinder() = default;
    virtual void bind(tlm::tlm_base_initiator_socket<>& initiator,
                      tlm::tlm_base_target_socket_b<>& target) = 0;
};

/// Binds a link directly. If both ends are loosely-timed blocks of this library, calls skip the
/// conversions of a socket.
inline void bind_directly(tlm::tlm_base_initiator_socket<>& initiator,
                          tlm::tlm_base_target_socket_b<>& target) {
    initiator.bind(target);
    auto* const from = dynamic_cast<LtInitiatorEnd*>(&initiator);
    const auto* const to = dynamic_cast<const LtTargetEnd*>(&target);
    if (from != nullptr && to != nullptr) from->connect(*to);
}

/// Binds a link with `binder`, or directly if that is null.
inline void bind_link(LinkBinder* binder, tlm::tlm_base_initiator_socket<>& initiator,
                      tlm::tlm_base_target_socket_b<>& target) {
    if (binder != nullptr) {
        binder->bind(initiator, target);
    } else {
        bind_directly(initiator, target);
    }
}

}  // namespace tessera
