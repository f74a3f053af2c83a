#include "sc_models/noc/at/crossbar_at.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/noc/core/debug_transport.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

namespace {

tlm::tlm_generic_payload& payload_of(SwitchCore::Message message) {
    return *static_cast<tlm::tlm_generic_payload*>(message);
}

}  // namespace

CrossbarAt::CrossbarAt(const sc_core::sc_module_name& name, const CrossbarContext& context,
                       CycleTicker& ticker, Observers observers)
    : Noc(name),
      targets("target", context.sms),
      initiators("initiator", context.map.slices()),
      map_(context.map),
      latency_(context.config.latency_cycles),
      requests_({context.sms, context.map.slices(), context.config.request_bytes_per_cycle,
                 context.config.slice_bytes_per_cycle, context.sector_bytes,
                 context.config.request_queue_entries, context.config.latency_cycles,
                 context.config.queueing == NocQueueing::kVirtualOutput,
                 context.config.arbitration == NocArbitration::kOldestFirst}),
      responses_({context.map.slices(), context.sms, context.config.slice_bytes_per_cycle,
                  context.config.response_bytes_per_cycle, context.sector_bytes,
                  context.config.response_queue_entries, context.config.latency_cycles,
                  context.config.queueing == NocQueueing::kVirtualOutput,
                  context.config.arbitration == NocArbitration::kOldestFirst}),
      slices_(context.map.slices()),
      alarm_(ticker, *this),
      wave_(observers.wave) {
    register_sockets(*this, &CrossbarAt::nb_transport_fw, &CrossbarAt::nb_transport_bw,
                     &CrossbarAt::transport_dbg);
    for (auto& target : targets) sms_.emplace_back(target, alarm_);
    for (std::uint32_t sm = 0; wave_ != nullptr && sm < context.sms; ++sm) {
        const std::string port = "sm_" + std::to_string(sm);
        request_waves_.push_back(wave_->add(this->name(), port + "_request", 1));
        response_waves_.push_back(wave_->add(this->name(), port + "_response", 1));
        id_waves_.push_back(wave_->add(this->name(), port + "_id", kAccessIdBits));
    }
    stats_.register_in(context.statistics);
    context.statistics.counter("held_cycles", blocked_cycles_, "cycles",
                               "requests and responses waited because their queue was full");
}

tlm::tlm_sync_enum CrossbarAt::nb_transport_fw(int sm, Payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
    const auto index = static_cast<std::uint32_t>(sm);
    TargetPort& port = sms_[index];
    if (!port.brings_request(payload, phase, delay, map_.interleave_bytes())) {
        if (phase == tlm::END_RESP) responses_.open(index, alarm_.now(), port.free_at());
        return tlm::TLM_COMPLETED;
    }
    ++outstanding_;
    origins_.add(payload, index);
    const Cycle arrival = alarm_.cycle_after(delay);
    if (requests_.full(index)) {
        ++blocked_requests_;
        return port.blocked_request.stall(payload, arrival);
    }
    delay = alarm_.delay_to(enter_request(index, payload, arrival));
    return accept_request(phase);
}

/// Puts a request into its SM's queue; returns when the SM's port has taken it.
Cycle CrossbarAt::enter_request(std::uint32_t sm, Payload& payload, Cycle arrival) {
    const bool read = payload.is_read();
    const std::uint32_t bytes = payload.get_data_length();
    ++(read ? stats_.read_requests : stats_.write_requests);
    (read ? stats_.read_bytes : stats_.write_bytes) += bytes;
    const Cycle taken = requests_.enter(sm, map_.slice(payload.get_address()), &payload,
                                        read ? 0 : bytes, alarm_.now(), arrival);
    stats_.sm_request_wait_cycles += taken - arrival;
    if (wave_ != nullptr) {
        wave_->pulse(request_waves_[sm], taken, 1);
        wave_->set(id_waves_[sm], taken, access_id(payload.get_extension<AccessInfo>()));
    }
    alarm_.at(requests_.next_head());
    return taken;
}

tlm::tlm_sync_enum CrossbarAt::nb_transport_bw(int slice, Payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
    const auto index = static_cast<std::uint32_t>(slice);
    SlicePort& port = slices_[index];
    const Cycle at = alarm_.cycle_after(delay);
    if (port.link.ended(payload, at)) {
        requests_.open(index, alarm_.now(), at);
        alarm_.at(at);
    }
    if (!brings_response(initiators[index], phase)) return tlm::TLM_ACCEPTED;
    expect_answer(initiators[index], payload);
    if (payload.is_read() && payload.is_response_ok()) {
        if (responses_.full(index)) {
            ++blocked_responses_;
            return port.blocked_response.stall(payload, at);
        }
        delay = alarm_.delay_to(enter_response(index, payload, at));
    } else {
        response_from(index, payload, at);
    }
    phase = tlm::END_RESP;  // equivalent to TLM_COMPLETED, which not every target supports
    return tlm::TLM_UPDATED;
}

/// Puts data into its slice's queue; returns when the slice's port has taken it.
Cycle CrossbarAt::enter_response(std::uint32_t slice, Payload& payload, Cycle arrival) {
    const auto* const info = payload.get_extension<AccessInfo>();
    const bool multicast = info != nullptr && info->multicast;
    const std::uint32_t bytes = payload.get_data_length();
    if (multicast) stats_.multicast_bytes += bytes;
    const Cycle left = responses_.enter(slice, origins_.take(payload, *this), &payload, bytes,
                                        alarm_.now(), arrival, !multicast);
    stats_.slice_response_wait_cycles += left - arrival;
    alarm_.at(responses_.next_head());
    return left;
}

/// Handles a response that was returned with the request, or that takes no bandwidth.
void CrossbarAt::response_from(std::uint32_t slice, Payload& payload, Cycle arrival) {
    expect_answer(initiators[slice], payload);
    if (payload.is_read() && payload.is_response_ok()) {
        // For the slice it is complete: it enters the queue even without room.
        enter_response(slice, payload, arrival);
        return;
    }
    acknowledgements_.push(arrival, {&payload, origins_.take(payload, *this)});
    alarm_.at(arrival);
}

void CrossbarAt::evaluate() {
    const Cycle now = alarm_.now();
    // 1. Requests to the slices.
    requests_.advance(now, [this](std::uint32_t /*sm*/, std::uint32_t slice, void* message) {
        return deliver_request(slice, payload_of(message));
    });
    // 2. Acknowledgements, then data, to the SMs.
    acknowledgements_.drain(
        now, [this](const Acknowledgement& done) { queue_response(done.sm, *done.payload); });
    send_queued_responses(now);
    responses_.advance(now, [this](std::uint32_t /*slice*/, std::uint32_t sm, void* message) {
        return deliver_response(sm, payload_of(message));
    });
    stats_.slice_request_wait_cycles = requests_.output_wait_cycles();
    stats_.sm_response_wait_cycles = responses_.output_wait_cycles();
    // 3. Blocked requests and responses.
    accept_blocked(now);

    Cycle next = std::min({requests_.next(now), responses_.next(now), acknowledgements_.next()});
    for (const std::uint32_t sm : unanswered_) next = std::min(next, sms_[sm].next_response());
    alarm_.at(next);
}

/// Returns the cycle from which the slice accepts another request; kNever: when END_REQ comes.
Cycle CrossbarAt::deliver_request(std::uint32_t slice, Payload& payload) {
    RequestLink& link = slices_[slice].link;
    const Cycle answered = link.send(initiators[slice], payload, alarm_);
    if (answered != kNever) response_from(slice, payload, answered);
    return link.free_at();
}

/// Returns the cycle from which the SM accepts another response; kNever: when END_RESP comes.
Cycle CrossbarAt::deliver_response(std::uint32_t sm, Payload& payload) {
    if (sms_[sm].open(alarm_.now())) {
        respond(sm, payload);
    } else {  // an acknowledgement has taken the socket while the data crossed the link
        queue_response(sm, payload);
    }
    return sms_[sm].free_at();
}

/// Sends a response to an SM whose socket is free.
void CrossbarAt::respond(std::uint32_t sm, Payload& payload) {
    if (payload.is_read() && payload.is_response_ok()) {
        ++stats_.read_responses;
        if (wave_ != nullptr) wave_->pulse(response_waves_[sm], alarm_.now(), 1);
    } else {
        auto* const info = payload.get_extension<AccessInfo>();
        if (info != nullptr && info->atomic == AtomicKind::kFetchAdd) {
            info->return_cycles += latency_;
        }
        ++(payload.is_response_ok() ? stats_.write_acceptances : stats_.error_responses);
    }
    --outstanding_;
    sms_[sm].send_response(payload);
}

/// Queues a response until the SM's socket is free.
void CrossbarAt::queue_response(std::uint32_t sm, Payload& payload) {
    if (!sms_[sm].has_ready_responses()) unanswered_.push_back(sm);
    sms_[sm].push_response(payload);
}

void CrossbarAt::send_queued_responses(Cycle now) {
    std::size_t left = 0;
    for (const std::uint32_t sm : unanswered_) {
        TargetPort& port = sms_[sm];
        while (Payload* const response = port.pop_response(now)) respond(sm, *response);
        responses_.open(sm, now, port.free_at());
        if (port.has_ready_responses()) unanswered_[left++] = sm;
    }
    unanswered_.resize(left);
}

void CrossbarAt::accept_blocked(Cycle now) {
    for (std::uint32_t sm = 0; blocked_requests_ > 0 && sm < sms_.size(); ++sm) {
        TargetPort& port = sms_[sm];
        if (!port.blocked_request || requests_.full(sm)) continue;
        const auto [payload, arrival] = port.blocked_request.accept(now, blocked_cycles_);
        --blocked_requests_;
        port.send_end_request(payload, enter_request(sm, payload, arrival));
    }
    for (std::uint32_t slice = 0; blocked_responses_ > 0 && slice < slices_.size(); ++slice) {
        BlockedTransaction& blocked = slices_[slice].blocked_response;
        if (!blocked || responses_.full(slice)) continue;
        const auto [payload, arrival] = blocked.accept(now, blocked_cycles_);
        --blocked_responses_;
        const Cycle taken = enter_response(slice, payload, arrival);
        send_end_response(initiators[slice], payload, taken, alarm_);
    }
}

unsigned int CrossbarAt::transport_dbg(int /*sm*/, Payload& payload) {
    return debug_by_slice(payload, map_, initiators);
}

void CrossbarAt::describe_waiting(std::vector<std::string>& lines) const {
    for (std::uint32_t sm = 0; sm < sms_.size(); ++sm) {
        if (const std::size_t queued = requests_.queued(sm); queued > 0) {
            lines.push_back(fmt::format("{}: SM {}: {} of {} requests queued{}", name(), sm, queued,
                                        requests_.queue_entries(),
                                        sms_[sm].blocked_request ? ", one more waits" : ""));
        }
        describe_response(name(), sm, sms_[sm], lines);
    }
    for (std::uint32_t slice = 0; slice < slices_.size(); ++slice) {
        describe_request(name(), slice, slices_[slice], lines);
        if (const std::size_t queued = responses_.queued(slice); queued > 0) {
            lines.push_back(fmt::format("{}: slice {}: {} of {} responses queued", name(), slice,
                                        queued, responses_.queue_entries()));
        }
    }
}

void CrossbarAt::check(std::vector<std::string>& violations) const {
    if (outstanding() == 0) stats_.check(name(), violations);
}

}  // namespace tessera
