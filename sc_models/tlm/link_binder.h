// Who binds the links between blocks.
#pragma once

#include <tlm>

namespace tessera {

/// Called for each link of a machine instead of binding it, so that something can be put in
/// between.
class LinkBinder {
public:
    virtual ~LinkBinder() = default;
    virtual void bind(tlm::tlm_base_initiator_socket<>& initiator,
                      tlm::tlm_base_target_socket_b<>& target) = 0;
};

/// Binds a link by `binder`, or directly if there is none.
inline void bind_link(LinkBinder* binder, tlm::tlm_base_initiator_socket<>& initiator,
                      tlm::tlm_base_target_socket_b<>& target) {
    if (binder != nullptr) {
        binder->bind(initiator, target);
    } else {
        initiator.bind(target);
    }
}

}  // namespace tessera
