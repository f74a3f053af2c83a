#include "sc_models/noc/at/mesh_at.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/noc/core/debug_transport.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

MeshAt::MeshAt(const sc_core::sc_module_name& name, const MeshContext& context, CycleTicker& ticker,
               Observers observers)
    : Noc(name),
      targets("target", context.sms),
      initiators("initiator", context.map.slices()),
      message_targets("message_target", context.sms),
      message_initiators("message_initiator", context.sms),
      topology_(context.config.mesh, context.sms, context.controllers),
      core_(context.config.mesh, topology_, context.config.request_queue_entries,
            context.config.response_queue_entries),
      format_(context.config.mesh.flit_bytes),
      map_(context.map),
      controllers_(context.controllers),
      slices_(context.map.slices()),
      owner_(topology_.nodes()),
      alarm_(ticker, *this),
      wave_(observers.wave) {
    register_sockets(*this, &MeshAt::nb_transport_fw, &MeshAt::nb_transport_bw,
                     &MeshAt::transport_dbg);
    for (std::uint32_t sm = 0; sm < context.sms; ++sm) {
        const int tag = static_cast<int>(sm);
        message_targets[sm].register_nb_transport_fw(this, &MeshAt::message_transport_fw, tag);
        owner_[topology_.of_sm(SmId(sm)).value()] = sm;
        sms_.emplace_back(targets[sm], alarm_);
    }
    for (std::uint32_t i = 0; i < context.controllers; ++i)
        owner_[topology_.of_controller(i).value()] = i;
    traffic_.register_in(context.statistics);
    core_.statistics().register_in(context.statistics);
    context.statistics.counter("request_wait_cycles", request_wait_cycles_, "cycles",
                               "requests waited for room in their SM's queue");
    context.statistics.counter("reply_wait_cycles", reply_wait_cycles_, "cycles",
                               "replies waited for room in their controller's queue");
    context.statistics.counter("messages", messages_sent_, "messages", "messages between SMs");
    context.statistics.counter("message_flits", message_flits_, "flits",
                               "flits of messages between SMs");
    if (wave_ == nullptr) return;
    for (std::uint32_t node = 0; node < topology_.nodes(); ++node) {
        const std::string scope = std::string(this->name()) + ".node_" + std::to_string(node);
        waves_.push_back({wave_->add(scope, "sending", 1), wave_->add(scope, "receiving", 1),
                          wave_->add(scope, "buffered_flits", 8),
                          wave_->add(scope, "queued_packets", 8)});
    }
}

tlm::tlm_sync_enum MeshAt::nb_transport_fw(int tag, Payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
    const SmId sm(static_cast<std::uint32_t>(tag));
    SmPort& port = sms_[sm.value()];
    if (!port.brings_request(payload, phase, delay, map_.interleave_bytes())) {
        return tlm::TLM_COMPLETED;
    }
    ++outstanding_;
    origins_.add(payload, sm.value());
    const Cycle arrival = alarm_.cycle_after(delay);
    if (port.blocked_message || core_.full(topology_.of_sm(sm), MeshNetwork::kRequest)) {
        ++blocked_requests_;
        return port.blocked_request.stall(payload, arrival);
    }
    enter_request(sm, payload, arrival);
    return accept_request(phase);
}

tlm::tlm_sync_enum MeshAt::message_transport_fw(int tag, Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) SC_REPORT_FATAL(name(), "unknown phase of a message");
    const SmId sm(static_cast<std::uint32_t>(tag));
    SmPort& port = sms_[sm.value()];
    const Cycle arrival = alarm_.cycle_after(delay);
    const MeshNetwork network = payload.get_extension<MeshMessage>()->network;
    if (port.blocked_request || core_.full(topology_.of_sm(sm), network)) {
        ++blocked_requests_;
        return port.blocked_message.stall(payload, arrival);
    }
    enter_message(sm, payload, arrival);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

void MeshAt::inject(NodeId from, NodeId to, MeshNetwork network, std::uint32_t flits,
                    Payload& payload, Cycle at) {
    if (wave_ != nullptr) record_flits();
    core_.inject(from, to, network, flits, &payload, alarm_.now(), at);
    if (wave_ != nullptr) record_flits();  // the next evaluation may be later than this cycle
    alarm_.at(core_.next());
}

void MeshAt::enter_request(SmId sm, Payload& payload, Cycle at) {
    const bool read = payload.is_read();
    ++(read ? traffic_.read_requests : traffic_.write_requests);
    (read ? traffic_.read_bytes : traffic_.write_bytes) += payload.get_data_length();
    const std::uint32_t slice = map_.slice(payload.get_address());
    inject(topology_.of_sm(sm), topology_.of_controller(controller_of(slice)),
           MeshNetwork::kRequest, format_.request(payload), payload, at);
}

/// Sends a copy of the message; the sender's payload is not needed any more.
void MeshAt::enter_message(SmId sm, const Payload& payload, Cycle at) {
    const MeshMessage& message = *payload.get_extension<MeshMessage>();
    if (message.destination.value() >= sms_.size()) {
        SC_REPORT_FATAL(name(), "a message to no SM");
    }
    ++messages_sent_;
    message_flits_ += message.flits;
    inject(topology_.of_sm(sm), topology_.of_sm(message.destination), message.network,
           message.flits, messages_.acquire(message), at);
}

void MeshAt::enter_reply(std::uint32_t slice, Payload& payload, Cycle at) {
    expect_answer(initiators[slice], payload);
    const SmId sm(origins_.take(payload, *this));
    inject(topology_.of_controller(controller_of(slice)), topology_.of_sm(sm), MeshNetwork::kReply,
           format_.reply(payload), payload, at);
}

tlm::tlm_sync_enum MeshAt::nb_transport_bw(int tag, Payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
    const auto slice = static_cast<std::uint32_t>(tag);
    SlicePort& port = slices_[slice];
    const Cycle at = alarm_.cycle_after(delay);
    if (port.link.ended(payload, at)) alarm_.at(at);
    if (!brings_response(initiators[slice], phase)) return tlm::TLM_ACCEPTED;
    if (core_.full(topology_.of_controller(controller_of(slice)), MeshNetwork::kReply)) {
        ++blocked_replies_;
        return port.blocked_response.stall(payload, at);
    }
    enter_reply(slice, payload, at);
    phase = tlm::END_RESP;  // equivalent to TLM_COMPLETED, which not every target supports
    return tlm::TLM_UPDATED;
}

void MeshAt::evaluate() {
    const Cycle now = alarm_.now();
    if (wave_ != nullptr) record_flits();
    // 1. Flits, and complete packets.
    core_.advance(now, [this](NodeId node, MeshNetwork network, void* message) {
        arrive(node, network, *static_cast<Payload*>(message));
    });
    // 2. Transfers to the slices and SMs.
    hand_over(now);
    // 3. Blocked requests, messages and replies.
    accept_blocked(now);
    if (wave_ != nullptr) record(now);
    alarm_.at(core_.next());
}

void MeshAt::arrive(NodeId node, MeshNetwork network, Payload& payload) {
    const std::uint32_t owner = owner_[node.value()];
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        core_.release(node, network);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        if (message_initiators[owner]->nb_transport_fw(payload, phase, delay) !=
            tlm::TLM_COMPLETED) {
            SC_REPORT_FATAL(name(), "a message was not taken");
        }
        payload.release();
        return;
    }
    if (network == MeshNetwork::kRequest) {
        auto& arrived = controllers_[owner].arrived;
        if (arrived.empty()) waiting_controllers_.push_back(owner);
        arrived.push(&payload);
    } else {
        if (!sms_[owner].has_ready_responses()) waiting_sms_.push_back(owner);
        sms_[owner].push_response(payload);
    }
}

void MeshAt::hand_over(Cycle now) {
    const auto serve = [](std::vector<std::uint32_t>& waiting, auto&& still_waits) {
        waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                                     [&](std::uint32_t one) { return !still_waits(one); }),
                      waiting.end());
    };
    serve(waiting_controllers_, [&](std::uint32_t i) { return hand_over_requests(i, now); });
    serve(waiting_sms_, [&](std::uint32_t sm) { return hand_over_replies(SmId(sm), now); });
}

/// Returns whether requests are left.
bool MeshAt::hand_over_requests(std::uint32_t controller, Cycle now) {
    auto& arrived = controllers_[controller].arrived;
    while (!arrived.empty()) {
        Payload& payload = *arrived.front();
        const std::uint32_t slice = map_.slice(payload.get_address());
        RequestLink& link = slices_[slice].link;
        if (!link.open(now)) {
            alarm_.at(link.free_at());
            return true;
        }
        arrived.pop();
        core_.release(topology_.of_controller(controller), MeshNetwork::kRequest);
        const Cycle answered = link.send(initiators[slice], payload, alarm_);
        // A response that was returned with the request enters its queue even without room: for the
        // slice it is complete.
        if (answered != kNever) enter_reply(slice, payload, answered);
    }
    return false;
}

bool MeshAt::hand_over_replies(SmId sm, Cycle now) {
    SmPort& port = sms_[sm.value()];
    while (Payload* const reply = port.pop_response(now)) {
        core_.release(topology_.of_sm(sm), MeshNetwork::kReply);
        --outstanding_;
        if (reply->is_response_error()) {
            ++traffic_.error_responses;
        } else {
            ++(reply->is_read() ? traffic_.read_responses : traffic_.write_acceptances);
        }
        port.send_response(*reply);
    }
    alarm_.at(port.next_response());
    return port.has_ready_responses();
}

void MeshAt::accept_blocked(Cycle now) {
    for (std::uint32_t sm = 0; blocked_requests_ > 0 && sm < sms_.size(); ++sm) {
        accept_blocked_of(SmId(sm), now);
    }
    for (std::uint32_t slice = 0; blocked_replies_ > 0 && slice < slices_.size(); ++slice) {
        BlockedTransaction& blocked = slices_[slice].blocked_response;
        const NodeId node = topology_.of_controller(controller_of(slice));
        if (!blocked || core_.full(node, MeshNetwork::kReply)) continue;
        const auto [payload, at] = blocked.accept(now, reply_wait_cycles_);
        --blocked_replies_;
        enter_reply(slice, payload, at);
        send_end_response(initiators[slice], payload, at, alarm_);
    }
}

void MeshAt::accept_blocked_of(SmId sm, Cycle now) {
    SmPort& port = sms_[sm.value()];
    const NodeId node = topology_.of_sm(sm);
    for (int turn = 0; turn < 2; ++turn) {
        const bool is_message = port.message_first == (turn == 0);
        BlockedTransaction& blocked = is_message ? port.blocked_message : port.blocked_request;
        if (!blocked) continue;
        const MeshNetwork network = is_message
                                        ? blocked.payload().get_extension<MeshMessage>()->network
                                        : MeshNetwork::kRequest;
        if (core_.full(node, network)) continue;
        const auto [payload, at] = blocked.accept(now, request_wait_cycles_);
        --blocked_requests_;
        port.message_first = !is_message;
        if (!is_message) {
            enter_request(sm, payload, at);
            port.send_end_request(payload, at);
            continue;
        }
        enter_message(sm, payload, at);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = alarm_.delay_to(at);
        message_targets[sm.value()]->nb_transport_bw(payload, phase, delay);
    }
}

/// Records the flits since the last call. A node may also send between two evaluations, when a
/// packet arrives, so this is called before anything that may make it send again.
void MeshAt::record_flits() {
    const auto show = [this](WaveRecorder::Signal signal, Cycle until, Cycle& shown) {
        if (until != shown) wave_->pulse(signal, until - 1, 1);
        shown = until;
    };
    for (std::uint32_t i = 0; i < topology_.nodes(); ++i) {
        Waves& waves = waves_[i];
        show(waves.sending, core_.sent_until(NodeId(i)), waves.sent_until);
        show(waves.receiving, core_.received_until(NodeId(i)), waves.received_until);
    }
}

void MeshAt::record(Cycle now) {
    record_flits();
    for (std::uint32_t i = 0; i < topology_.nodes(); ++i) {
        const NodeId node(i);
        wave_->set(waves_[i].buffered, now, core_.buffered(node));
        wave_->set(
            waves_[i].queued, now,
            core_.queued(node, MeshNetwork::kRequest) + core_.queued(node, MeshNetwork::kReply));
    }
}

unsigned int MeshAt::transport_dbg(int /*sm*/, Payload& payload) {
    return debug_by_slice(payload, map_, initiators);
}

void MeshAt::describe_waiting(std::vector<std::string>& lines) const {
    for (std::uint32_t i = 0; i < topology_.nodes(); ++i) {
        const NodeId node(i);
        const std::size_t requests = core_.queued(node, MeshNetwork::kRequest);
        const std::size_t replies = core_.queued(node, MeshNetwork::kReply);
        if (requests + replies + core_.buffered(node) == 0) continue;
        lines.push_back(
            fmt::format("{}: node {}: {} requests and {} replies queued, {} flits in "
                        "its router",
                        name(), i, requests, replies, core_.buffered(node)));
    }
    for (std::uint32_t sm = 0; sm < sms_.size(); ++sm) {
        describe_response(name(), sm, sms_[sm], lines);
    }
    for (std::uint32_t slice = 0; slice < slices_.size(); ++slice) {
        describe_request(name(), slice, slices_[slice], lines);
    }
}

void MeshAt::check(std::vector<std::string>& violations) const {
    if (outstanding() != 0) return;
    traffic_.check(name(), violations);
    core_.statistics().check(name(), violations);
}

}  // namespace tessera
