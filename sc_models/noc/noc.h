// Interface of the networks between SMs and L2 slices.
#pragma once

#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/noc/core/mesh_statistics.h"
#include "sc_models/noc/core/noc_traffic.h"
#include "sc_models/tlm/lt/link_binder.h"

namespace tessera {

/// Message sockets of a network that also carries messages between SMs (see MeshPort).
class MessageLinks {
public:
    /// Socket type that may stay unbound.
    using Initiator = LinkBinder::OptionalInitiator;

    virtual ~MessageLinks() = default;
    [[nodiscard]] virtual tlm::tlm_base_target_socket_b<>& message_target(SmId sm) = 0;
    [[nodiscard]] virtual Initiator& message_initiator(SmId sm) = 0;
    [[nodiscard]] virtual const MeshStatistics& mesh_statistics() const = 0;
};

/// Network between SMs and L2 slices, at either level of timing. Transactions use the sockets, not
/// functions of this interface.
class Noc : public sc_core::sc_module {
public:
    /// Returns the target socket for the requests of an SM.
    [[nodiscard]] virtual tlm::tlm_base_target_socket_b<>& sm_socket(SmId sm) = 0;
    /// Returns the initiator socket for the requests to a slice.
    [[nodiscard]] virtual tlm::tlm_base_initiator_socket<>& slice_socket(std::uint32_t slice) = 0;
    /// Returns the message sockets; null: the network carries no messages between SMs.
    [[nodiscard]] virtual MessageLinks* messages() { return nullptr; }
    [[nodiscard]] virtual const NocTraffic& traffic() const = 0;
    /// Returns the transactions begun and not ended; loosely timed, none is in flight between
    /// calls.
    [[nodiscard]] virtual std::size_t outstanding() const { return 0; }
    /// Appends a line for each queue or socket where something waits.
    virtual void describe_waiting(std::vector<std::string>& /*lines*/) const {}
    /// Appends a line for each broken conservation law.
    virtual void check(std::vector<std::string>& violations) const = 0;

protected:
    explicit Noc(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace tessera
