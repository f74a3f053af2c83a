#include "sc_models/noc/lt/mesh.h"

#include <algorithm>

#include "sc_models/noc/core/debug_transport.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

Mesh::Mesh(const sc_core::sc_module_name& name, const MeshContext& context,
           const ClockDomain& clock, Observers observers)
    : Noc(name),
      targets("target", context.sms),
      initiators("initiator", context.map.slices()),
      message_targets("message_target", context.sms),
      message_initiators("message_initiator", context.sms),
      topology_(context.config.mesh, context.sms, context.controllers),
      core_(context.config.mesh, topology_),
      format_(context.config.mesh.flit_bytes),
      time_(clock),
      map_(context.map),
      controllers_(context.controllers),
      queues_(context.sms, UnorderedOccupancy(context.config.request_queue_entries)),
      wave_(observers.wave) {
    for (std::uint32_t sm = 0; sm < context.sms; ++sm) {
        const int tag = static_cast<int>(sm);
        targets[sm].serve_with(*this, tag);
        message_targets[sm].register_b_transport(this, &Mesh::message_transport, tag);
    }
    traffic_.register_in(context.statistics);
    core_.statistics().register_in(context.statistics);
    context.statistics.counter("request_wait_cycles", request_wait_cycles_, "cycles",
                               "requests waited for room in their SM's queue");
    context.statistics.counter("messages", messages_, "messages", "messages between SMs");
    context.statistics.counter("message_flits", message_flits_, "flits",
                               "flits of messages between SMs");
    if (wave_ == nullptr) return;
    for (std::uint32_t node = 0; node < topology_.nodes(); ++node) {
        const std::string scope = std::string(this->name()) + ".node_" + std::to_string(node);
        sending_.push_back(wave_->add(scope, "sending", 1));
        receiving_.push_back(wave_->add(scope, "receiving", 1));
    }
}

MeshReservations::Transit Mesh::send(NodeId from, NodeId to, MeshNetwork network,
                                     std::uint32_t flits, Cycle at) {
    const MeshReservations::Transit transit = core_.send(from, to, network, flits, at, time_.now());
    for (std::uint32_t flit = 0; wave_ != nullptr && flit < flits; ++flit) {
        wave_->pulse(sending_[from.value()], core_.entered(flit), 1);
        wave_->pulse(receiving_[to.value()], core_.handed_over(flit), 1);
    }
    return transit;
}

Cycle Mesh::serve(int sm, tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle arrival) {
    const bool is_read = transaction.is_read();
    const std::uint32_t bytes = transaction.get_data_length();
    const std::uint32_t slice = map_.slice(transaction.get_address());
    const NodeId here = topology_.of_sm(SmId(static_cast<std::uint32_t>(sm)));
    const NodeId there = topology_.of_controller(slice % controllers_);
    ++(is_read ? traffic_.read_requests : traffic_.write_requests);
    (is_read ? traffic_.read_bytes : traffic_.write_bytes) += bytes;

    UnorderedOccupancy& queue = queues_[static_cast<std::size_t>(sm)];
    const Cycle taken = queue.enter(arrival);
    request_wait_cycles_ += taken - arrival;
    const auto request =
        send(here, there, MeshNetwork::kRequest, format_.request(transaction), taken);
    queue.leave(request.entered);
    const Cycle served = initiators[slice].transport(transaction, request.arrived, time_);
    if (info != nullptr) info->accepted = taken;
    const auto reply = send(there, here, MeshNetwork::kReply, format_.reply(transaction), served);
    if (transaction.is_response_error()) {
        ++traffic_.error_responses;
    } else {
        ++(is_read ? traffic_.read_responses : traffic_.write_acceptances);
    }
    return std::max(reply.arrived, time_.now());
}

void Mesh::message_transport(int tag, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const MeshMessage& message = *payload.get_extension<MeshMessage>();
    const std::uint32_t to = message.destination.value();
    if (to >= message_initiators.size()) SC_REPORT_FATAL(name(), "a message to no SM");
    const Cycle at = time_.arrive(delay);
    ++messages_;
    message_flits_ += message.flits;
    const auto transit = send(topology_.of_sm(SmId(static_cast<std::uint32_t>(tag))),
                              topology_.of_sm(SmId(to)), message.network, message.flits, at);
    delay = time_.delay_to(transit.arrived);
    message_initiators[to]->b_transport(payload, delay);
}

unsigned int Mesh::transport_dbg(int /*sm*/, tlm::tlm_generic_payload& transaction) {
    return debug_by_slice(transaction, map_, initiators);
}

void Mesh::check(std::vector<std::string>& violations) const {
    traffic_.check(name(), violations);
    core_.statistics().check(name(), violations);
}

}  // namespace tessera
