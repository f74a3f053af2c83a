#include "sc_models/memory/at/l1_cache_at.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/config/engine/config_entries.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

namespace {

/// Flag in the tag of a read, next to the access: the read uses no miss register.
constexpr std::uint64_t kBypass = std::uint64_t{1} << 32U;
/// Tag of a prefetch, in place of an access.
constexpr std::uint32_t kNoAccess = ~std::uint32_t{0};

[[nodiscard]] bool is_prefetch(std::uint64_t tag) {
    return tag == kNoAccess;
}

}  // namespace

L1CacheAt::L1CacheAt(const sc_core::sc_module_name& name, const L1Context& context,
                     const AtContext& at)
    : L1(name),
      target("target"),
      initiator("initiator"),
      config_(context.config),
      policy_(this->name(), context, at.observers.wave),
      stats_(policy_.statistics()),
      geometry_(policy_.geometry()),
      to_below_(config_.miss_latency_cycles / 2),
      from_below_(config_.miss_latency_cycles - to_below_),
      values_(context.values),
      pool_(at.pool),
      mshr_(config_.mshr_entries),
      returns_(std::max(config_.returns_per_cycle, 1U), 1),
      alarm_(at.clock, *this),
      front_end_(target, alarm_, config_.line_bytes, config_.request_queue_entries),
      scratch_(config_.line_bytes) {
    target.register_nb_transport_fw(this, &L1CacheAt::nb_transport_fw);
    target.register_transport_dbg(this, &L1CacheAt::transport_dbg);
    initiator.register_nb_transport_bw(this, &L1CacheAt::nb_transport_bw);
}

tlm::tlm_sync_enum L1CacheAt::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
    const Cycle at = alarm_.cycle_after(delay);
    if (link_.ended(payload, at) && !miss_queue_.empty()) {
        alarm_.at(std::max(at, miss_queue_.front().at));
    }
    if (!brings_response(initiator, phase)) return tlm::TLM_ACCEPTED;
    response_from_below(PooledPayload::of(payload), at);
    phase = tlm::END_RESP;  // equivalent to TLM_COMPLETED, which not every target supports
    return tlm::TLM_UPDATED;
}

void L1CacheAt::response_from_below(PooledPayload& payload, Cycle at) {
    expect_answer(initiator, payload);
    if (payload.is_read()) {
        if (values_ && !is_prefetch(payload.tag)) keep_data(payload);
        const Cycle filled = at + from_below_;
        const std::uint64_t first = geometry_.sector(payload.requested_address());
        host_prefetch(first);
        fills_.push(filled, {first, payload.get_data_length() / geometry_.sector_bytes(),
                             payload.tag, payload.get_response_status(), payload.info().served_by});
        alarm_.at(filled);
    } else {
        const auto index = static_cast<Index>(payload.tag);
        if (AccessInfo* const info = front_end_[index].info;
            info != nullptr && info->atomic != AtomicKind::kNone) {
            info->added = payload.info().added;
            info->return_cycles = payload.info().return_cycles + from_below_;
        }
        if (front_end_.complete_sector(index, at, payload.info().served_by,
                                       payload.get_response_status())) {
            alarm_.at(front_end_[index].done);
        }
        if (keeps(payload)) writes_.erase(std::find(writes_.begin(), writes_.end(), &payload));
    }
    payload.release();
}

void L1CacheAt::evaluate() {
    const Cycle now = alarm_.now();
    // 1. Fills that have returned.
    fills_.drain(now, [this, now](const Fill& fill) { install(fill, now); });
    // 2. Lookups, in order.
    do {
        look_up(now);
    } while (front_end_.accept_blocked(
        now, stats_.queue_full_cycles,
        [this](Payload& payload, Cycle at) { front_end_.send_end_request(payload, at); }));
    // 3. Responses to the LDST unit.
    respond(now);

    const bool more = lookup_cycle_ != now || looked_up_ < config_.banks;
    Cycle next = std::min({fills_.next(), front_end_.next_response(),
                           std::max(front_end_.next_lookup(), more ? now : now + 1)});
    // 4. Misses and writes to the network.
    const Cycle leaves = next_leaves();
    if (leaves > now) {
        next = std::min(next, leaves);
    } else {
        alarm_.request_exchange();
    }
    front_end_.host_prefetch_response();
    alarm_.at(next);
}

void L1CacheAt::exchange_boundary() {
    send(alarm_.now());
    alarm_.at(next_leaves());
}

/// Returns when the next request may leave for the network.
Cycle L1CacheAt::next_leaves() const {
    return miss_queue_.empty() ? kNever : std::max(miss_queue_.front().at, link_.free_at());
}

void L1CacheAt::install(const Fill& fill, Cycle now) {
    for (std::uint32_t i = 0; i < fill.sectors; ++i) {
        if ((fill.tag & kBypass) != 0) {
            complete_sector(static_cast<Index>(fill.tag), fill, fill.served_by, now);
        } else {
            install(fill.first + i, fill, now);
        }
    }
}

/// Installs the sector in the cache and completes it for its waiting accesses.
void L1CacheAt::install(std::uint64_t sector, const Fill& fill, Cycle now) {
    const MshrTableAt::Index mshr = mshr_.find(sector);
    policy_.install(geometry_.line_of_sector(sector), geometry_.bit(sector));
    policy_.report_fill();
    // The level is counted for the access that missed; the others merged.
    ServedBy level = is_prefetch(fill.tag) ? ServedBy::kNone : fill.served_by;
    mshr_.release(mshr, [&](Index index) {
        complete_sector(index, fill, level, now);
        level = ServedBy::kNone;
    });
    policy_.record_registers(now, mshr_.size());
}

/// Completes a sector for an access that waited for it.
void L1CacheAt::complete_sector(Index index, const Fill& fill, ServedBy level, Cycle now) {
    const bool limited = config_.returns_per_cycle != L1Config::kUnlimited;
    front_end_.complete_sector(index, limited ? returns_.take(now, 1) : now, level, fill.status);
}

void L1CacheAt::look_up(Cycle now) {
    if (lookup_cycle_ != now) {
        lookup_cycle_ = now;
        looked_up_ = 0;
    }
    while (looked_up_ < config_.banks && front_end_.has_arrived(now)) {
        const LookupStall stall = look_up_sectors(front_end_.first(), now);
        count_stall(stall, now);
        if (stall != LookupStall::kNone) return;
        finish_lookup(now);
    }
}

void L1CacheAt::count_stall(LookupStall stall, Cycle now) {
    front_end_.set_stall(stall, now, [this](LookupStall before, Cycle cycles) {
        if (before == LookupStall::kMissRegister) stats_.mshr_stall_cycles += cycles;
        if (before == LookupStall::kTargets) stats_.target_stall_cycles += cycles;
        if (before == LookupStall::kMissQueue) stats_.queue_stall_cycles += cycles;
    });
}

LookupStall L1CacheAt::look_up_sectors(Index index, Cycle now) {
    CacheAccess& access = front_end_[index];
    const Payload& payload = *access.payload;
    if (payload.is_write()) return write(index, now);
    const Address begin = payload.get_address();
    const std::uint64_t last = geometry_.sector(begin + payload.get_data_length() - 1);
    access.next = std::max(access.next, geometry_.sector(begin));
    const bool bypass = access.info != nullptr && access.info->bypass_l1;
    for (; access.next <= last; ++access.next, ++looked_up_) {
        const LookupStall stall =
            bypass ? read_bypass(access.next, index, now) : read_sector(access.next, index, now);
        if (stall != LookupStall::kNone) return stall;
    }
    return LookupStall::kNone;
}

LookupStall L1CacheAt::read_sector(std::uint64_t sector, Index index, Cycle now) {
    CacheAccess& access = front_end_[index];
    const SectorMask present = policy_.use(geometry_.line_of_sector(sector));
    if ((present & geometry_.bit(sector)) != 0) {
        policy_.count_hit(sector, now);
        access.serve(now + config_.hit_latency_cycles, ServedBy::kL1);
        if (values_) read_data(sector, payload_of(index));
        return LookupStall::kNone;
    }
    MshrTableAt::Index mshr = mshr_.find(sector);
    if (mshr != MshrTableAt::kNone) {
        if (!policy_.merges(mshr_.targets(mshr), 1)) return LookupStall::kTargets;
        policy_.count_pending_hit(sector, now);
        access.serve(now + config_.hit_latency_cycles, ServedBy::kL1Pending);
        if (values_) read_data(sector, payload_of(index));
    } else {
        if (mshr_.full()) return LookupStall::kMissRegister;
        if (!has_miss_slot(sector, index, now)) return LookupStall::kMissQueue;
        policy_.count_misses(1, false);
        mshr = miss(sector, index, now);
    }
    mshr_.add_target(mshr, index);
    ++access.awaited;
    return LookupStall::kNone;
}

/// Allocates a register for the sector and requests the sector from L2. Returns the register.
MshrTableAt::Index L1CacheAt::miss(std::uint64_t sector, Index index, Cycle now) {
    const MshrTableAt::Index mshr = mshr_.allocate(sector);
    policy_.report_miss(sector);
    send_miss(sector, index, false, now);
    policy_.allocate_on_miss(geometry_.line_of_sector(sector));
    policy_.record_miss(now);
    policy_.record_registers(now, mshr_.size());
    return mshr;
}

/// Shell of L1Policy::prefetch(): misses of no access.
class L1CacheAt::PrefetchShell {
public:
    PrefetchShell(L1CacheAt& cache, Cycle now) : cache_(cache), now_(now) {}
    [[nodiscard]] bool pending(std::uint64_t sector) const {
        return cache_.mshr_.find(sector) != MshrTableAt::kNone;
    }
    [[nodiscard]] bool has_room(std::uint64_t sector) const {
        return !cache_.mshr_.full() && cache_.has_miss_slot(sector, kNoAccess, now_);
    }
    void request(std::uint64_t sector) { cache_.miss(sector, kNoAccess, now_); }

private:
    L1CacheAt& cache_;
    Cycle now_;
};

/// Requests from L2 the sectors predicted after a looked-up read.
void L1CacheAt::prefetch(const CacheAccess& access, Cycle now) {
    const std::uint32_t stream = access.info == nullptr ? 0 : access.info->stream;
    policy_.prefetch(stream, access.payload->get_address(), access.payload->get_data_length(),
                     PrefetchShell(*this, now));
}

/// Read that bypasses the cache.
LookupStall L1CacheAt::read_bypass(std::uint64_t sector, Index index, Cycle now) {
    if (!has_miss_slot(sector, index, now)) return LookupStall::kMissQueue;
    policy_.count_misses(1, true);
    send_miss(sector, index, true, now);
    ++front_end_[index].awaited;
    return LookupStall::kNone;
}

/// Returns whether the sector extends the last read request, made in this cycle for this access.
bool L1CacheAt::joins(std::uint64_t sector, Index index, Cycle now) const {
    return latest_ != nullptr && latest_made_ == now && static_cast<Index>(latest_->tag) == index &&
           policy_.joins(sector, latest_sectors_);
}

/// Requests the sector from L2, in one request with the one before it if both are missed together.
void L1CacheAt::send_miss(std::uint64_t sector, Index index, bool bypass, Cycle now) {
    const std::uint32_t bytes = geometry_.sector_bytes();
    ++stats_.read_sectors_below;
    if (joins(sector, index, now)) {
        latest_->set_data_length(++latest_sectors_.sectors * bytes);
        latest_->set_streaming_width(latest_->get_data_length());
        return;
    }
    // The request has a buffer of its own: the target may write it at any time until its response.
    latest_ = &pool_.acquire(tlm::TLM_READ_COMMAND, geometry_.sector_address(sector),
                             policy_.sectors_per_request() * bytes);
    latest_sectors_ = {sector, 1};
    latest_->set_data_length(bytes);
    latest_->set_streaming_width(bytes);
    latest_->tag = index | (bypass ? kBypass : 0);
    const AccessInfo* const first = front_end_[front_end_.first()].info;
    latest_->info().id = access_id(first);
    latest_->info().multicast = bypass && first != nullptr && first->multicast;
    latest_made_ = now;
    miss_queue_.push({latest_, leaves(*latest_, now)});
    ++stats_.read_requests_below;
}

/// Returns when a request made at `now` may leave.
Cycle L1CacheAt::leaves(const Payload& request, Cycle now) {
    const Cycle ready = now + to_below_;
    return tlb_ ? tlb_->translate(request.get_address(), ready) : ready;
}

/// Writes through to L2, one request for each L2 line touched.
LookupStall L1CacheAt::write(Index index, Cycle now) {
    CacheAccess& access = front_end_[index];
    const Payload& payload = *access.payload;
    const Address begin = payload.get_address();
    const Address end = begin + payload.get_data_length();
    const SectorMask present = policy_.use(geometry_.line(begin));
    for (Address first = std::max(begin, geometry_.sector_address(access.next)); first < end;) {
        if (miss_queue_.size() >= config_.miss_queue_entries) return LookupStall::kMissQueue;
        const std::uint32_t bytes = policy_.write_bytes(first, end);
        PooledPayload& request = pool_.acquire(
            tlm::TLM_WRITE_COMMAND, first,
            values_ ? payload.get_data_ptr() + (first - begin) : scratch_.data(), bytes);
        request.tag = index;
        if (access.info != nullptr) request.info().atomic = access.info->atomic;
        request.info().id = access_id(access.info);
        miss_queue_.push({&request, leaves(request, now)});
        if (keeps(request)) writes_.push_back(&request);
        ++access.awaited;
        const bool atomic = access.info != nullptr && access.info->atomic != AtomicKind::kNone;
        looked_up_ += policy_.write(first, bytes, present, atomic);
        first += bytes;
        access.next = geometry_.sector(first);
    }
    return LookupStall::kNone;
}

void L1CacheAt::finish_lookup(Cycle now) {
    const CacheAccess& access = front_end_[front_end_.first()];
    const Payload& payload = *access.payload;
    (payload.is_read() ? stats_.bytes_read : stats_.bytes_written) += payload.get_data_length();
    if (access.info != nullptr) access.info->accepted = now;
    policy_.record_access(now, access_id(access.info));
    const bool bypass = access.info != nullptr && access.info->bypass_l1;
    if (policy_.prefetches() && payload.is_read() && !bypass) prefetch(access, now);
    front_end_.finish_lookup(now);
}

Cycle L1CacheAt::sector_ready(Address address) const {
    const std::uint64_t sector = geometry_.sector(address);
    if (policy_.holds(sector)) return 0;
    return mshr_.find(sector) == MshrTableAt::kNone ? kNever : kOnItsWay;
}

void L1CacheAt::send(Cycle now) {
    while (!miss_queue_.empty() && miss_queue_.front().at <= now && link_.open(now)) {
        PooledPayload& payload = *miss_queue_.pop().payload;
        if (&payload == latest_) latest_ = nullptr;
        const Cycle answered = link_.send(initiator, payload, alarm_);
        if (answered != kNever) response_from_below(payload, answered);
        if (front_end_.stall() == LookupStall::kMissQueue) alarm_.at(now);
    }
}

void L1CacheAt::respond(Cycle now) {
    front_end_.finish_responses(now);
    while (Payload* const response = front_end_.pop_response(now)) {
        front_end_.send_response(*response);
    }
}

void L1CacheAt::invalidate() {
    expect_idle();
    policy_.invalidate();
}

void L1CacheAt::resize(std::uint32_t capacity_bytes) {
    expect_idle();
    policy_.resize(capacity_bytes);
}

void L1CacheAt::expect_idle() const {
    if (!idle()) SC_REPORT_FATAL(name(), "invalidated while accesses are under way");
}

void L1CacheAt::describe_waiting(std::vector<std::string>& lines) const {
    front_end_.describe_queue(name(), "accesses", "the crossbar", lines);
    if (mshr_.size() > 0) {
        lines.push_back(fmt::format("{}: {} sectors awaited from below", name(), mshr_.size()));
    }
    if (const auto* request = link_.waiting()) {
        lines.push_back(fmt::format("{}: the {} of {:#x}, and {} behind it, wait for END_REQ",
                                    name(), request->is_read() ? "read" : "write",
                                    request->get_address(), miss_queue_.size()));
    }
    front_end_.describe_responses(name(), lines);
}

void L1CacheAt::check(std::vector<std::string>& violations) const {
    policy_.check(name(), mshr_.size(), violations);
}

}  // namespace tessera
