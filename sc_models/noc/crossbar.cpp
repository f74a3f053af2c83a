#include "sc_models/noc/crossbar.h"

#include <algorithm>
#include <string>

#include "sc_models/memory/transaction.h"
#include "sc_models/noc/debug_transport.h"

namespace tessera {

Crossbar::Crossbar(const sc_core::sc_module_name& name, const NocConfig& config, std::uint32_t sms,
                   std::uint32_t sector_bytes, const ClockDomain& clock, const AddressMap& map,
                   StatGroup& stats, Observers observers)
    : sc_module(name),
      targets("target", sms),
      initiators("initiator", map.slices()),
      latency_(config.latency_cycles),
      fifo_(config.queueing == NocQueueing::kFifo),
      sector_bytes_(sector_bytes),
      time_(clock),
      map_(map),
      sm_ports_(sms, {SlotCalendar::for_link(config.request_bytes_per_cycle, sector_bytes),
                      SlotCalendar::for_link(config.response_bytes_per_cycle, sector_bytes),
                      0,
                      {}}),
      slice_ports_(map.slices(),
                   {SlotCalendar::for_link(config.slice_bytes_per_cycle, sector_bytes),
                    SlotCalendar::for_link(config.slice_bytes_per_cycle, sector_bytes),
                    0,
                    {}}),
      wave_(observers.wave) {
    if (fifo_) {
        for (Port& port : sm_ports_) port.left.resize(config.request_queue_entries);
    }
    for (std::uint32_t sm = 0; sm < sms; ++sm) {
        targets[sm].register_b_transport(this, &Crossbar::b_transport, static_cast<int>(sm));
        targets[sm].register_transport_dbg(this, &Crossbar::transport_dbg, static_cast<int>(sm));
        if (wave_ == nullptr) continue;
        const std::string port = "sm_" + std::to_string(sm);
        request_waves_.push_back(wave_->add(this->name(), port + "_request", 1));
        response_waves_.push_back(wave_->add(this->name(), port + "_response", 1));
    }
    stats_.register_in(stats);
}

/// When a message of `bytes` that is at the port at `at` has been taken by it.
Cycle Crossbar::pass(SlotCalendar& port, std::uint32_t bytes, Cycle at,
                     std::uint64_t& wait_cycles) const {
    Cycle taken = port.reserve(at);
    for (std::uint32_t more = sector_bytes_; more < bytes; more += sector_bytes_) {
        taken = port.reserve(taken);
    }
    wait_cycles += taken - at;
    return taken;
}

void Crossbar::b_transport(int sm, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    if (!acceptable(transaction, map_.interleave_bytes())) return;
    const Cycle arrival = time_.arrive(delay);
    const bool is_read = transaction.is_read();
    const std::uint32_t bytes = transaction.get_data_length();
    const std::uint32_t request_bytes = is_read ? 0 : bytes;
    const std::uint32_t slice = map_.slice(transaction.get_address());
    Port& sm_port = sm_ports_[static_cast<std::size_t>(sm)];
    Port& slice_port = slice_ports_[slice];
    sm_port.advance(time_.now());
    slice_port.advance(time_.now());
    ++(is_read ? stats_.read_requests : stats_.write_requests);
    (is_read ? stats_.read_bytes : stats_.write_bytes) += bytes;

    Cycle may_enter = arrival;
    Cycle* place = nullptr;
    if (fifo_) {
        place = &sm_port.left[sm_port.requests++ % sm_port.left.size()];
        may_enter = std::max(arrival, *place);
    }
    const Cycle sent =
        pass(sm_port.request, request_bytes, may_enter, stats_.sm_request_wait_cycles);
    stats_.sm_request_wait_cycles += may_enter - arrival;
    const Cycle received =
        pass(slice_port.request, request_bytes, std::max(sent + latency_, sm_port.last_received),
             stats_.slice_request_wait_cycles);
    if (fifo_) {
        sm_port.last_received = received;
        *place = received - latency_;
    }
    delay = time_.delay_to(received);
    initiators[slice]->b_transport(transaction, delay);
    if (auto* info = transaction.get_extension<AccessInfo>()) info->accepted = sent;
    if (wave_ != nullptr) wave_->pulse(request_waves_[static_cast<std::size_t>(sm)], sent, 1);
    if (transaction.is_response_error()) {
        ++stats_.error_responses;
        return;
    }
    if (!is_read) {
        ++stats_.write_acceptances;
        return;
    }
    const Cycle left = pass(slice_port.response, bytes, time_.cycle_after(delay),
                            stats_.slice_response_wait_cycles);
    const Cycle back =
        pass(sm_port.response, bytes, left + latency_, stats_.sm_response_wait_cycles);
    ++stats_.read_responses;
    if (wave_ != nullptr) wave_->pulse(response_waves_[static_cast<std::size_t>(sm)], back, 1);
    delay = time_.delay_to(back);
}

unsigned int Crossbar::transport_dbg(int /*sm*/, tlm::tlm_generic_payload& transaction) {
    return debug_by_slice(transaction, map_, initiators);
}

void Crossbar::check(std::vector<std::string>& violations) const {
    stats_.check(name(), violations);
}

}  // namespace tessera
