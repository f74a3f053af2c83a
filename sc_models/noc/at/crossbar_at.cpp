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

CrossbarAt::CrossbarAt(const sc_core::sc_module_name& name, const NocConfig& config,
                       std::uint32_t sms, std::uint32_t sector_bytes, CycleTicker& ticker,
                       const AddressMap& map, StatGroup& stats, Observers observers)
    : sc_module(name),
      targets("target", sms),
      initiators("initiator", map.slices()),
      map_(map),
      requests_({sms, map.slices(), config.request_bytes_per_cycle, config.slice_bytes_per_cycle,
                 sector_bytes, config.request_queue_entries, config.latency_cycles,
                 config.queueing == NocQueueing::kVirtualOutput}),
      responses_({map.slices(), sms, config.slice_bytes_per_cycle, config.response_bytes_per_cycle,
                  sector_bytes, config.response_queue_entries, config.latency_cycles,
                  config.queueing == NocQueueing::kVirtualOutput}),
      sms_(sms),
      slices_(map.slices()),
      alarm_(ticker, *this),
      wave_(observers.wave) {
    register_sockets(*this, &CrossbarAt::nb_transport_fw, &CrossbarAt::nb_transport_bw,
                     &CrossbarAt::transport_dbg);
    for (std::uint32_t sm = 0; wave_ != nullptr && sm < sms; ++sm) {
        const std::string port = "sm_" + std::to_string(sm);
        request_waves_.push_back(wave_->add(this->name(), port + "_request", 1));
        response_waves_.push_back(wave_->add(this->name(), port + "_response", 1));
    }
    stats_.register_in(stats);
    stats.counter("held_cycles", held_cycles_, "cycles",
                  "requests and responses waited because their queue was full");
}

tlm::tlm_sync_enum CrossbarAt::nb_transport_fw(int sm, Payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
    const auto index = static_cast<std::uint32_t>(sm);
    SmPort& port = sms_[index];
    if (phase == tlm::END_RESP) {
        port.link.ended(payload, alarm_.cycle_after(delay));
        responses_.open(index, alarm_.now(), port.link.free_at());
        alarm_.at(port.link.free_at());
        return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ) {
        SC_REPORT_FATAL(name(), "unknown phase on the forward path");
        return tlm::TLM_COMPLETED;
    }
    if (const auto status = verdict(payload, map_.interleave_bytes());
        status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
        return tlm::TLM_COMPLETED;
    }
    ++outstanding_;
    origins_[&payload] = index;
    const Cycle arrival = alarm_.cycle_after(delay);
    if (requests_.full(index)) {
        port.held = {&payload, arrival};
        ++held_requests_;
        return tlm::TLM_ACCEPTED;
    }
    delay = alarm_.delay_to(enter_request(index, payload, arrival));
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

/// Returns when the SM's port has taken the request.
Cycle CrossbarAt::enter_request(std::uint32_t sm, Payload& payload, Cycle arrival) {
    const bool read = payload.is_read();
    const std::uint32_t bytes = payload.get_data_length();
    ++(read ? stats_.read_requests : stats_.write_requests);
    (read ? stats_.read_bytes : stats_.write_bytes) += bytes;
    const Cycle taken = requests_.enter(sm, map_.slice(payload.get_address()), &payload,
                                        read ? 0 : bytes, alarm_.now(), arrival);
    stats_.sm_request_wait_cycles += taken - arrival;
    if (wave_ != nullptr) wave_->pulse(request_waves_[sm], taken, 1);
    alarm_.at(requests_.next_head());
    return taken;
}

tlm::tlm_sync_enum CrossbarAt::nb_transport_bw(int slice, Payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
    const auto index = static_cast<std::uint32_t>(slice);
    SlicePort& port = slices_[index];
    const Cycle at = alarm_.cycle_after(delay);
    if (port.link.waiting() == &payload) {
        port.link.ended(payload, at);
        requests_.open(index, alarm_.now(), at);
        alarm_.at(at);
    }
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    if (phase != tlm::BEGIN_RESP) {
        SC_REPORT_FATAL(name(), "unknown phase on the backward path");
        return tlm::TLM_COMPLETED;
    }
    expect_answer(initiators[index], payload);
    if (payload.is_read() && payload.is_response_ok()) {
        if (responses_.full(index)) {
            port.held = {&payload, at};
            ++held_responses_;
            return tlm::TLM_ACCEPTED;
        }
        delay = alarm_.delay_to(enter_response(index, payload, at));
    } else {
        response_from(index, payload, at);
    }
    return tlm::TLM_COMPLETED;
}

/// The SM the transaction, which is on its way back, came from.
std::uint32_t CrossbarAt::take_origin(const Payload& payload) {
    const auto found = origins_.find(&payload);
    if (found == origins_.end()) SC_REPORT_FATAL(name(), "a response nobody asked for");
    const std::uint32_t sm = found->second;
    origins_.erase(found);
    return sm;
}

/// Returns when the slice's port has taken the data.
Cycle CrossbarAt::enter_response(std::uint32_t slice, Payload& payload, Cycle arrival) {
    const Cycle left = responses_.enter(slice, take_origin(payload), &payload,
                                        payload.get_data_length(), alarm_.now(), arrival);
    stats_.slice_response_wait_cycles += left - arrival;
    alarm_.at(responses_.next_head());
    return left;
}

/// What came back with the request, or takes no bandwidth.
void CrossbarAt::response_from(std::uint32_t slice, Payload& payload, Cycle arrival) {
    expect_answer(initiators[slice], payload);
    if (payload.is_read() && payload.is_response_ok()) {
        // The slice considers it done: room or not, it is the crossbar's now.
        enter_response(slice, payload, arrival);
        return;
    }
    acknowledgements_.push(arrival, {&payload, take_origin(payload)});
    alarm_.at(arrival);
}

void CrossbarAt::evaluate() {
    const Cycle now = alarm_.now();
    // 1. Requests to the slices.
    requests_.advance(now, [this](std::uint32_t /*sm*/, std::uint32_t slice, void* message) {
        return deliver_request(slice, payload_of(message));
    });
    // 2. Acknowledgements, then data, to the SMs.
    acknowledgements_.drain(now, [this](const Acknowledgement& done) {
        SmPort& port = sms_[done.sm];
        if (port.acknowledgements.empty()) unacknowledged_.push_back(done.sm);
        port.acknowledgements.push(done.payload);
    });
    acknowledge(now);
    responses_.advance(now, [this](std::uint32_t /*slice*/, std::uint32_t sm, void* message) {
        return deliver_response(sm, payload_of(message));
    });
    stats_.slice_request_wait_cycles = requests_.output_wait_cycles();
    stats_.sm_response_wait_cycles = responses_.output_wait_cycles();
    // 3. What waited for room.
    take_held(now);

    Cycle next = std::min({requests_.next(now), responses_.next(now), acknowledgements_.next()});
    for (const std::uint32_t sm : unacknowledged_) next = std::min(next, sms_[sm].link.free_at());
    alarm_.at(next);
}

/// Returns the cycle from which the slice takes another request; kNever: when END_REQ comes.
Cycle CrossbarAt::deliver_request(std::uint32_t slice, Payload& payload) {
    RequestLink& link = slices_[slice].link;
    const Cycle answered = link.send(initiators[slice], payload, alarm_);
    if (answered != kNever) response_from(slice, payload, answered);
    return link.free_at();
}

/// Returns the cycle from which the SM takes another response; kNever: when END_RESP comes.
Cycle CrossbarAt::deliver_response(std::uint32_t sm, Payload& payload) {
    SmPort& port = sms_[sm];
    ++stats_.read_responses;
    --outstanding_;
    if (wave_ != nullptr) wave_->pulse(response_waves_[sm], alarm_.now(), 1);
    port.link.send(targets[sm], payload, alarm_);
    return port.link.free_at();
}

void CrossbarAt::acknowledge(Cycle now) {
    std::size_t left = 0;
    for (const std::uint32_t sm : unacknowledged_) {
        SmPort& port = sms_[sm];
        while (!port.acknowledgements.empty() && port.link.open(now)) {
            Payload& payload = *port.acknowledgements.pop();
            ++(payload.is_response_ok() ? stats_.write_acceptances : stats_.error_responses);
            --outstanding_;
            port.link.send(targets[sm], payload, alarm_);
        }
        responses_.open(sm, now, port.link.free_at());
        if (!port.acknowledgements.empty()) unacknowledged_[left++] = sm;
    }
    unacknowledged_.resize(left);
}

void CrossbarAt::take_held(Cycle now) {
    for (std::uint32_t sm = 0; held_requests_ > 0 && sm < sms_.size(); ++sm) {
        HeldPayload& held = sms_[sm].held;
        if (held.payload == nullptr || requests_.full(sm)) continue;
        Payload& payload = *held.payload;
        const Cycle arrival = std::max(now, held.since);
        held_cycles_ += arrival - held.since;
        held.payload = nullptr;
        --held_requests_;
        const Cycle taken = enter_request(sm, payload, arrival);
        send_end_request(targets[sm], payload, alarm_.delay_to(taken));
    }
    for (std::uint32_t slice = 0; held_responses_ > 0 && slice < slices_.size(); ++slice) {
        HeldPayload& held = slices_[slice].held;
        if (held.payload == nullptr || responses_.full(slice)) continue;
        Payload& payload = *held.payload;
        const Cycle arrival = std::max(now, held.since);
        held_cycles_ += arrival - held.since;
        held.payload = nullptr;
        --held_responses_;
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = alarm_.delay_to(enter_response(slice, payload, arrival));
        initiators[slice]->nb_transport_fw(payload, phase, delay);
    }
}

unsigned int CrossbarAt::transport_dbg(int /*sm*/, Payload& payload) {
    return debug_by_slice(payload, map_, initiators);
}

void CrossbarAt::describe_waiting(std::vector<std::string>& lines) const {
    for (std::uint32_t sm = 0; sm < sms_.size(); ++sm) {
        if (const std::size_t queued = requests_.queued(sm); queued > 0) {
            lines.push_back(
                fmt::format("{}: SM {}: {} of {} requests queued{}", name(), sm, queued,
                            requests_.queue_entries(),
                            sms_[sm].held.payload != nullptr ? ", one more waits" : ""));
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
    if (idle()) stats_.check(name(), violations);
}

}  // namespace tessera
