#include "sc_models/memory/lt/l1_cache.h"

#include <algorithm>

namespace tessera {

L1Cache::L1Cache(const sc_core::sc_module_name& name, const L1Context& context,
                 const ClockDomain& clock, Observers observers)
    : L1(name),
      target("target"),
      initiator("initiator"),
      policy_(this->name(), context, observers.wave),
      stats_(policy_.statistics()),
      geometry_(policy_.geometry()),
      time_(clock),
      misses_(context.config, geometry_, initiator, time_),
      mshr_(misses_.registers()),
      hit_latency_(context.config.hit_latency_cycles),
      banks_(context.config.banks),
      values_(context.values),
      queue_(context.config.request_queue_entries) {
    target.serve_with(*this);
}

Cycle L1Cache::serve(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle called_for) {
    const std::uint64_t called = time_.present();
    const CallGate::Pass pass(gate_);
    const Cycle arrival = time_.sample_again(called_for, called);
    mshr_.drain(time_.now(), [this](const MshrTableLt::Entry& entry) { install(entry); });

    misses_.begin(access_id(info));
    const Cycle entered = queue_.enter(arrival);
    stats_.queue_full_cycles += entered - arrival;
    begin_lookup(entered);
    AccessProgress access;
    access.multicast = info != nullptr && info->multicast;
    access.looked_up = access.done = lookup_cycle_;
    const Address begin = transaction.get_address();
    const std::uint32_t bytes = transaction.get_data_length();
    if (transaction.is_read()) {
        const bool bypass = info != nullptr && info->bypass_l1;
        read(geometry_.sector(begin), geometry_.sector(begin + bytes - 1), bypass, access);
        misses_.end_awaited();
        if (policy_.prefetches() && !bypass) prefetch(transaction, info, access);
        stats_.bytes_read += bytes;
        // The tags control timing, and the memory below holds the bytes.
        if (values_) misses_.move(tlm::TLM_READ_COMMAND, begin, transaction.get_data_ptr(), bytes);
    } else {
        const AtomicKind atomic = info != nullptr ? info->atomic : AtomicKind::kNone;
        write(transaction, atomic, access);
        misses_.end_awaited();
        if (atomic != AtomicKind::kNone) misses_.answer_atomic(*info);
    }
    queue_.leave(access.looked_up);
    policy_.record_access(access.looked_up, access_id(info));
    if (info != nullptr) {
        info->accepted = entered;
        info->served_by = access.served_by;
    }
    transaction.set_response_status(access.status);
    return misses_.finish(access.done, info);
}

/// Sets the lookup cycle of the next access: after those before it, not before `arrival`.
void L1Cache::begin_lookup(Cycle arrival) {
    if (arrival <= lookup_cycle_ && looked_up_ < banks_) return;
    lookup_cycle_ = std::max(arrival, lookup_cycle_ + 1);
    looked_up_ = 0;
}

/// Stalls the lookup, and all behind it, until `until`.
void L1Cache::stall_lookup(Cycle until, std::uint64_t& stall_cycles, AccessProgress& access) {
    if (until <= access.looked_up) return;
    stall_cycles += until - access.looked_up;
    access.looked_up = lookup_cycle_ = until;
    looked_up_ = 0;
}

/// Looks up sectors of one line.
void L1Cache::read(std::uint64_t first, std::uint64_t last, bool bypass, AccessProgress& access) {
    SectorRun run;
    run.bypass = bypass;
    run.multicast = access.multicast;
    const LineNumber line = geometry_.line_of_sector(first);
    if (!bypass) run.present = policy_.use(line);
    const auto sectors = static_cast<std::uint32_t>(last - first) + 1;
    const SectorMask bits = geometry_.bits(first, sectors);
    const auto missing = static_cast<SectorMask>(bits & ~run.present);
    if (missing == 0 && policy_.serves_hits_together()) {
        policy_.count_hits(sectors);
        access.serve(access.looked_up + hit_latency_, ServedBy::kL1);
        looked_up_ += sectors;
        return;
    }
    MshrTableLt::Entry* pending = bypass ? nullptr : mshr_.find(line, missing);
    if (missing == bits && pending == nullptr && miss_line(first, sectors, run, access)) return;
    for (std::uint64_t sector = first; sector <= last; ++sector) {
        if (sectors > 1 && !bypass) pending = mshr_.find(line, geometry_.bit(sector));
        if (bypass || !read_here(sector, pending, run, access)) {
            policy_.count_misses(1, bypass);
            miss(sector, run, access);
        }
        ++looked_up_;
    }
    if (run.sectors != 0) fetch(run, access);
}

/// Fast path: all sectors miss and fit one request. Returns false, without effect, if not
/// applicable.
bool L1Cache::miss_line(std::uint64_t first, std::uint32_t sectors, SectorRun& run,
                        AccessProgress& access) {
    if (run.bypass || !policy_.sends_misses_together() || !policy_.fits_request(first, sectors) ||
        mshr_.size() + sectors > mshr_.capacity()) {
        return false;
    }
    policy_.count_misses(sectors, false);
    run.first = first;
    run.sectors = sectors;
    looked_up_ += sectors - 1;
    // A full request leaves with its last sector's lookup, another one after it.
    const bool full = sectors == policy_.sectors_per_request();
    if (full) fetch(run, access);
    ++looked_up_;
    if (!full) fetch(run, access);
    return true;
}

/// Serves a sector that is present, or pending in `pending`; returns false if it is neither.
bool L1Cache::read_here(std::uint64_t sector, MshrTableLt::Entry* pending, SectorRun& run,
                        AccessProgress& access) {
    const SectorMask bit = geometry_.bit(sector);
    if ((run.present & bit) == 0) {
        if (pending == nullptr) return false;
        const LineNumber line = geometry_.line_of_sector(sector);
        if (run.sectors != 0) {
            fetch(run, access);
            pending = mshr_.find(line, bit);
        }
        const bool merges = policy_.merges(pending->targets, pending->count());
        if (pending->open() && misses_.know_fill(access.looked_up, merges)) {
            pending = mshr_.find(line, bit);
        }
        if (pending->open() || pending->ready > access.looked_up) {
            if (merges) {
                ++pending->targets;
                policy_.count_pending_hit(sector, access.looked_up);
                access.serve(std::max(access.looked_up + hit_latency_, misses_.returned(*pending)),
                             ServedBy::kL1Pending);
                return true;
            }
            stall_lookup(pending->ready, stats_.target_stall_cycles, access);
        }
        // The fill is complete by then, only not installed yet: a hit.
    }
    policy_.count_hit(sector, access.looked_up);
    access.serve(access.looked_up + hit_latency_, ServedBy::kL1);
    return true;
}

/// Adds the sector to the current request, or begins another; takes a register, waiting for a free
/// one.
void L1Cache::miss(std::uint64_t sector, SectorRun& run, AccessProgress& access) {
    const bool registers = run.bypass || mshr_.size() + run.sectors < mshr_.capacity();
    if (run.sectors != 0 && (!registers || !policy_.joins(sector, run))) fetch(run, access);
    while (!run.bypass && mshr_.full()) {
        misses_.know_first_fill();
        const MshrTableLt::Entry freed = mshr_.pop_earliest();
        install(freed);
        stall_lookup(freed.ready, stats_.mshr_stall_cycles, access);
        run.present = policy_.valid(geometry_.line_of_sector(sector));
    }
    if (run.sectors == 0) run.first = sector;
    ++run.sectors;
    if (!run.bypass) policy_.report_miss(sector);
    if (run.sectors == policy_.sectors_per_request()) fetch(run, access);
}

/// Requests the sectors of the run, which must not be empty, from L2, and empties it.
void L1Cache::fetch(SectorRun& run, AccessProgress& access) {
    stats_.count_read_below(run.sectors);
    wait_for_room(access);
    const std::uint64_t ready = misses_.read(run, access.looked_up, access);
    if (!run.bypass) {
        policy_.record_misses(run.sectors, access.looked_up, ready);
        policy_.allocate_on_miss(geometry_.line_of_sector(run.first));
    }
    run.sectors = 0;
}

/// Shell of L1Policy::prefetch(): misses of no access, whose lookups take no time. Requests that
/// would have to wait are dropped.
class L1Cache::PrefetchShell {
public:
    /// `access` is a copy that is discarded.
    PrefetchShell(L1Cache& cache, AccessProgress access) : cache_(cache), access_(access) {
        run_.prefetch = true;
    }
    [[nodiscard]] bool pending(std::uint64_t sector) {
        if (sector - run_.first < run_.sectors) return true;  // predicted twice
        if (!cache_.policy_.joins(sector, run_)) finish();
        const LineNumber line = cache_.geometry_.line_of_sector(sector);
        return cache_.mshr_.find(line, cache_.geometry_.bit(sector)) != nullptr;
    }
    [[nodiscard]] bool has_room(std::uint64_t /*sector*/) {
        const Cycle now = access_.looked_up;
        return cache_.mshr_.size() + run_.sectors != cache_.mshr_.capacity() &&
               (run_.sectors != 0 || cache_.misses_.room(now) <= now);
    }
    void request(std::uint64_t sector) { cache_.miss(sector, run_, access_); }
    void finish() {
        if (run_.sectors != 0) cache_.fetch(run_, access_);
    }

private:
    L1Cache& cache_;
    AccessProgress access_;
    SectorRun run_;
};

/// Requests from L2 the sectors predicted after `read`, which has been looked up.
void L1Cache::prefetch(const tlm::tlm_generic_payload& read, const AccessInfo* info,
                       const AccessProgress& access) {
    PrefetchShell shell(*this, access);
    policy_.prefetch(info == nullptr ? 0 : info->stream, read.get_address(), read.get_data_length(),
                     shell);
    shell.finish();
}

/// Writes through to L2, one request for each L2 line touched.
void L1Cache::write(const tlm::tlm_generic_payload& transaction, AtomicKind atomic,
                    AccessProgress& access) {
    const Address begin = transaction.get_address();
    const Address end = begin + transaction.get_data_length();
    const SectorMask present = policy_.use(geometry_.line(begin));
    for (Address first = begin; first < end;) {
        L1MissPort::Write part{first, policy_.write_bytes(first, end), nullptr, atomic};
        if (values_) part.data = transaction.get_data_ptr() + (first - begin);
        wait_for_room(access);
        misses_.write(part, access.looked_up, access);
        looked_up_ += policy_.write(first, part.bytes, present, atomic != AtomicKind::kNone);
        first += part.bytes;
    }
    stats_.bytes_written += end - begin;
}

Cycle L1Cache::sector_ready(Address address) const {
    const std::uint64_t sector = geometry_.sector(address);
    if (policy_.holds(sector)) return 0;
    const MshrTableLt::Entry* const pending =
        misses_.registers().find(geometry_.line_of_sector(sector), geometry_.bit(sector));
    if (pending == nullptr) return kNever;
    return pending->ready <= time_.now() ? 0 : pending->ready;
}

unsigned int L1Cache::transport_dbg(int /*port*/, tlm::tlm_generic_payload& transaction) {
    return initiator->transport_dbg(transaction);
}

void L1Cache::invalidate() {
    mshr_.drain(kNever, [this](const MshrTableLt::Entry& entry) { install(entry); });
    policy_.invalidate();
}

void L1Cache::resize(std::uint32_t capacity_bytes) {
    mshr_.drain(kNever, [this](const MshrTableLt::Entry& entry) { install(entry); });
    policy_.resize(capacity_bytes);
}

void L1Cache::check(std::vector<std::string>& violations) const {
    policy_.check(name(), mshr_.size(), violations);
}

}  // namespace tessera
