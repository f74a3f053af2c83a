// What any network between SMs and L2 slices shows to whoever builds a machine with it.
#pragma once

#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/noc/core/mesh_statistics.h"
#include "sc_models/noc/core/noc_traffic.h"

namespace tessera {

/// The ends of a network that carries messages between SMs as well (see MeshPort).
class MessageLinks {
public:
    /// May stay unbound.
    using Initiator =
        tlm::tlm_base_initiator_socket<32, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>,
                                       1, sc_core::SC_ZERO_OR_MORE_BOUND>;

    virtual ~MessageLinks() = default;
    [[nodiscard]] virtual tlm::tlm_base_target_socket_b<>& message_target(SmId sm) = 0;
    [[nodiscard]] virtual Initiator& message_initiator(SmId sm) = 0;
    [[nodiscard]] virtual const MeshStatistics& mesh_statistics() const = 0;
};

/// A network between SMs and L2 slices, at either level of timing. Transactions do not pass this
/// face, but the sockets that it names.
class Noc : public sc_core::sc_module {
public:
    /// Where the requests of an SM come in.
    [[nodiscard]] virtual tlm::tlm_base_target_socket_b<>& sm_socket(SmId sm) = 0;
    /// Where the requests for a slice go out.
    [[nodiscard]] virtual tlm::tlm_base_initiator_socket<>& slice_socket(std::uint32_t slice) = 0;
    /// Null: the network carries no messages between SMs.
    [[nodiscard]] virtual MessageLinks* messages() { return nullptr; }
    [[nodiscard]] virtual const NocTraffic& traffic() const = 0;
    /// Transactions that have begun and not ended; loosely timed, none is under way between calls.
    [[nodiscard]] virtual std::size_t outstanding() const { return 0; }
    /// Appends a line for each queue or socket where something waits.
    virtual void describe_waiting(std::vector<std::string>& /*lines*/) const {}
    /// Appends a line for each broken conservation law.
    virtual void check(std::vector<std::string>& violations) const = 0;

protected:
    explicit Noc(const sc_core::sc_module_name& name) : sc_module(name) {}
};

}  // namespace tessera
