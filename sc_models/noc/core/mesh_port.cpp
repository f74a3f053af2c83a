#include "sc_models/noc/core/mesh_port.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera {

namespace {

const MeshMessage& message_of(const tlm::tlm_generic_payload& payload) {
    return *payload.get_extension<MeshMessage>();
}

}  // namespace

MeshPayload::MeshPayload(tlm::tlm_mm_interface& manager) : tlm_generic_payload(&manager) {
    set_command(tlm::TLM_IGNORE_COMMAND);
    set_streaming_width(1);  // required by the base protocol, even without data
    set_extension(&message_);
}

MeshPayload& MeshPayloadPool::acquire(const MeshMessage& message) {
    if (free_.empty()) {
        all_.push_back(std::make_unique<MeshPayload>(*this));
        free_.push_back(all_.back().get());
    }
    MeshPayload& payload = *free_.back();
    free_.pop_back();
    payload.message() = message;
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.acquire();
    return payload;
}

void MeshPayloadPool::free(tlm::tlm_generic_payload* payload) {
    free_.push_back(static_cast<MeshPayload*>(payload));
}

MeshPort::MeshPort(const sc_core::sc_module_name& name, SmId sm, const ClockDomain& clock,
                   CycleTicker* ticker, StatGroup& stats)
    : sc_module(name), to_mesh("to_mesh"), from_mesh("from_mesh"), sm_(sm), time_(clock) {
    Clocked& self = *this;
    if (ticker != nullptr) alarm_ = std::make_unique<CycleAlarm>(*ticker, self);
    from_mesh.register_b_transport(this, &MeshPort::b_transport);
    from_mesh.register_nb_transport_fw(this, &MeshPort::nb_transport_fw);
    to_mesh.register_nb_transport_bw(this, &MeshPort::nb_transport_bw);
    for (std::size_t kind = 0; kind < kMeshMessageKinds; ++kind) {
        const std::string what = kMeshMessageNames[kind];
        stats.counter("sent_" + what, sent_of_[kind], "messages", "sent, of this kind");
        stats.counter("received_" + what, received_of_[kind], "messages", "received, of this kind");
    }
    stats.counter("sent_flits", sent_flits_, "flits", "flits of the messages sent");
    stats.counter("received_flits", received_flits_, "flits", "flits of the messages received");
}

Cycle MeshPort::send(const MeshMessage& message, Cycle at) {
    MeshPayload& payload = pool_.acquire(message);
    payload.message().source = sm_;
    ++sent_of_[static_cast<std::size_t>(message.kind)];
    sent_flits_ += message.flits;
    if (alarm_) {
        waiting_.push(std::max(at, alarm_->now()), &payload);
        alarm_->at(waiting_.next());
        return kNever;
    }
    time_.arrive(sc_core::SC_ZERO_TIME);
    sc_core::sc_time delay = time_.delay_to(at);
    to_mesh->b_transport(payload, delay);
    if (!payload.is_response_ok()) SC_REPORT_FATAL(name(), "the mesh refused a message");
    payload.release();
    return time_.cycle_after(delay);
}

void MeshPort::b_transport(Payload& payload, sc_core::sc_time& delay) {
    const Cycle at = time_.arrive(delay);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    receive(payload, at);
}

tlm::tlm_sync_enum MeshPort::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) SC_REPORT_FATAL(name(), "unknown phase on the forward path");
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    receive(payload, alarm_->cycle_after(delay));
    return tlm::TLM_COMPLETED;
}

void MeshPort::receive(const Payload& payload, Cycle at) {
    // Copy, as the receiver may send and receive messages before it returns.
    const MeshMessage message = message_of(payload);
    ++received_of_[static_cast<std::size_t>(message.kind)];
    received_flits_ += message.flits;
    if (receiver_ == nullptr) SC_REPORT_FATAL(name(), "a message came and nobody takes it");
    receiver_->on_mesh_message(message, at);
}

tlm::tlm_sync_enum MeshPort::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP || link_.waiting() != &payload) {
        SC_REPORT_FATAL(name(), "unknown phase on the backward path");
    }
    const Cycle at = alarm_->cycle_after(delay);
    link_.ended(payload, at);
    payload.release();
    alarm_->at(at);
    return tlm::TLM_COMPLETED;
}

void MeshPort::evaluate() {
    const Cycle now = alarm_->now();
    while (waiting_.next() <= now && link_.open(now)) {
        MeshPayload& payload = *waiting_.pop();
        if (link_.send(to_mesh, payload, *alarm_) != kNever) payload.release();
    }
    if (!waiting_.empty() && link_.free_at() != kNever) {
        alarm_->at(std::max(waiting_.next(), link_.free_at()));
    }
}

std::size_t MeshPort::unsent() const {
    return waiting_.size() + (link_.waiting() != nullptr ? 1 : 0);
}

void MeshPort::describe_waiting(std::vector<std::string>& lines) const {
    if (unsent() == 0) return;
    lines.push_back(fmt::format("{}: {} messages wait for the mesh", name(), unsent()));
}

}  // namespace tessera
