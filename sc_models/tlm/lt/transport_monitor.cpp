#include "sc_models/tlm/lt/transport_monitor.h"

#include <utility>

namespace tessera {

TransportMonitor::TransportMonitor(const sc_core::sc_module_name& name, std::string link,
                                   OnRequest on_request)
    : PassThrough(name), link_(std::move(link)), on_request_(std::move(on_request)) {}

void TransportMonitor::b_transport(Payload& payload, sc_core::sc_time& delay) {
    ++blocking_;
    if (on_request_) on_request_(payload, delay);
    PassThrough::b_transport(payload, delay);
}

tlm::tlm_sync_enum TransportMonitor::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        ++nonblocking_;
        if (on_request_) on_request_(payload, delay);
    }
    return PassThrough::nb_transport_fw(payload, phase, delay);
}

TransportMonitor& MonitoredLinks::add(const sc_core::sc_object& initiator) {
    const std::string name = "transport_monitor_" + std::to_string(monitors_.size());
    monitors_.push_back(std::make_unique<TransportMonitor>(name.c_str(), initiator.name()));
    return *monitors_.back();
}

void MonitoredLinks::bind(tlm::tlm_base_initiator_socket<>& initiator,
                          tlm::tlm_base_target_socket_b<>& target) {
    TransportMonitor& monitor = add(initiator);
    initiator.bind(monitor.target);
    monitor.initiator.bind(target);
}

void MonitoredLinks::bind(OptionalInitiator& initiator, tlm::tlm_base_target_socket_b<>& target) {
    TransportMonitor& monitor = add(initiator);
    initiator.bind(monitor.target);
    monitor.initiator.bind(target);
}

std::uint64_t MonitoredLinks::transports(
    const std::function<bool(const std::string& link)>& chosen) const {
    std::uint64_t sum = 0;
    for (const auto& monitor : monitors_) {
        if (chosen(monitor->link())) sum += monitor->transports();
    }
    return sum;
}

}  // namespace tessera
