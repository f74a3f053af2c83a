#include "sc_models/memory/at/l1_cache_at.h"
#include "sc_models/config/config_entries.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>

#include "sc_models/tlm/transaction.h"

namespace tessera {

namespace {

/// In the note of a read, beside the access that asks for it: no register waits for it.
constexpr std::uint64_t kBypass = std::uint64_t{1} << 32U;

}  // namespace

L1CacheAt::L1CacheAt(const sc_core::sc_module_name& name, const L1Config& config,
                     std::uint32_t capacity_bytes, std::uint32_t lower_line_bytes,
                     CycleTicker& ticker, bool values, PayloadPool& pool, StatGroup& stats,
                     Observers observers)
    : sc_module(name),
      target("target"),
      initiator("initiator"),
      config_(taken(config)),
      geometry_("l1", config.line_bytes, config.sector_bytes),
      to_below_(config.miss_latency_cycles / 2),
      from_below_(config.miss_latency_cycles - to_below_),
      below_bytes_(std::min(config.line_bytes.get(), lower_line_bytes)),
      values_(values),
      pool_(pool),
      tags_(config.sets(capacity_bytes), config.ways, config.set_hash),
      mshr_(config.mshr_entries),
      returns_(std::max(config.returns_per_cycle.get(), 1U), 1),
      alarm_(ticker, *this),
      scratch_(config.line_bytes),
      wave_(observers.wave) {
    target.register_nb_transport_fw(this, &L1CacheAt::nb_transport_fw);
    target.register_transport_dbg(this, &L1CacheAt::transport_dbg);
    initiator.register_nb_transport_bw(this, &L1CacheAt::nb_transport_bw);
    stats_.register_in(stats);
    stats.counter("held_cycles", held_cycles_, "cycles",
                  "accesses waited because the queue before the lookup was full");
    stats.counter("queue_stall_cycles", queue_stall_cycles_, "cycles",
                  "accesses waited for room among the requests to the crossbar");
    if (wave_ != nullptr) {
        waves_ = {wave_->add(this->name(), "accesses", 6), wave_->add(this->name(), "hits", 6),
                  wave_->add(this->name(), "pending_hits", 6),
                  wave_->add(this->name(), "misses", 6),
                  wave_->add(this->name(), "mshr_occupancy", 16)};
    }
}

tlm::tlm_sync_enum L1CacheAt::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
        response_link_.ended(payload, alarm_.cycle_after(delay));
        alarm_.at(response_link_.free_at());
        return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ) {
        SC_REPORT_FATAL(name(), "unknown phase on the forward path");
        return tlm::TLM_COMPLETED;
    }
    if (const auto status = verdict(payload, geometry_.line_bytes());
        status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
        return tlm::TLM_COMPLETED;
    }
    const Cycle arrival = alarm_.cycle_after(delay);
    if (queue_.size() >= config_.request_queue_entries) {
        held_ = &payload;
        held_since_ = arrival;
        return tlm::TLM_ACCEPTED;
    }
    enqueue(payload, arrival);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void L1CacheAt::enqueue(Payload& payload, Cycle arrival) {
    queue_.push(accesses_.add(payload, arrival, geometry_.sector(payload.get_address())));
    if (queue_.size() == 1) alarm_.at(arrival);
}

tlm::tlm_sync_enum L1CacheAt::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    const Cycle at = alarm_.cycle_after(delay);
    if (link_.waiting() == &payload) {
        link_.ended(payload, at);
        if (!below_.empty()) alarm_.at(std::max(at, below_.front().at));
    }
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    if (phase != tlm::BEGIN_RESP) SC_REPORT_FATAL(name(), "unknown phase on the backward path");
    response_from_below(PooledPayload::of(payload), at);
    return tlm::TLM_COMPLETED;
}

void L1CacheAt::response_from_below(PooledPayload& payload, Cycle at) {
    expect_answer(initiator, payload);
    if (payload.is_read()) {
        if (values_) keep_data(payload);
        const Cycle filled = at + from_below_;
        fills_.push(filled, {geometry_.sector(payload.get_address()),
                             payload.get_data_length() / geometry_.sector_bytes(), payload.note,
                             payload.get_response_status(), payload.info().served_by});
        alarm_.at(filled);
    } else {
        const auto index = static_cast<AccessTable::Index>(payload.note);
        CacheAccess& access = accesses_[index];
        access.serve(at, payload.info().served_by);
        if (payload.is_response_error()) access.status = payload.get_response_status();
        if (--access.awaited == 0 && access.looked_up) {
            responses_.push(access.done, index);
            alarm_.at(access.done);
        }
        if (keeps(payload)) writes_.erase(std::find(writes_.begin(), writes_.end(), &payload));
    }
    payload.release();
}

void L1CacheAt::evaluate() {
    const Cycle now = alarm_.now();
    // 1. Fills whose way back is over.
    fills_.drain(now, [this, now](const Fill& fill) { install(fill, now); });
    // 2. Lookups, in order.
    do {
        look_up(now);
    } while (take_held(now));
    // 3. Misses and writes to the crossbar.
    send(now);
    // 4. Responses to the LDST unit.
    respond(now);

    Cycle next = std::min(fills_.next(), responses_.next());
    if (!queue_.empty() && stall_ == Stall::kNone) {
        const bool more = lookup_cycle_ != now || looked_up_ < config_.banks;
        next = std::min(next, std::max(accesses_[queue_.front()].arrival, more ? now : now + 1));
    }
    if (!below_.empty() && link_.free_at() != kNever) {
        next = std::min(next, std::max(below_.front().at, link_.free_at()));
    }
    if (!due_.empty()) next = std::min(next, response_link_.free_at());
    alarm_.at(next);
}

void L1CacheAt::install(const Fill& fill, Cycle now) {
    for (std::uint32_t i = 0; i < fill.sectors; ++i) {
        if ((fill.note & kBypass) != 0) {
            give(static_cast<AccessTable::Index>(fill.note), fill, fill.served_by, now);
        } else {
            install(fill.first + i, fill, now);
        }
    }
}

/// The sector is in the cache, and whoever waited for it gets it.
void L1CacheAt::install(std::uint64_t sector, const Fill& fill, Cycle now) {
    const MshrTableAt::Index mshr = mshr_.find(sector);
    allocate(sector, geometry_.bit(sector));
    ++stats_.fills;
    if (watcher_ != nullptr) watcher_->on_sector_filled();
    ServedBy level = fill.served_by;  // of the access that missed; the others merged
    mshr_.release(mshr, [&](AccessTable::Index index) {
        give(index, fill, level, now);
        level = ServedBy::kNone;
    });
    if (wave_ != nullptr) wave_->set(waves_.mshr_occupancy, now, mshr_.size());
}

/// A sector the access waited for is here.
void L1CacheAt::give(AccessTable::Index index, const Fill& fill, ServedBy level, Cycle now) {
    CacheAccess& access = accesses_[index];
    const bool limited = config_.returns_per_cycle != L1Config::kUnlimited;
    access.serve(limited ? returns_.take(now, 1) : now, level);
    if (fill.status != tlm::TLM_OK_RESPONSE) access.status = fill.status;
    if (--access.awaited == 0 && access.looked_up) responses_.push(access.done, index);
}

void L1CacheAt::look_up(Cycle now) {
    if (lookup_cycle_ != now) {
        lookup_cycle_ = now;
        looked_up_ = 0;
    }
    while (!queue_.empty() && accesses_[queue_.front()].arrival <= now &&
           looked_up_ < config_.banks) {
        const AccessTable::Index index = queue_.front();
        const Stall stall = look_up_sectors(index, now);
        note_stall(stall, now);
        if (stall != Stall::kNone) return;
        queue_.pop();
        finish_lookup(index, now);
    }
}

void L1CacheAt::note_stall(Stall stall, Cycle now) {
    if (stall == stall_) return;
    const Cycle cycles = now - stalled_since_;
    if (stall_ == Stall::kMissRegister) stats_.mshr_stall_cycles += cycles;
    if (stall_ == Stall::kTargets) stats_.target_stall_cycles += cycles;
    if (stall_ == Stall::kMissQueue) queue_stall_cycles_ += cycles;
    stall_ = stall;
    stalled_since_ = now;
}

L1CacheAt::Stall L1CacheAt::look_up_sectors(AccessTable::Index index, Cycle now) {
    CacheAccess& access = accesses_[index];
    const Payload& payload = *access.payload;
    if (payload.is_write()) return write(index, now);
    const std::uint64_t last =
        geometry_.sector(payload.get_address() + payload.get_data_length() - 1);
    const bool bypass = access.info != nullptr && access.info->bypass_l1;
    for (; access.next <= last; ++access.next, ++looked_up_) {
        const Stall stall =
            bypass ? read_past(access.next, index, now) : read_sector(access.next, index, now);
        if (stall != Stall::kNone) return stall;
    }
    return Stall::kNone;
}

L1CacheAt::Stall L1CacheAt::read_sector(std::uint64_t sector, AccessTable::Index index, Cycle now) {
    CacheAccess& access = accesses_[index];
    const SectorMask present = tags_.probe(geometry_.line_of_sector(sector));
    if ((present & geometry_.bit(sector)) != 0) {
        ++stats_.reads;
        ++stats_.read_hits;
        access.serve(now + config_.hit_latency_cycles, ServedBy::kL1);
        if (values_) read_data(sector, payload_of(index));
        if (wave_ != nullptr) wave_->pulse(waves_.hits, now, 1);
        return Stall::kNone;
    }
    MshrTableAt::Index mshr = mshr_.find(sector);
    if (mshr != MshrTableAt::kNone) {
        if (mshr_.targets(mshr) >= config_.mshr_targets) return Stall::kTargets;
        ++stats_.read_pending_hits;
        access.serve(now + config_.hit_latency_cycles, ServedBy::kL1Pending);
        if (values_) read_data(sector, payload_of(index));
        if (wave_ != nullptr) wave_->pulse(waves_.pending_hits, now, 1);
    } else {
        if (mshr_.full()) return Stall::kMissRegister;
        if (!may_ask(sector, index, now)) return Stall::kMissQueue;
        mshr = mshr_.allocate(sector);
        if (watcher_ != nullptr) watcher_->on_sector_missed(geometry_.sector_address(sector));
        ask_below(sector, index, false, now);
        if (config_.allocation == L1Allocation::kOnMiss) allocate(sector, 0);
        if (wave_ != nullptr) {
            wave_->pulse(waves_.misses, now, 1);
            wave_->set(waves_.mshr_occupancy, now, mshr_.size());
        }
    }
    ++stats_.reads;
    mshr_.add_target(mshr, index);
    ++access.awaited;
    return Stall::kNone;
}

/// A read that leaves the cache as it is.
L1CacheAt::Stall L1CacheAt::read_past(std::uint64_t sector, AccessTable::Index index, Cycle now) {
    if (!may_ask(sector, index, now)) return Stall::kMissQueue;
    ask_below(sector, index, true, now);
    ++stats_.reads;
    ++stats_.bypasses;
    ++accesses_[index].awaited;
    return Stall::kNone;
}

/// Whether the read made last asks, in this cycle and for this access, for what lies right before
/// the sector, and may grow.
bool L1CacheAt::joins(std::uint64_t sector, AccessTable::Index index, Cycle now) const {
    if (latest_ == nullptr || latest_made_ != now) return false;
    const Address address = geometry_.sector_address(sector);
    return static_cast<AccessTable::Index>(latest_->note) == index &&
           latest_->get_address() + latest_->get_data_length() == address &&
           (address & (below_bytes_ - 1)) != 0 &&
           latest_->get_data_length() < config_.sectors_per_request * geometry_.sector_bytes();
}

/// Asks L2 for the sector, with the one before it if both are missed together.
void L1CacheAt::ask_below(std::uint64_t sector, AccessTable::Index index, bool bypass, Cycle now) {
    const std::uint32_t bytes = geometry_.sector_bytes();
    ++stats_.read_misses;
    ++stats_.read_sectors_below;
    if (joins(sector, index, now)) {
        latest_->set_data_length(latest_->get_data_length() + bytes);
        latest_->set_streaming_width(latest_->get_data_length());
        return;
    }
    // Bytes of its own: the target may write them at any time until its response.
    latest_ = &pool_.acquire(tlm::TLM_READ_COMMAND, geometry_.sector_address(sector),
                             config_.sectors_per_request * bytes);
    latest_->set_data_length(bytes);
    latest_->set_streaming_width(bytes);
    latest_->note = index | (bypass ? kBypass : 0);
    latest_made_ = now;
    below_.push({latest_, now + to_below_});
    ++stats_.read_requests_below;
}

/// Goes through to L2, its bytes of each of L2's lines at once.
L1CacheAt::Stall L1CacheAt::write(AccessTable::Index index, Cycle now) {
    CacheAccess& access = accesses_[index];
    const Payload& payload = *access.payload;
    const Address begin = payload.get_address();
    const Address end = begin + payload.get_data_length();
    const SectorMask present = tags_.probe(geometry_.line(begin));
    for (Address first = std::max(begin, geometry_.sector_address(access.next)); first < end;) {
        if (below_.size() >= config_.miss_queue_entries) return Stall::kMissQueue;
        const auto bytes =
            static_cast<std::uint32_t>(std::min(end, (first | (below_bytes_ - 1)) + 1) - first);
        PooledPayload& request = pool_.acquire(
            tlm::TLM_WRITE_COMMAND, first,
            values_ ? payload.get_data_ptr() + (first - begin) : scratch_.data(), bytes);
        request.note = index;
        if (access.info != nullptr) request.info().atomic = access.info->atomic;
        below_.push({&request, now + to_below_});
        if (keeps(request)) writes_.push_back(&request);
        ++access.awaited;
        looked_up_ += stats_.count_write(geometry_.sectors(first, bytes), present, bytes);
        first += bytes;
        access.next = geometry_.sector(first);
    }
    return Stall::kNone;
}

void L1CacheAt::finish_lookup(AccessTable::Index index, Cycle now) {
    CacheAccess& access = accesses_[index];
    const Payload& payload = *access.payload;
    access.looked_up = true;
    (payload.is_read() ? stats_.bytes_read : stats_.bytes_written) += payload.get_data_length();
    if (access.info != nullptr) access.info->accepted = now;
    if (wave_ != nullptr) wave_->pulse(waves_.accesses, now, 1);
    if (access.awaited == 0) responses_.push(std::max(access.done, now), index);
}

/// Gives the sector's line a way, with `valid` sectors added.
void L1CacheAt::allocate(std::uint64_t sector, SectorMask valid) {
    const auto victim = tags_.fill(geometry_.line_of_sector(sector), valid, 0);
    stats_.evictions += static_cast<std::uint64_t>(__builtin_popcount(victim.valid));
    if (watcher_ != nullptr && victim.valid != 0) {
        watcher_->on_line_lost(victim.line * geometry_.line_bytes());
    }
}

Cycle L1CacheAt::sector_ready(Address address) const {
    const std::uint64_t sector = geometry_.sector(address);
    if ((tags_.valid(geometry_.line_of_sector(sector)) & geometry_.bit(sector)) != 0) return 0;
    return mshr_.find(sector) == MshrTableAt::kNone ? kNever : kOnItsWay;
}

void L1CacheAt::send(Cycle now) {
    while (!below_.empty() && below_.front().at <= now && link_.open(now)) {
        PooledPayload& payload = *below_.pop().payload;
        if (&payload == latest_) latest_ = nullptr;
        const Cycle answered = link_.send(initiator, payload, alarm_);
        if (answered != kNever) response_from_below(payload, answered);
        if (stall_ == Stall::kMissQueue) alarm_.at(now);
    }
}

void L1CacheAt::respond(Cycle now) {
    responses_.drain(now, [this](AccessTable::Index index) { due_.push(index); });
    while (!due_.empty() && response_link_.open(now)) {
        const AccessTable::Index index = due_.pop();
        const CacheAccess& access = accesses_[index];
        Payload& payload = *access.payload;
        if (access.info != nullptr) access.info->served_by = access.served_by;
        payload.set_response_status(access.status);
        accesses_.remove(index);
        response_link_.send(target, payload, alarm_);
    }
}

/// Lets the request at the socket into the queue, if it has room.
bool L1CacheAt::take_held(Cycle now) {
    if (held_ == nullptr || queue_.size() >= config_.request_queue_entries) return false;
    Payload& payload = *held_;
    const Cycle arrival = std::max(now, held_since_);
    held_cycles_ += arrival - held_since_;
    held_ = nullptr;
    enqueue(payload, arrival);
    send_end_request(target, payload, alarm_.delay_to(arrival));
    return stall_ == Stall::kNone;
}

/// What an access reads of a sector that is here. The tags decide that it is; the bytes are kept
/// in the memory behind.
void L1CacheAt::read_data(std::uint64_t sector, const Payload& access) {
    const Address begin = access.get_address();
    const Address first = std::max(begin, geometry_.sector_address(sector));
    const Address end =
        std::min(begin + access.get_data_length(), geometry_.sector_address(sector + 1));
    unsigned char* const data = access.get_data_ptr() + (first - begin);
    const auto bytes = static_cast<std::uint32_t>(end - first);
    PooledPayload& request = pool_.acquire(tlm::TLM_READ_COMMAND, first, data, bytes);
    if (initiator->transport_dbg(request) != bytes) {
        SC_REPORT_FATAL(name(), "the memory behind does not answer transport_dbg");
    }
    request.release();
    lay_own_writes_over(first, data, bytes);
}

/// What a read brought from below goes to the access that asked for it.
void L1CacheAt::keep_data(const PooledPayload& read) {
    const Payload& access = payload_of(static_cast<AccessTable::Index>(read.note));
    const Address first = std::max<Address>(access.get_address(), read.get_address());
    const Address end = std::min<Address>(access.get_address() + access.get_data_length(),
                                          read.get_address() + read.get_data_length());
    std::memcpy(access.get_data_ptr() + (first - access.get_address()),
                read.get_data_ptr() + (first - read.get_address()), end - first);
}

/// Writes that the memory behind has not got yet, oldest first.
void L1CacheAt::lay_own_writes_over(Address address, unsigned char* data,
                                    std::uint32_t bytes) const {
    for (const Payload* write : writes_) {
        const Address from = std::max(address, Address{write->get_address()});
        const Address to =
            std::min(address + bytes, Address{write->get_address()} + write->get_data_length());
        if (from >= to) continue;
        std::memcpy(data + (from - address), write->get_data_ptr() + (from - write->get_address()),
                    to - from);
    }
}

unsigned int L1CacheAt::transport_dbg(Payload& payload) {
    const unsigned moved = initiator->transport_dbg(payload);
    if (payload.is_read()) {
        lay_own_writes_over(payload.get_address(), payload.get_data_ptr(), moved);
    }
    return moved;
}

void L1CacheAt::invalidate() {
    if (!idle()) SC_REPORT_FATAL(name(), "invalidated while accesses are under way");
    tags_.invalidate();
}

void L1CacheAt::resize(std::uint32_t capacity_bytes) {
    invalidate();
    const std::uint32_t sets = config_.sets(capacity_bytes);
    if (sets != tags_.sets()) tags_ = SectorTags(sets, config_.ways, config_.set_hash);
}

void L1CacheAt::describe_waiting(std::vector<std::string>& lines) const {
    constexpr const char* kReasons[] = {"its turn", "a free miss register",
                                        "a miss register that serves its most accesses",
                                        "room among the requests to the crossbar"};
    if (!queue_.empty()) {
        lines.push_back(fmt::format("{}: {} accesses queued{}; the first, of {:#x}, waits for {}",
                                    name(), queue_.size(),
                                    held_ != nullptr ? ", one more waits" : "",
                                    accesses_[queue_.front()].payload->get_address(),
                                    kReasons[static_cast<std::size_t>(stall_)]));
    }
    if (mshr_.size() > 0) {
        lines.push_back(fmt::format("{}: {} sectors awaited from below", name(), mshr_.size()));
    }
    if (const auto* request = link_.waiting()) {
        lines.push_back(fmt::format("{}: the {} of {:#x}, and {} behind it, wait for END_REQ",
                                    name(), request->is_read() ? "read" : "write",
                                    request->get_address(), below_.size()));
    }
    if (const auto* response = response_link_.waiting()) {
        lines.push_back(fmt::format("{}: {} responses wait for the END_RESP of {:#x}", name(),
                                    due_.size(), response->get_address()));
    }
}

void L1CacheAt::check(std::vector<std::string>& violations) const {
    stats_.check(name(), mshr_.size(), violations);
}

}  // namespace tessera
