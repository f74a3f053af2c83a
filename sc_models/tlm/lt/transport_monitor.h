// Counter of the transports of a link, bound between two sockets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sc_models/tlm/lt/link_binder.h"

namespace tessera {

/// Counter between an initiator and a target of the base protocol: `target` is bound to the
/// initiator, `initiator` to the target. It takes no time, changes nothing, and touches no kernel
/// state. The calls of one link come from one host thread at a time (LookAhead), so the counters
/// need no lock.
class TransportMonitor : public sc_core::sc_module,
                         private tlm::tlm_fw_transport_if<>,
                         private tlm::tlm_bw_transport_if<> {
public:
    tlm::tlm_target_socket<> target{"target"};
    tlm::tlm_initiator_socket<> initiator{"initiator"};

    /// Called at the beginning of each transaction, with its annotated delay.
    using OnRequest =
        std::function<void(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay)>;

    /// `link` names the link: the full name of its initiator socket.
    TransportMonitor(const sc_core::sc_module_name& name, std::string link,
                     OnRequest on_request = {});
    TransportMonitor(const TransportMonitor&) = delete;
    TransportMonitor& operator=(const TransportMonitor&) = delete;

    [[nodiscard]] const std::string& link() const { return link_; }
    /// Returns the number of calls of b_transport.
    [[nodiscard]] std::uint64_t blocking() const { return blocking_; }
    /// Returns the number of transactions begun by nb_transport_fw (BEGIN_REQ).
    [[nodiscard]] std::uint64_t nonblocking() const { return nonblocking_; }
    /// Returns the number of transactions, at either level of timing.
    [[nodiscard]] std::uint64_t transports() const { return blocking_ + nonblocking_; }

private:
    using Payload = tlm::tlm_generic_payload;

    void b_transport(Payload& payload, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    unsigned int transport_dbg(Payload& payload) override;
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

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
