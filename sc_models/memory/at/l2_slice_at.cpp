#include "sc_models/memory/at/l2_slice_at.h"
#include "sc_models/config/config_entries.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/tlm/transaction.h"

namespace tessera {

L2SliceAt::L2SliceAt(const sc_core::sc_module_name& name, const L2Config& config,
                     std::uint32_t index, CycleTicker& ticker, const AddressMap& map, bool values,
                     PayloadPool& pool, StatGroup& stats, Observers observers)
    : sc_module(name),
      target("target"),
      initiator("initiator"),
      config_(taken(config)),
      index_(index),
      geometry_("l2", config.line_bytes, config.sector_bytes),
      to_below_(config.hit_latency_cycles / 2),
      from_below_(config.hit_latency_cycles - to_below_),
      map_(map),
      values_(values),
      pool_(pool),
      tags_(config.sets_per_slice, config.ways, config.set_hash),
      mshr_(config.mshr_entries),
      alarm_(ticker, *this),
      atomics_(config, stats),
      wave_(observers.wave) {
    target.register_nb_transport_fw(this, &L2SliceAt::nb_transport_fw);
    target.register_transport_dbg(this, &L2SliceAt::transport_dbg);
    initiator.register_nb_transport_bw(this, &L2SliceAt::nb_transport_bw);
    stats_.register_in(stats);
    stats.counter("held_cycles", held_cycles_, "cycles",
                  "requests waited because the queue before the lookup was full");
    stats.counter("queue_stall_cycles", queue_stall_cycles_, "cycles",
                  "requests waited for room among those to DRAM or those not answered");
    if (wave_ != nullptr) {
        wave_hits_ = wave_->add(this->name(), "hits", 6);
        wave_misses_ = wave_->add(this->name(), "misses", 6);
        wave_mshr_ = wave_->add(this->name(), "mshr_occupancy", 16);
    }
}

tlm::tlm_sync_enum L2SliceAt::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
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

void L2SliceAt::enqueue(Payload& payload, Cycle arrival) {
    const Address begin = map_.slice_local(payload.get_address());
    queue_.push(accesses_.add(payload, arrival, geometry_.sector(begin)));
    if (queue_.size() == 1) alarm_.at(arrival);
}

tlm::tlm_sync_enum L2SliceAt::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    const Cycle at = alarm_.cycle_after(delay);
    if (link_.waiting() == &payload) {
        link_.ended(payload, at);
        alarm_.at(at);
    }
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    if (phase != tlm::BEGIN_RESP) SC_REPORT_FATAL(name(), "unknown phase on the backward path");
    response_from_below(PooledPayload::of(payload), at);
    return tlm::TLM_COMPLETED;
}

void L2SliceAt::response_from_below(PooledPayload& payload, Cycle at) {
    expect_answer(initiator, payload);
    if (payload.is_read()) {
        const Cycle filled = at + from_below_;
        fills_.push(filled,
                    {static_cast<MshrTableAt::Index>(payload.note), payload.get_response_status()});
        alarm_.at(filled);
    } else {
        if (payload.is_response_error()) SC_REPORT_FATAL(name(), "a write-back was refused");
        --writes_below_;
    }
    payload.release();
}

void L2SliceAt::evaluate() {
    const Cycle now = alarm_.now();
    // 1. Fills whose way back is over.
    fills_.drain(now, [this, now](const Fill& fill) { install(fill, now); });
    // 2. Lookups, in order.
    do {
        look_up(now);
    } while (take_held(now));
    // 3. Misses and write-backs to DRAM.
    send(now);
    // 4. Responses to the crossbar.
    respond(now);

    Cycle next = std::min(fills_.next(), responses_.next());
    if (!queue_.empty() && stall_ == Stall::kNone) {
        next = std::min(next, accesses_[queue_.front()].arrival);
    }
    Cycle leaves = kNever;
    if (!fetches_.empty()) leaves = fetches_.front().at;
    if (!write_backs_.empty()) leaves = std::min(leaves, write_backs_.front().at);
    if (leaves != kNever && link_.free_at() != kNever) {
        next = std::min(next, std::max(leaves, link_.free_at()));
    }
    if (stall_ == Stall::kAtomicUnit) next = std::min(next, atomic_unit_free_);
    if (!due_.empty()) next = std::min(next, response_link_.free_at());
    alarm_.at(next);
}

/// The sector is valid, and whoever waited for it has it.
void L2SliceAt::install(const Fill& fill, Cycle now) {
    const std::uint64_t sector = mshr_.sector(fill.mshr);
    ++stats_.fills;
    allocate(sector, mshr_.dirty(fill.mshr), now);
    mshr_.release(fill.mshr, [&](AccessTable::Index index) {
        CacheAccess& access = accesses_[index];
        access.serve(now, ServedBy::kNone);  // said at the lookup
        if (fill.status != tlm::TLM_OK_RESPONSE) access.status = fill.status;
        if (--access.awaited == 0 && access.looked_up) {
            responses_.push(access.done, index);
        }
    });
    if (wave_ != nullptr) wave_->set(wave_mshr_, now, mshr_.size());
}

void L2SliceAt::look_up(Cycle now) {
    while (!queue_.empty() && accesses_[queue_.front()].arrival <= now) {
        const AccessTable::Index index = queue_.front();
        const Stall stall = look_up_sectors(index, now);
        if (stall != stall_) {
            const Cycle cycles = now - stalled_since_;
            if (stall_ == Stall::kMissRegister) {
                stats_.mshr_stall_cycles += cycles;
            } else if (stall_ == Stall::kAtomicUnit) {
                atomics_.count_wait(cycles);
            } else if (stall_ != Stall::kNone) {
                queue_stall_cycles_ += cycles;
            }
            stall_ = stall;
            stalled_since_ = now;
        }
        if (stall != Stall::kNone) return;
        queue_.pop();
        finish_lookup(index, now);
    }
}

L2SliceAt::Stall L2SliceAt::look_up_sectors(AccessTable::Index index, Cycle now) {
    CacheAccess& access = accesses_[index];
    const Payload& payload = *access.payload;
    if (payload.is_read() && unanswered_reads_ >= config_.response_queue_entries) {
        return Stall::kResponses;
    }
    const bool atomic =
        atomics_.limited() && payload.is_write() && atomic_kind(payload) != AtomicKind::kNone;
    if (atomic && atomic_unit_free_ > now) return Stall::kAtomicUnit;
    const Address begin = map_.slice_local(payload.get_address());
    const Address end = begin + payload.get_data_length();
    const std::uint64_t last = geometry_.sector(end - 1);
    for (; access.next <= last; ++access.next) {
        const std::uint64_t sector = access.next;
        Stall stall = Stall::kNone;
        if (payload.is_read()) {
            stall = read_sector(sector, index, now);
        } else {
            const bool full = begin <= geometry_.sector_address(sector) &&
                              end >= geometry_.sector_address(sector + 1);
            stall = write_sector(sector, full, index, now);
        }
        if (stall != Stall::kNone) return stall;
    }
    if (atomic) {
        atomics_.count(payload.get_data_length());
        atomic_unit_free_ = now + atomics_.cycles(payload.get_data_length());
        access.done = std::max(access.done, atomic_unit_free_);
    }
    return Stall::kNone;
}

L2SliceAt::Stall L2SliceAt::read_sector(std::uint64_t sector, AccessTable::Index index, Cycle now) {
    CacheAccess& access = accesses_[index];
    const SectorMask present = tags_.probe(geometry_.line_of_sector(sector));
    if ((present & geometry_.bit(sector)) != 0) {
        ++stats_.read_hits;
        access.serve(now + config_.hit_latency_cycles, ServedBy::kL2);
        if (wave_ != nullptr) wave_->pulse(wave_hits_, now, 1);
    } else {
        MshrTableAt::Index mshr = mshr_.find(sector);
        if (mshr != MshrTableAt::kNone) {
            ++stats_.read_pending_hits;
            access.serve(now + config_.hit_latency_cycles, ServedBy::kL2Pending);
        } else {
            const Stall stall = fetch(sector, now, mshr);
            if (stall != Stall::kNone) return stall;
            ++stats_.read_misses;
            access.serve(now, ServedBy::kDram);
        }
        mshr_.add_target(mshr, index);
        ++access.awaited;
    }
    ++stats_.reads;
    return Stall::kNone;
}

L2SliceAt::Stall L2SliceAt::write_sector(std::uint64_t sector, bool full, AccessTable::Index index,
                                         Cycle now) {
    CacheAccess& access = accesses_[index];
    const LineNumber line = geometry_.line_of_sector(sector);
    const SectorMask bit = geometry_.bit(sector);
    if ((tags_.probe(line) & bit) != 0) {
        ++stats_.write_hits;
        tags_.mark_dirty(line, bit);
        access.serve(now, ServedBy::kL2);
    } else if (MshrTableAt::Index mshr = mshr_.find(sector); mshr != MshrTableAt::kNone) {
        ++stats_.write_pending_hits;
        mshr_.mark_dirty(mshr);
        access.serve(now, ServedBy::kL2Pending);
    } else if (full) {
        if (fetches_.size() + write_backs_.size() >= config_.miss_queue_entries) {
            return Stall::kMissQueue;
        }
        ++stats_.write_allocations;
        allocate(sector, true, now);
        access.serve(now, ServedBy::kL2);
    } else {
        const Stall stall = fetch(sector, now, mshr);
        if (stall != Stall::kNone) return stall;
        ++stats_.write_fetches;
        mshr_.mark_dirty(mshr);
        access.serve(now, ServedBy::kDram);
    }
    ++stats_.writes;
    return Stall::kNone;
}

/// Takes a register and asks DRAM for the sector, if there is room for both.
L2SliceAt::Stall L2SliceAt::fetch(std::uint64_t sector, Cycle now, MshrTableAt::Index& mshr) {
    if (mshr_.full()) return Stall::kMissRegister;
    if (fetches_.size() + write_backs_.size() >= config_.miss_queue_entries) {
        return Stall::kMissQueue;
    }
    mshr = mshr_.allocate(sector);
    fetches_.push({sector, now + to_below_, mshr});
    ++stats_.fetch_requests_below;
    if (wave_ != nullptr) {
        wave_->pulse(wave_misses_, now, 1);
        wave_->set(wave_mshr_, now, mshr_.size());
    }
    return Stall::kNone;
}

/// Makes the sector valid; dirty sectors it displaces go to DRAM.
void L2SliceAt::allocate(std::uint64_t sector, bool dirty, Cycle now) {
    const SectorMask bit = geometry_.bit(sector);
    const auto victim =
        tags_.fill(geometry_.line_of_sector(sector), bit, dirty ? bit : SectorMask{0});
    if (victim.valid == 0) return;
    stats_.evictions += static_cast<std::uint64_t>(__builtin_popcount(victim.valid));
    stats_.dirty_evictions += static_cast<std::uint64_t>(__builtin_popcount(victim.dirty));
    for (std::uint32_t left = victim.dirty; left != 0; left &= left - 1) {
        const auto index = static_cast<std::uint32_t>(__builtin_ctz(left));
        write_backs_.push({geometry_.first_sector(victim.line) + index, now});
        ++stats_.write_backs_below;
    }
}

void L2SliceAt::finish_lookup(AccessTable::Index index, Cycle now) {
    CacheAccess& access = accesses_[index];
    Payload& payload = *access.payload;
    access.looked_up = true;
    (payload.is_read() ? stats_.bytes_read : stats_.bytes_written) += payload.get_data_length();
    if (payload.is_read()) ++unanswered_reads_;
    if (values_) move_data(payload);
    if (access.awaited == 0) responses_.push(std::max(access.done, now), index);
}

void L2SliceAt::send(Cycle now) {
    while (link_.open(now)) {
        const Cycle fetch = fetches_.empty() ? kNever : fetches_.front().at;
        const Cycle write_back = write_backs_.empty() ? kNever : write_backs_.front().at;
        if (std::min(fetch, write_back) > now) return;
        if (fetch <= write_back) {
            send_fetch();
        } else {
            send_write_back();
        }
        if (stall_ == Stall::kMissQueue) alarm_.at(now);
    }
}

void L2SliceAt::send_fetch() {
    const Fetch fetch = fetches_.pop();
    PooledPayload& payload =
        pool_.acquire(tlm::TLM_READ_COMMAND, global(fetch.sector), geometry_.sector_bytes());
    payload.note = fetch.mshr;
    const Cycle answered = link_.send(initiator, payload, alarm_);
    if (answered != kNever) response_from_below(payload, answered);
}

void L2SliceAt::send_write_back() {
    const WriteBack write_back = write_backs_.pop();
    const std::uint32_t bytes = geometry_.sector_bytes();
    PooledPayload& payload =
        pool_.acquire(tlm::TLM_WRITE_COMMAND, global(write_back.sector), bytes);
    if (values_) {
        // The memory behind has the newest bytes already; it must get the same ones again.
        payload.set_read();
        initiator->transport_dbg(payload);
        payload.set_write();
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
    ++writes_below_;
    const Cycle answered = link_.send(initiator, payload, alarm_);
    if (answered != kNever) response_from_below(payload, answered);
}

void L2SliceAt::respond(Cycle now) {
    responses_.drain(now, [this](AccessTable::Index index) { due_.push(index); });
    while (!due_.empty() && response_link_.open(now)) {
        const AccessTable::Index index = due_.pop();
        const CacheAccess& access = accesses_[index];
        Payload& payload = *access.payload;
        if (access.info != nullptr) access.info->served_by = access.served_by;
        payload.set_response_status(access.status);
        if (payload.is_read()) --unanswered_reads_;
        accesses_.remove(index);
        response_link_.send(target, payload, alarm_);
        if (stall_ == Stall::kResponses) alarm_.at(now);
    }
}

/// Lets the request at the socket into the queue, if it has room.
bool L2SliceAt::take_held(Cycle now) {
    if (held_ == nullptr || queue_.size() >= config_.request_queue_entries) return false;
    Payload& payload = *held_;
    const Cycle arrival = std::max(now, held_since_);
    held_cycles_ += arrival - held_since_;
    held_ = nullptr;
    enqueue(payload, arrival);
    send_end_request(target, payload, alarm_.delay_to(arrival));
    return stall_ == Stall::kNone;
}

/// The tags decide when the bytes are here; they are kept in the memory behind.
void L2SliceAt::move_data(Payload& payload) {
    const unsigned bytes = payload.get_data_length();
    const auto move = [&](tlm::tlm_command command, unsigned char* data) {
        PooledPayload& request = pool_.acquire(command, payload.get_address(), data, bytes);
        if (initiator->transport_dbg(request) != bytes) {
            SC_REPORT_FATAL(name(), "the memory behind does not answer transport_dbg");
        }
        request.release();
    };
    if (payload.is_write() && atomic_kind(payload) != AtomicKind::kNone) {
        atomics_.add(payload, move);
    } else {
        move(payload.get_command(), payload.get_data_ptr());
    }
}

unsigned int L2SliceAt::transport_dbg(Payload& payload) {
    return initiator->transport_dbg(payload);
}

void L2SliceAt::describe_waiting(std::vector<std::string>& lines) const {
    constexpr const char* kReasons[] = {"its turn", "a free miss register",
                                        "room among the requests to DRAM",
                                        "room among the reads not answered", "the atomic-add unit"};
    if (!queue_.empty()) {
        lines.push_back(fmt::format("{}: {} requests queued{}; the first, of {:#x}, waits for {}",
                                    name(), queue_.size(),
                                    held_ != nullptr ? ", one more waits" : "",
                                    accesses_[queue_.front()].payload->get_address(),
                                    kReasons[static_cast<std::size_t>(stall_)]));
    }
    if (mshr_.size() > 0) {
        lines.push_back(fmt::format("{}: {} sectors awaited from DRAM", name(), mshr_.size()));
    }
    if (const auto* request = link_.waiting()) {
        lines.push_back(fmt::format("{}: a {} of {:#x} waits for DRAM's END_REQ", name(),
                                    request->is_read() ? "fetch" : "write-back",
                                    request->get_address()));
    }
    if (const auto* response = response_link_.waiting()) {
        lines.push_back(fmt::format("{}: {} responses wait for the END_RESP of {:#x}", name(),
                                    due_.size(), response->get_address()));
    }
}

void L2SliceAt::check(std::vector<std::string>& violations) const {
    stats_.check(name(), mshr_.size(), violations);
}

}  // namespace tessera
