#include "sc_models/memory/at/l2_slice_at.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "sc_models/config/engine/config_entries.h"
#include "sc_models/memory/core/overlap.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

L2SliceAt::L2SliceAt(const sc_core::sc_module_name& name, const L2Context& context,
                     const AtContext& at)
    : sc_module(name),
      target("target"),
      initiator("initiator"),
      config_(context.config),
      index_(context.index),
      geometry_("l2", context.config.line_bytes, context.config.sector_bytes),
      to_below_(context.config.hit_latency_cycles / 2),
      from_below_(context.config.hit_latency_cycles - to_below_),
      map_(context.map),
      values_(context.values),
      pool_(at.pool),
      tags_(context.config.sets_per_slice, context.config.ways, context.config.set_hash,
            context.config.replacement),
      mshr_(context.config.mshr_entries),
      alarm_(at.clock, *this),
      front_end_(target, alarm_, context.config.line_bytes, context.config.request_queue_entries),
      atomics_(context.config, context.statistics),
      wave_(at.observers.wave) {
    target.register_nb_transport_fw(this, &L2SliceAt::nb_transport_fw);
    target.register_transport_dbg(this, &L2SliceAt::transport_dbg);
    initiator.register_nb_transport_bw(this, &L2SliceAt::nb_transport_bw);
    stats_.register_in(context.statistics);
    context.statistics.counter("held_cycles", blocked_cycles_, "cycles",
                               "requests waited because the queue before the lookup was full");
    context.statistics.counter(
        "queue_stall_cycles", queue_stall_cycles_, "cycles",
        "requests waited for room among those to DRAM or those not answered");
    if (wave_ != nullptr) {
        wave_hits_ = wave_->add(this->name(), "hits", 6);
        wave_misses_ = wave_->add(this->name(), "misses", 6);
        wave_mshr_ = wave_->add(this->name(), "mshr_occupancy", 16);
        wave_id_ = wave_->add(this->name(), "id", kAccessIdBits);
    }
}

tlm::tlm_sync_enum L2SliceAt::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    const Cycle at = alarm_.cycle_after(delay);
    if (link_.ended(payload, at)) alarm_.at(at);
    if (!brings_response(initiator, phase)) return tlm::TLM_ACCEPTED;
    response_from_below(PooledPayload::of(payload), at);
    phase = tlm::END_RESP;  // equivalent to TLM_COMPLETED, which not every target supports
    return tlm::TLM_UPDATED;
}

void L2SliceAt::response_from_below(PooledPayload& payload, Cycle at) {
    expect_answer(initiator, payload);
    if (payload.is_read()) {
        const Cycle filled = at + from_below_;
        mshr_.host_prefetch_entry(static_cast<MshrTableAt::Index>(payload.tag));
        fills_.push(filled,
                    {static_cast<MshrTableAt::Index>(payload.tag), payload.get_response_status()});
        alarm_.at(filled);
    } else {
        if (payload.is_response_error()) SC_REPORT_FATAL(name(), "a write-back was refused");
        --writes_below_;
        if (values_) settle(payload);
    }
    payload.release();
}

void L2SliceAt::evaluate() {
    const Cycle now = alarm_.now();
    // 1. Fills that have returned.
    fills_.drain(now, [this, now](const Fill& fill) { install(fill, now); });
    // 2. Lookups, in order.
    do {
        look_up(now);
    } while (front_end_.accept_blocked(now, blocked_cycles_, [this](Payload& payload, Cycle at) {
        taken_ = &payload;
        taken_at_ = at;
    }));
    // 3. Misses and write-backs to DRAM.
    send(now);
    // 4. Responses to the network.
    Cycle next = std::min(fills_.next(), front_end_.next_lookup());
    front_end_.finish_responses(now);
    const Cycle response = front_end_.next_response();
    if (taken_ != nullptr || response <= now) alarm_.request_exchange();
    if (response > now) next = std::min(next, response);
    Cycle leaves = kNever;
    if (!fetches_.empty()) leaves = fetches_.front().at;
    if (!write_backs_.empty()) leaves = std::min(leaves, write_backs_.front().at);
    next = std::min(next, std::max(leaves, link_.free_at()));
    if (front_end_.stall() == LookupStall::kAtomicUnit) next = std::min(next, atomic_unit_free_);
    front_end_.host_prefetch_response();
    alarm_.at(next);
}

void L2SliceAt::exchange_boundary() {
    if (taken_ != nullptr) {
        front_end_.send_end_request(*std::exchange(taken_, nullptr), taken_at_);
    }
    respond(alarm_.now());
    alarm_.at(front_end_.next_response());
}

/// Installs the sector and completes it for its waiting accesses.
void L2SliceAt::install(const Fill& fill, Cycle now) {
    const std::uint64_t sector = mshr_.sector(fill.mshr);
    ++stats_.fills;
    allocate(sector, mshr_.dirty(fill.mshr), now);
    mshr_.release(fill.mshr, [&](Index index) {
        // The serving level was recorded at the lookup.
        front_end_.complete_sector(index, now, ServedBy::kNone, fill.status);
    });
    if (wave_ != nullptr) wave_->set(wave_mshr_, now, mshr_.size());
}

void L2SliceAt::look_up(Cycle now) {
    while (front_end_.has_arrived(now)) {
        const LookupStall stall = look_up_sectors(front_end_.first(), now);
        count_stall(stall, now);
        if (stall != LookupStall::kNone) return;
        finish_lookup(now);
    }
}

void L2SliceAt::count_stall(LookupStall stall, Cycle now) {
    front_end_.set_stall(stall, now, [this](LookupStall before, Cycle cycles) {
        if (before == LookupStall::kMissRegister) {
            stats_.mshr_stall_cycles += cycles;
        } else if (before == LookupStall::kAtomicUnit) {
            atomics_.count_wait(cycles);
        } else {
            queue_stall_cycles_ += cycles;
        }
    });
}

LookupStall L2SliceAt::look_up_sectors(Index index, Cycle now) {
    CacheAccess& access = front_end_[index];
    const Payload& payload = *access.payload;
    if (payload.is_read() && unanswered_reads_ >= config_.response_queue_entries) {
        return LookupStall::kResponses;
    }
    const bool atomic =
        atomics_.limited() && payload.is_write() && atomic_kind(payload) != AtomicKind::kNone;
    if (atomic && atomic_unit_free_ > now) return LookupStall::kAtomicUnit;
    const Address begin = map_.slice_local(payload.get_address());
    const Address end = begin + payload.get_data_length();
    const std::uint64_t last = geometry_.sector(end - 1);
    access.next = std::max(access.next, geometry_.sector(begin));
    for (; access.next <= last; ++access.next) {
        const std::uint64_t sector = access.next;
        LookupStall stall = LookupStall::kNone;
        if (payload.is_read()) {
            stall = read_sector(sector, index, now);
        } else {
            const bool full = begin <= geometry_.sector_address(sector) &&
                              end >= geometry_.sector_address(sector + 1);
            stall = write_sector(sector, full, index, now);
        }
        if (stall != LookupStall::kNone) return stall;
    }
    if (atomic) {
        atomics_.count(payload.get_data_length());
        atomic_unit_free_ = now + atomics_.cycles(payload.get_data_length());
        access.done = std::max(access.done, atomic_unit_free_);
    }
    return LookupStall::kNone;
}

LookupStall L2SliceAt::read_sector(std::uint64_t sector, Index index, Cycle now) {
    CacheAccess& access = front_end_[index];
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
            const LookupStall stall = fetch(sector, now, mshr);
            if (stall != LookupStall::kNone) return stall;
            ++stats_.read_misses;
            access.serve(now, ServedBy::kDram);
        }
        mshr_.add_target(mshr, index);
        ++access.awaited;
    }
    ++stats_.reads;
    return LookupStall::kNone;
}

LookupStall L2SliceAt::write_sector(std::uint64_t sector, bool full, Index index, Cycle now) {
    CacheAccess& access = front_end_[index];
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
            return LookupStall::kMissQueue;
        }
        ++stats_.write_allocations;
        allocate(sector, true, now);
        access.serve(now, ServedBy::kL2);
    } else {
        const LookupStall stall = fetch(sector, now, mshr);
        if (stall != LookupStall::kNone) return stall;
        ++stats_.write_fetches;
        mshr_.mark_dirty(mshr);
        access.serve(now, ServedBy::kDram);
    }
    ++stats_.writes;
    return LookupStall::kNone;
}

/// Allocates a register and queues the fetch of the sector from DRAM, if there is room for both.
LookupStall L2SliceAt::fetch(std::uint64_t sector, Cycle now, MshrTableAt::Index& mshr) {
    if (mshr_.full()) return LookupStall::kMissRegister;
    if (fetches_.size() + write_backs_.size() >= config_.miss_queue_entries) {
        return LookupStall::kMissQueue;
    }
    mshr = mshr_.allocate(sector);
    const std::uint64_t id = access_id(front_end_[front_end_.first()].info);
    fetches_.push({sector, now + to_below_, mshr, id});
    ++stats_.fetch_requests_below;
    if (wave_ != nullptr) {
        wave_->pulse(wave_misses_, now, 1);
        wave_->set(wave_mshr_, now, mshr_.size());
    }
    return LookupStall::kNone;
}

/// Makes the sector valid; dirty sectors it evicts go to DRAM.
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

void L2SliceAt::finish_lookup(Cycle now) {
    const CacheAccess& access = front_end_[front_end_.first()];
    Payload& payload = *access.payload;
    if (wave_ != nullptr) wave_->set(wave_id_, now, access_id(access.info));
    (payload.is_read() ? stats_.bytes_read : stats_.bytes_written) += payload.get_data_length();
    if (payload.is_read()) ++unanswered_reads_;
    if (values_) move_data(payload);
    front_end_.finish_lookup(now);
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
        if (front_end_.stall() == LookupStall::kMissQueue) alarm_.at(now);
    }
}

void L2SliceAt::send_fetch() {
    const Fetch fetch = fetches_.pop();
    PooledPayload& payload =
        pool_.acquire(tlm::TLM_READ_COMMAND, global(fetch.sector), geometry_.sector_bytes());
    payload.tag = fetch.mshr;
    payload.info().id = fetch.id;
    const Cycle answered = link_.send(initiator, payload, alarm_);
    if (answered != kNever) response_from_below(payload, answered);
}

void L2SliceAt::send_write_back() {
    const WriteBack write_back = write_backs_.pop();
    const std::uint32_t bytes = geometry_.sector_bytes();
    PooledPayload& payload =
        pool_.acquire(tlm::TLM_WRITE_COMMAND, global(write_back.sector), bytes);
    if (values_) {
        // The memory below has the newest bytes already; the write-back rewrites them.
        payload.set_read();
        (void)debug_below(payload);
        payload.set_write();
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        sent_write_backs_.push_back(
            {&payload, {payload.get_data_ptr(), payload.get_data_ptr() + bytes}});
    }
    ++writes_below_;
    const Cycle answered = link_.send(initiator, payload, alarm_);
    if (answered != kNever) response_from_below(payload, answered);
}

void L2SliceAt::respond(Cycle now) {
    while (Payload* const response = front_end_.pop_response(now)) {
        if (response->is_read()) {
            --unanswered_reads_;
        } else if (auto* const info = access_info_of(*response)) {
            answer_atomic(*info, config_.hit_latency_cycles);
        }
        front_end_.send_response(*response);
        if (front_end_.stall() == LookupStall::kResponses) alarm_.at(now);
    }
}

/// Moves the data of a request; the tags control timing, and the memory below holds the bytes.
void L2SliceAt::move_data(Payload& payload) {
    atomics_.move_data(payload, [&](tlm::tlm_command command, unsigned char* data) {
        PooledPayload& request =
            pool_.acquire(command, payload.get_address(), data, payload.get_data_length());
        if (debug_below(request) != payload.get_data_length()) {
            SC_REPORT_FATAL(name(), "the memory behind does not answer transport_dbg");
        }
        request.release();
    });
}

/// transport_dbg as if all sent write-backs had been executed.
unsigned L2SliceAt::debug_below(Payload& payload) {
    const Address address = payload.get_address();
    unsigned char* const data = payload.get_data_ptr();
    const unsigned moved = initiator->transport_dbg(payload);
    payload.set_address(address);
    for (SentWriteBack& sent : sent_write_backs_) {
        const Address sector = sent.payload->requested_address();
        const auto bytes = static_cast<std::uint32_t>(sent.newest.size());
        if (payload.is_read()) {
            copy_overlap(sector, sent.newest.data(), bytes, address, data, moved);
        } else {
            copy_overlap(address, data, moved, sector, sent.newest.data(), bytes);
        }
    }
    return moved;
}

/// Completes a write-back: rewrites later changes of its sector that it has overwritten in memory.
void L2SliceAt::settle(const PooledPayload& write_back) {
    const auto found = std::find_if(
        sent_write_backs_.begin(), sent_write_backs_.end(),
        [&write_back](const SentWriteBack& sent) { return sent.payload == &write_back; });
    std::vector<unsigned char> newest = std::move(found->newest);
    sent_write_backs_.erase(found);
    if (std::equal(newest.begin(), newest.end(), write_back.get_data_ptr())) return;
    PooledPayload& request =
        pool_.acquire(tlm::TLM_WRITE_COMMAND, write_back.requested_address(), newest.data(),
                      static_cast<std::uint32_t>(newest.size()));
    (void)debug_below(request);
    request.release();
}

unsigned int L2SliceAt::transport_dbg(Payload& payload) {
    return debug_below(payload);
}

void L2SliceAt::describe_waiting(std::vector<std::string>& lines) const {
    front_end_.describe_queue(name(), "requests", "DRAM", lines);
    if (mshr_.size() > 0) {
        lines.push_back(fmt::format("{}: {} sectors awaited from DRAM", name(), mshr_.size()));
    }
    if (const auto* request = link_.waiting()) {
        lines.push_back(fmt::format("{}: a {} of {:#x} waits for DRAM's END_REQ", name(),
                                    request->is_read() ? "fetch" : "write-back",
                                    request->get_address()));
    }
    front_end_.describe_responses(name(), lines);
}

void L2SliceAt::check(std::vector<std::string>& violations) const {
    stats_.check(name(), mshr_.size(), violations);
}

}  // namespace tessera
