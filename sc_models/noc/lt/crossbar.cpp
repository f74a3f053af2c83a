#include "sc_models/noc/lt/crossbar.h"

#include <algorithm>
#include <string>

#include "sc_models/noc/core/debug_transport.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

Crossbar::Crossbar(const sc_core::sc_module_name& name, const CrossbarContext& context,
                   const ClockDomain& clock, Observers observers)
    : Noc(name),
      targets("target", context.sms),
      initiators("initiator", context.map.slices()),
      latency_(context.config.latency_cycles),
      fifo_(context.config.queueing == NocQueueing::kFifo),
      sector_bytes_(context.sector_bytes),
      time_(clock),
      map_(context.map),
      sm_ports_(context.sms,
                {LinkRate(context.config.request_bytes_per_cycle, context.sector_bytes),
                 UnorderedOccupancy(context.config.request_queue_entries),
                 ReservationTable::for_link(context.config.response_bytes_per_cycle,
                                            context.sector_bytes)}),
      slice_ports_(
          context.map.slices(),
          {ReservationTable::for_link(context.config.slice_bytes_per_cycle, context.sector_bytes),
           ReservationTable::for_link(context.config.slice_bytes_per_cycle, context.sector_bytes)}),
      wave_(observers.wave) {
    for (std::uint32_t sm = 0; sm < context.sms; ++sm) {
        targets[sm].serve_with(*this, static_cast<int>(sm));
        if (wave_ == nullptr) continue;
        const std::string port = "sm_" + std::to_string(sm);
        request_waves_.push_back(wave_->add(this->name(), port + "_request", 1));
        response_waves_.push_back(wave_->add(this->name(), port + "_response", 1));
        id_waves_.push_back(wave_->add(this->name(), port + "_id", kAccessIdBits));
    }
    stats_.register_in(context.statistics);
}

Cycle Crossbar::serve(int sm, tlm::tlm_generic_payload& transaction, AccessInfo* info,
                      Cycle arrival) {
    const bool is_read = transaction.is_read();
    const std::uint32_t bytes = transaction.get_data_length();
    const std::uint32_t slice = map_.slice(transaction.get_address());
    SmPort& sm_port = sm_ports_[static_cast<std::size_t>(sm)];
    SlicePort& slice_port = slice_ports_[slice];
    slice_port.advance(time_.now());
    ++(is_read ? stats_.read_requests : stats_.write_requests);
    (is_read ? stats_.read_bytes : stats_.write_bytes) += bytes;

    const std::uint32_t request_pieces = is_read ? 1 : pieces(bytes);
    const Cycle sent = sm_port.request.take(sm_port.queue.enter(arrival), request_pieces);
    stats_.sm_request_wait_cycles += sent - arrival;
    const Cycle at_slice = std::max(sent + latency_, fifo_ ? sm_port.last_received : 0);
    const Cycle at_port = slice_port.request.reserve(at_slice);
    Cycle received = at_port;
    if (request_pieces > 1) {
        received = slice_port.request.reserve_in_turn(received, request_pieces - 1);
    }
    sm_port.last_received = received;
    stats_.slice_request_wait_cycles += received - at_slice;
    const Cycle ready = initiators[slice].transport(transaction, received, time_);
    // A request without room in the slice stays in its SM's queue.
    sm_port.queue.leave(info == nullptr ? at_port : std::max(at_port, info->accepted));
    if (info != nullptr) info->accepted = sent;
    if (wave_ != nullptr) {
        wave_->pulse(request_waves_[static_cast<std::size_t>(sm)], sent, 1);
        wave_->set(id_waves_[static_cast<std::size_t>(sm)], sent, access_id(info));
    }
    if (transaction.is_response_error()) {
        ++stats_.error_responses;
        return ready;
    }
    if (!is_read) {
        ++stats_.write_acceptances;
        if (info != nullptr && info->atomic == AtomicKind::kFetchAdd) {
            info->return_cycles += latency_;
        }
        return ready;
    }
    slice_port.advance(time_.now());
    sm_port.advance(time_.now());
    const std::uint32_t data_pieces = pieces(bytes);
    const bool multicast = info != nullptr && info->multicast;
    const Cycle left = multicast ? ready : slice_port.response.reserve_in_turn(ready, data_pieces);
    if (multicast) stats_.multicast_bytes += bytes;
    const Cycle back = sm_port.response.reserve_in_turn(left + latency_, data_pieces);
    stats_.slice_response_wait_cycles += left - ready;
    stats_.sm_response_wait_cycles += back - (left + latency_);
    ++stats_.read_responses;
    if (wave_ != nullptr) wave_->pulse(response_waves_[static_cast<std::size_t>(sm)], back, 1);
    return std::max(back, time_.now());
}

unsigned int Crossbar::transport_dbg(int /*sm*/, tlm::tlm_generic_payload& transaction) {
    return debug_by_slice(transaction, map_, initiators);
}

void Crossbar::check(std::vector<std::string>& violations) const {
    stats_.check(name(), violations);
}

}  // namespace tessera
