#include "sc_models/memory/at/dram_channel_at.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/host_memory.h"
#include "sc_models/memory/at/access_table.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

DramChannelAt::DramChannelAt(const sc_core::sc_module_name& name, const DramContext& context,
                             std::uint32_t sockets, const AtContext& at)
    : sc_module(name),
      targets("target", sockets),
      sector_bytes_(context.sector_bytes),
      to_banks_(context.config.controller_latency_cycles / 2),
      from_banks_(context.config.controller_latency_cycles - to_banks_),
      to_dram_(at.clock.ticker.clock().frequency_mhz(), context.config.clock_mhz),
      to_core_(context.config.clock_mhz, at.clock.ticker.clock().frequency_mhz()),
      map_(context.map),
      image_(context.image),
      values_(context.values),
      scheduler_(context.config, context.sector_bytes),
      alarm_(at.clock, *this),
      capacity_(scheduler_.capacity() +
                ceil_div(to_dram_.convert(to_banks_), scheduler_.burst_cycles())),
      read_capacity_(capacity_ + 1 +
                     ceil_div(to_dram_.convert(from_banks_), scheduler_.burst_cycles())),
      wave_(at.observers.wave) {
    for (std::uint32_t i = 0; i < sockets; ++i) {
        const int tag = static_cast<int>(i);
        targets[i].register_nb_transport_fw(this, &DramChannelAt::nb_transport_fw, tag);
        targets[i].register_transport_dbg(this, &DramChannelAt::transport_dbg, tag);
        ports_.emplace_back(targets[i], alarm_);
    }
    stats_.register_in(context.statistics);
    context.statistics.counter("held_cycles", blocked_cycles_, "cycles",
                               "requests waited because it was full");
    if (at.observers.dram != nullptr) {
        log_ = std::make_unique<DramCommandLog>(*at.observers.dram, context.config,
                                                context.sector_bytes, [] {});
        scheduler_.set_log(*log_);
    }
    if (wave_ != nullptr) {
        data_bus_ = wave_->add(this->name(), "data_bus", 1);
        row_miss_ = wave_->add(this->name(), "row_miss", 1);
        id_ = wave_->add(this->name(), "id", kAccessIdBits);
    }
}

bool DramChannelAt::full() const {
    return arriving_.size() + scheduler_.size() >= capacity_ || unanswered_reads_ >= read_capacity_;
}

tlm::tlm_sync_enum DramChannelAt::nb_transport_fw(int socket, Payload& payload,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const auto index = static_cast<std::uint32_t>(socket);
    TargetPort& port = ports_[index];
    if (!port.brings_request(payload, phase, delay, sector_bytes_)) return tlm::TLM_COMPLETED;
    if (values_) move_data(payload);
    const Cycle arrival = alarm_.cycle_after(delay);
    if (full() || port.blocked_request) return port.blocked_request.stall(payload, arrival);
    accept(index, payload, arrival);
    return payload.is_write() ? tlm::TLM_COMPLETED : accept_request(phase);
}

/// Accepts a request, which is now on its way to the queue; a write is complete.
void DramChannelAt::accept(std::uint32_t socket, Payload& payload, Cycle arrival) {
    const bool read = payload.is_read();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    AccessInfo* const info = access_info_of(payload);
    if (info != nullptr) info->served_by = ServedBy::kDram;
    ++(read ? accepted_reads_ : accepted_writes_);
    if (read) ++unanswered_reads_;
    arriving_.push({read ? &payload : nullptr, map_.channel_local(payload.get_address()),
                    payload.get_data_length(), socket, to_dram_.convert(arrival + to_banks_),
                    access_id(info)});
    if (arriving_.size() == 1) alarm_.at(next_commands());
}

void DramChannelAt::evaluate() {
    const Cycle now = alarm_.now();
    // 1. Commands of all DRAM cycles up to now.
    schedule_commands(now);
    // 2. Responses whose data has returned.
    respond(now);
    // 3. Requests blocked for lack of room.
    accept_blocked(now);

    Cycle next = next_commands();
    if (!returning_.empty()) next = std::min(next, returning_.front().at);
    for (const TargetPort& port : ports_) next = std::min(next, port.next_response());
    alarm_.at(next);
}

void DramChannelAt::schedule_commands(Cycle now) {
    // DRAM cycle t is processed at the first core cycle that does not begin before it.
    for (;;) {
        Cycle at = scheduler_.next(commands_from_);
        if (next_finds_room()) {
            at = std::min(at, std::max(arriving_.front().at_queue, commands_from_));
        }
        if (at == kNever || to_core_.convert(at) > now) return;
        commands_from_ = at;
        if (log_) log_->advance(at);
        while (next_finds_room() && arriving_.front().at_queue <= at) {
            if (free_ids_.empty()) {
                free_ids_.push_back(queued_.size());
                queued_.emplace_back();
            }
            const std::uint64_t id = free_ids_.back();
            free_ids_.pop_back();
            queued_[id] = arriving_.pop();
            scheduler_.push(id, queued_[id].address, queued_[id].payload == nullptr);
        }
        scheduler_.step(at, [this](const DramScheduler::Served& served) { serve(served); });
    }
}

/// Returns whether the next request to arrive at the queue finds room there.
bool DramChannelAt::next_finds_room() const {
    return !arriving_.empty() && !scheduler_.full(arriving_.front().payload == nullptr);
}

/// Returns the core cycle of the next command, or of the next arrival at the queue.
Cycle DramChannelAt::next_commands() const {
    Cycle at = scheduler_.next(commands_from_);
    if (next_finds_room()) at = std::min(at, arriving_.front().at_queue);
    return at == kNever ? kNever : to_core_.convert(at);
}

void DramChannelAt::serve(const DramScheduler::Served& served) {
    const Request& request = queued_[served.id];
    const bool read = request.payload != nullptr;
    ++(read ? stats_.reads : stats_.writes);
    (read ? stats_.bytes_read : stats_.bytes_written) += request.bytes;
    stats_.count(served.row);
    stats_.turnarounds = scheduler_.turnarounds();
    stats_.bus_busy_cycles += scheduler_.burst_cycles();
    const Cycle data_end = to_core_.convert(served.data_end);
    if (read) returning_.push({request.payload, request.socket, data_end + from_banks_});
    if (log_) log_->column(request.address, !read, served.data_end, request.id);
    free_ids_.push_back(served.id);
    if (wave_ != nullptr) {
        const Cycle begin = to_core_.convert(served.data_end - scheduler_.burst_cycles());
        wave_->pulse(data_bus_, begin, data_end - begin);
        wave_->set(id_, begin, request.id);
        if (served.row != RowOutcome::kHit) wave_->pulse(row_miss_, begin, 1);
    }
}

void DramChannelAt::accept_blocked(Cycle now) {
    for (std::size_t i = 0; i < ports_.size() && !full(); ++i) {
        const std::uint32_t socket = next_port_;
        next_port_ = next_port_ + 1 == ports_.size() ? 0 : next_port_ + 1;
        TargetPort& port = ports_[socket];
        if (!port.blocked_request) continue;
        const auto [payload, arrival] = port.blocked_request.accept(now, blocked_cycles_);
        accept(socket, payload, arrival);
        if (payload.is_write()) port.push_response(payload);
        port.send_end_request(payload, arrival);
    }
}

void DramChannelAt::respond(Cycle now) {
    while (!returning_.empty() && returning_.front().at <= now) {
        const Response response = returning_.pop();
        // The next payload has not been accessed for a DRAM latency.
        if (!returning_.empty()) host_prefetch_line(returning_.front().payload);
        ports_[response.socket].push_response(*response.payload);
    }
    for (TargetPort& port : ports_) {
        while (Payload* const response = port.pop_response(now)) {
            if (response->is_read()) --unanswered_reads_;
            port.send_response(*response);
        }
    }
}

void DramChannelAt::move_data(Payload& payload) {
    if (payload.is_read()) {
        image_.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    } else {
        image_.write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    }
}

unsigned int DramChannelAt::transport_dbg(int /*socket*/, Payload& payload) {
    if (!payload.is_read() && !payload.is_write()) return 0;
    move_data(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return payload.get_data_length();
}

std::size_t DramChannelAt::outstanding() const {
    std::size_t count = arriving_.size() + scheduler_.size() + returning_.size();
    for (const TargetPort& port : ports_) {
        count += port.outstanding() + (port.waiting() != nullptr ? 1 : 0);
    }
    return count;
}

void DramChannelAt::describe_waiting(std::vector<std::string>& lines) const {
    if (arriving_.size() + scheduler_.size() > 0) {
        lines.push_back(fmt::format("{}: {} requests on their way to the banks, {} in the queue",
                                    name(), arriving_.size(), scheduler_.size()));
    }
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        const TargetPort& port = ports_[i];
        const std::string socket = fmt::format("{}: socket {}", name(), i);
        if (port.blocked_request) {
            lines.push_back(fmt::format("{}: a request of {:#x} waits for room", socket,
                                        port.blocked_request.payload().get_address()));
        }
        port.describe_responses(socket, lines);
    }
}

void DramChannelAt::check(std::vector<std::string>& violations) const {
    stats_.check(name(), scheduler_.burst_cycles(), violations);
}

}  // namespace tessera
