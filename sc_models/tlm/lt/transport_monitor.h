// Counter of the transports of a link, bound between two sockets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/tlm/lt/link_binder.h"
#include "sc_models/tlm/pass_through.h"

namespace tessera {

/// Counter between an initiator and a target of the base protocol. It changes nothing. The calls of
/// one link come from one host thread at a time (LookAhead), so the counters need no lock.
class TransportMonitor : public PassThrough {
public:
    /// Called at the beginning of each transaction, with its annotated delay.
    using OnRequest =
        std::function<void(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay)>;

    /// `link` names the link: the full name of its initiator socket.
    TransportMonitor(const sc_core::sc_module_name& name, std::string link,
                     OnRequest on_request = {});

    [[nodiscard]] const std::string& link() const { return link_; }
    /// Returns the number of calls of b_transport.
    [[nodiscard]] std::uint64_t blocking() const { return blocking_; }
    /// Returns the number of transactions begun by nb_transport_fw (BEGIN_REQ).
    [[nodiscard]] std::uint64_t nonblocking() const { return nonblocking_; }
    /// Returns the number of transactions, at either level of timing.
    [[nodiscard]] std::uint64_t transports() const { return blocking_ + nonblocking_; }

private:
    void b_transport(Payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;

    const std::string link_;
    const OnRequest on_request_;
    std::uint64_t blocking_ = 0, nonblocking_ = 0;
};

/// Binder that puts a TransportMonitor on every link of a machine (MachineSeams::links).
class MonitoredLinks : public LinkBinder {
public:
    void bind(tlm::tlm_base_initiator_socket<>& initiator,
              tlm::tlm_base_target_socket_b<>& target) override;
    void bind(OptionalInitiator& initiator, tlm::tlm_base_target_socket_b<>& target) override;

    [[nodiscard]] const std::vector<std::unique_ptr<TransportMonitor>>& monitors() const {
        return monitors_;
    }
    /// Returns the transports of all links whose name satisfies `chosen`.
    [[nodiscard]] std::uint64_t transports(
        const std::function<bool(const std::string& link)>& chosen) const;

private:
    TransportMonitor& add(const sc_core::sc_object& initiator);

    std::vector<std::unique_ptr<TransportMonitor>> monitors_;
};

}  // namespace tessera
