#include "sc_models/memory/lt/l1_cache.h"

#include <algorithm>

#include "sc_models/config/engine/config_entries.h"

namespace tessera {

L1Cache::AccessSettings::AccessSettings(const L1Config& config)
    : hit_latency(config.hit_latency_cycles),
      banks(config.banks),
      sectors_per_request(config.sectors_per_request),
      mshr_entries(config.mshr_entries),
      mshr_targets(config.mshr_targets),
      allocates_on_miss(config.allocation == L1Allocation::kOnMiss),
      allocates_stores(config.stores == L1Stores::kAllocate),
      returns_limited(config.returns_per_cycle != L1Config::kUnlimited) {}

L1Cache::L1Cache(const sc_core::sc_module_name& name, const L1Config& config,
                 std::uint32_t capacity_bytes, std::uint32_t lower_line_bytes,
                 const ClockDomain& clock, bool values, StatGroup& stats, Observers observers)
    : L1(name),
      target("target"),
      initiator("initiator"),
      settings_(config),
      wave_(observers.wave),
      geometry_("l1", config.line_bytes, config.sector_bytes),
      to_below_(config.miss_latency_cycles / 2),
      from_below_(config.miss_latency_cycles - to_below_),
      below_bytes_(std::min(config.line_bytes.get(), lower_line_bytes)),
      time_(clock),
      values_(values),
      tags_(config.sets(capacity_bytes), config.ways, config.set_hash),
      mshr_(config.mshr_entries),
      returns_(std::max(config.returns_per_cycle.get(), 1U), 1),
      queue_(config.request_queue_entries),
      miss_queue_(config.miss_queue_entries),
      scratch_(config.line_bytes),
      config_(used_copy(config)) {
    target.serve_with(*this);
    stats_.register_in(stats);
    stats.counter("held_cycles", queue_full_cycles_, "cycles",
                  "accesses waited because the queue before the lookup was full");
    stats.counter("queue_stall_cycles", queue_stall_cycles_, "cycles",
                  "accesses waited for room among the requests to the crossbar");
    if (wave_ != nullptr) {
        waves_ = {wave_->add(this->name(), "accesses", 6),
                  wave_->add(this->name(), "hits", 6),
                  wave_->add(this->name(), "pending_hits", 6),
                  wave_->add(this->name(), "misses", 6),
                  wave_->add(this->name(), "mshr_occupancy", 16),
                  wave_->add(this->name(), "id", kAccessIdBits)};
    }
}

Cycle L1Cache::serve(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle called_for) {
    const std::uint64_t called = time_.present();
    const CallGate::Pass pass(gate_);
    const Cycle arrival = time_.sample_again(called_for, called);
    access_id_ = access_id(info);
    multicast_ = info != nullptr && info->multicast;
    mshr_.drain(time_.now(), [this](const MshrTableLt::Entry& entry) { install(entry); });
    if (settings_.returns_limited) returns_.advance(time_.now());

    if (ahead_ != nullptr && resolved_ == deferred_.size()) forget_deferred();
    const Cycle entered = queue_.enter(arrival);
    queue_full_cycles_ += entered - arrival;
    begin_lookup(entered);
    AccessProgress outcome{lookup_cycle_, lookup_cycle_, ServedBy::kNone, tlm::TLM_OK_RESPONSE,
                           deferred_.size()};
    if (transaction.is_read()) {
        const Address begin = transaction.get_address();
        const std::uint64_t last = geometry_.sector(begin + transaction.get_data_length() - 1);
        const bool bypass = info != nullptr && info->bypass_l1;
        read(geometry_.sector(begin), last, bypass, outcome);
        outcome.deferred_end = deferred_.size();
        if (prefetch_ && !bypass) {
            prefetch(transaction, info == nullptr ? 0 : info->stream, outcome);
        }
        stats_.bytes_read += transaction.get_data_length();
        if (values_) read_data(transaction);
    } else {
        const AtomicKind atomic = info != nullptr ? info->atomic : AtomicKind::kNone;
        write(transaction, atomic, outcome);
        outcome.deferred_end = deferred_.size();
        if (atomic != AtomicKind::kNone) {
            info->added = request_.info().added;
            info->return_cycles = request_.info().return_cycles + from_below_;
        }
    }
    queue_.leave(outcome.looked_up);
    if (wave_ != nullptr) {
        wave_->pulse(waves_.accesses, outcome.looked_up, 1);
        wave_->set(waves_.id, outcome.looked_up, access_id_);
    }
    if (info != nullptr) {
        info->accepted = entered;
        info->served_by = outcome.served_by;
    }
    transaction.set_response_status(outcome.status);
    return outcome.deferred_begin == outcome.deferred_end ? std::max(outcome.done, time_.now())
                                                          : close(outcome, info);
}

/// Sets the lookup cycle of the next access: after those before it, not before `arrival`.
void L1Cache::begin_lookup(Cycle arrival) {
    if (arrival <= lookup_cycle_ && looked_up_ < settings_.banks) return;
    lookup_cycle_ = std::max(arrival, lookup_cycle_ + 1);
    looked_up_ = 0;
}

/// Stalls the lookup, and all behind it, until `until`.
void L1Cache::stall_lookup(Cycle until, std::uint64_t& stall_cycles, AccessProgress& outcome) {
    if (until <= outcome.looked_up) return;
    stall_cycles += until - outcome.looked_up;
    outcome.looked_up = lookup_cycle_ = until;
    looked_up_ = 0;
}

/// Looks up sectors of one line.
void L1Cache::read(std::uint64_t first, std::uint64_t last, bool bypass, AccessProgress& outcome) {
    SectorRun run;
    run.bypass = bypass;
    run.multicast = multicast_;
    const LineNumber line = geometry_.line_of_sector(first);
    if (!bypass) run.present = tags_.probe(line);
    const auto sectors = static_cast<std::uint32_t>(last - first) + 1;
    const SectorMask bits = geometry_.bits(first, sectors);
    const auto missing = static_cast<SectorMask>(bits & ~run.present);
    if (missing == 0 && wave_ == nullptr && !prefetch_) {  // all hits
        stats_.reads += sectors;
        hit(sectors, outcome);
        looked_up_ += sectors;
        return;
    }
    MshrTableLt::Entry* pending = bypass ? nullptr : mshr_.find(line, missing);
    if (missing == bits && pending == nullptr && miss_line(first, sectors, run, outcome)) return;
    stats_.reads += sectors;
    for (std::uint64_t sector = first; sector <= last; ++sector) {
        if (sectors > 1 && !bypass) pending = mshr_.find(line, geometry_.bit(sector));
        if (bypass || !read_here(sector, pending, run, outcome)) miss(sector, run, outcome);
        ++looked_up_;
    }
    if (run.sectors != 0) fetch(run, outcome);
}

/// Fast path: all sectors miss and fit one request. Returns false, without effect, if not
/// applicable.
bool L1Cache::miss_line(std::uint64_t first, std::uint32_t sectors, SectorRun& run,
                        AccessProgress& outcome) {
    if (run.bypass || watcher_ != nullptr || sectors > settings_.sectors_per_request ||
        mshr_.size() + sectors > settings_.mshr_entries) {
        return false;
    }
    const Address begin = geometry_.sector_address(first);
    const Address room = below_bytes_ - (begin & (below_bytes_ - 1));
    if (sectors * geometry_.sector_bytes() > room) return false;
    stats_.reads += sectors;
    stats_.read_misses += sectors;
    run.first = first;
    run.sectors = sectors;
    looked_up_ += sectors - 1;
    // A full request leaves with its last sector's lookup, another one after it.
    const bool full = sectors == settings_.sectors_per_request;
    if (full) fetch(run, outcome);
    ++looked_up_;
    if (!full) fetch(run, outcome);
    return true;
}

/// Serves a sector that is present, or pending in `pending`; returns false if it is neither.
bool L1Cache::read_here(std::uint64_t sector, MshrTableLt::Entry* pending, SectorRun& run,
                        AccessProgress& outcome) {
    const SectorMask bit = geometry_.bit(sector);
    if ((run.present & bit) == 0) {
        if (pending == nullptr) return false;
        const LineNumber line = geometry_.line_of_sector(sector);
        if (run.sectors != 0) {
            fetch(run, outcome);
            pending = mshr_.find(line, bit);
        }
        if (pending->open() && !stays_open(outcome, *pending)) {
            ahead_->synchronise();
            pending = mshr_.find(line, bit);
        }
        if (pending->open() || pending->ready > outcome.looked_up) {
            if (pending->targets < settings_.mshr_targets * pending->count()) {
                ++pending->targets;
                ++stats_.read_pending_hits;
                if (prefetch_) prefetch_->on_read(sector, false);
                if (wave_ != nullptr) wave_->pulse(waves_.pending_hits, outcome.looked_up, 1);
                outcome.done = std::max(outcome.done, outcome.looked_up + settings_.hit_latency);
                if (pending->open()) {
                    defer_return(*pending);
                } else {
                    outcome.done = std::max(outcome.done, returned_after_deferred(pending->ready));
                }
                outcome.served_by = std::max(outcome.served_by, ServedBy::kL1Pending);
                return true;
            }
            stall_lookup(pending->ready, stats_.target_stall_cycles, outcome);
        }
        // The fill is complete by then, only not installed yet: a hit.
    }
    hit(1, outcome);
    if (prefetch_) prefetch_->on_read(sector, true);
    if (wave_ != nullptr) wave_->pulse(waves_.hits, outcome.looked_up, 1);
    return true;
}

/// Adds the sector to the current request, or begins another; takes a register, waiting for a free
/// one.
void L1Cache::miss(std::uint64_t sector, SectorRun& run, AccessProgress& outcome) {
    const bool registers = run.bypass || mshr_.size() + run.sectors < settings_.mshr_entries;
    if (run.sectors != 0 && (!registers || !joins(sector, run))) fetch(run, outcome);
    while (!run.bypass && mshr_.full()) {
        // An unknown response may come first.
        if (resolved_ < deferred_.size() && mshr_.earliest() >= least_open()) ahead_->synchronise();
        const MshrTableLt::Entry freed = mshr_.pop_earliest();
        install(freed);
        stall_lookup(freed.ready, stats_.mshr_stall_cycles, outcome);
        run.present = tags_.valid(geometry_.line_of_sector(sector));
    }
    if (run.sectors == 0) run.first = sector;
    ++run.sectors;
    if (!run.ahead) ++stats_.read_misses;
    stats_.bypasses += run.bypass ? 1 : 0;
    if (!run.bypass && watcher_ != nullptr) {
        watcher_->on_sector_missed(geometry_.sector_address(sector));
    }
    if (run.sectors == settings_.sectors_per_request) fetch(run, outcome);
}

/// Requests the sectors of the run, which must not be empty, from L2, and empties it.
void L1Cache::fetch(SectorRun& run, AccessProgress& outcome) {
    stats_.count_read_below(run.sectors);
    if (defers_requests()) {
        DeferredRequest deferred;
        deferred.run = run;
        defer_request(deferred, outcome);
        run.sectors = 0;
        return;
    }
    auto& request = request_.request(tlm::TLM_READ_COMMAND, geometry_.sector_address(run.first),
                                     scratch_.data(), run.sectors * geometry_.sector_bytes());
    request_.info().moved = true;  // read_data() moves the bytes of the access
    const Cycle ready = send_below(request, outcome) + from_below_;
    for (std::uint32_t i = 0; i < run.sectors; ++i) {
        if (!run.ahead) outcome.done = std::max(outcome.done, returned(ready));
        if (wave_ == nullptr || run.bypass) continue;
        wave_->pulse(waves_.misses, outcome.looked_up, 1);
        wave_->pulse(waves_.mshr_occupancy, outcome.looked_up, ready - outcome.looked_up);
    }
    if (!run.bypass) {
        const LineNumber line = geometry_.line_of_sector(run.first);
        mshr_.insert(line, geometry_.bits(run.first, run.sectors), ready).targets =
            run.ahead ? 0 : run.sectors;
        if (settings_.allocates_on_miss) allocate(line, 0);
    }
    run.sectors = 0;
}

/// Requests from L2 the sectors predicted after `read`, which has been looked up. Requests that
/// would have to wait are dropped; `outcome` is a copy that is discarded.
void L1Cache::prefetch(const tlm::tlm_generic_payload& read, std::uint32_t stream,
                       AccessProgress outcome) {
    const Address bytes = read.get_data_length();
    SectorRun run;
    run.ahead = true;
    for (const Address address : prefetch_->expected_after(stream, read.get_address())) {
        const std::uint64_t last = geometry_.sector(address + bytes - 1);
        for (std::uint64_t sector = geometry_.sector(address); sector <= last; ++sector) {
            if (sector - run.first < run.sectors) continue;  // predicted twice
            if (run.sectors != 0 && !joins(sector, run)) fetch(run, outcome);
            const LineNumber line = geometry_.line_of_sector(sector);
            const SectorMask bit = geometry_.bit(sector);
            if ((tags_.valid(line) & bit) != 0 || mshr_.find(line, bit) != nullptr) continue;
            const Cycle now = outcome.looked_up;
            if (mshr_.size() + run.sectors == settings_.mshr_entries ||
                (run.sectors == 0 && room_below(now) > now)) {
                prefetch_->on_dropped();
                continue;
            }
            prefetch_->on_issued(sector);
            miss(sector, run, outcome);
        }
    }
    if (run.sectors != 0) fetch(run, outcome);
}

/// Sends a request to the crossbar in order, after waiting for a queue entry; returns its
/// completion.
Cycle L1Cache::send_below(tlm::tlm_generic_payload& request, AccessProgress& outcome) {
    stall_lookup(miss_queue_.enter(outcome.looked_up), queue_stall_cycles_, outcome);
    const Cycle back = pass_below(request, outcome.looked_up + to_below_);
    if (request.is_response_error()) outcome.status = request.get_response_status();
    outcome.served_by = std::max(outcome.served_by, request_.info().served_by);
    return back;
}

/// Sends a request that has passed the cache at `ready` to the crossbar; returns its completion.
Cycle L1Cache::pass_below(tlm::tlm_generic_payload& request, Cycle ready) {
    if (tlb_) ready = tlb_->translate(request.get_address(), ready);
    const Cycle leaves = std::max(ready, port_free_);
    miss_queue_.leave(leaves);
    request_.info().id = access_id_;
    request_.info().multicast = multicast_;
    const Cycle back = initiator.transport(request, leaves, time_);
    port_free_ = std::max(leaves, request_.info().accepted);  // 0 from a foreign target
    return back;
}

/// Writes through to L2, one request for each L2 line touched.
void L1Cache::write(const tlm::tlm_generic_payload& transaction, AtomicKind atomic,
                    AccessProgress& outcome) {
    const Address begin = transaction.get_address();
    const Address end = begin + transaction.get_data_length();
    const SectorMask present = tags_.probe(geometry_.line(begin));
    for (Address first = begin; first < end;) {
        const auto bytes =
            static_cast<std::uint32_t>(std::min(end, (first | (below_bytes_ - 1)) + 1) - first);
        if (defers_requests()) {
            DeferredRequest deferred;
            deferred.kind = DeferredRequest::Kind::kWrite;
            deferred.address = first;
            deferred.bytes = bytes;
            defer_request(deferred, outcome);
            if (values_) move_at_once(initiator, write_of(transaction, first, bytes));
        } else {
            auto& request = write_of(transaction, first, bytes);
            request_.info().atomic = atomic;
            outcome.done = std::max(outcome.done, send_below(request, outcome));
        }
        looked_up_ += stats_.count_write(geometry_.sectors(first, bytes), present, bytes);
        if (settings_.allocates_stores && atomic == AtomicKind::kNone) {
            allocate(geometry_.line(first), geometry_.whole_sectors(first, bytes));
        }
        first += bytes;
    }
    stats_.bytes_written += end - begin;
}

/// Makes the request below with `bytes` bytes of `transaction`, from address `first` on.
tlm::tlm_generic_payload& L1Cache::write_of(const tlm::tlm_generic_payload& transaction,
                                            Address first, std::uint32_t bytes) {
    unsigned char* const data =
        values_ ? transaction.get_data_ptr() + (first - transaction.get_address())
                : scratch_.data();
    return request_.request(tlm::TLM_WRITE_COMMAND, first, data, bytes);
}

void L1Cache::report_lost(const SectorTags::Victim& victim) {
    if (watcher_ != nullptr) watcher_->on_line_lost(victim.line * geometry_.line_bytes());
    if (prefetch_) prefetch_->on_lost(geometry_.first_sector(victim.line), victim.valid);
}

void L1Cache::attach(std::unique_ptr<Prefetcher> prefetcher, StatGroup& stats) {
    prefetch_ = std::make_unique<PrefetchTracker>(std::move(prefetcher), stats_.prefetch);
    stats_.prefetch.register_in(stats.child("prefetch"));
}

Cycle L1Cache::sector_ready(Address address) const {
    const LineNumber line = geometry_.line(address);
    const SectorMask bit = geometry_.bit(geometry_.sector(address));
    if ((tags_.valid(line) & bit) != 0) return 0;
    const MshrTableLt::Entry* const pending = mshr_.find(line, bit);
    if (pending == nullptr) return kNever;
    return pending->ready <= time_.now() ? 0 : pending->ready;
}

void L1Cache::install(const MshrTableLt::Entry& entry) {
    allocate(entry.line, static_cast<SectorMask>(entry.sectors));
    stats_.fills += entry.count();
}

/// Moves the data of a read; the tags control timing, and the memory below holds the bytes.
void L1Cache::read_data(const tlm::tlm_generic_payload& transaction) {
    move_at_once(initiator,
                 request_.request(tlm::TLM_READ_COMMAND, transaction.get_address(),
                                  transaction.get_data_ptr(), transaction.get_data_length()));
}

unsigned int L1Cache::transport_dbg(int /*port*/, tlm::tlm_generic_payload& transaction) {
    return initiator->transport_dbg(transaction);
}

void L1Cache::invalidate() {
    mshr_.drain(kNever, [this](const MshrTableLt::Entry& entry) { install(entry); });
    tags_.invalidate();
    if (prefetch_) prefetch_->on_invalidated();
}

void L1Cache::resize(std::uint32_t capacity_bytes) {
    invalidate();
    const std::uint32_t sets = config_.sets(capacity_bytes);
    if (sets != tags_.sets()) tags_ = SectorTags(sets, config_.ways, config_.set_hash);
}

void L1Cache::check(std::vector<std::string>& violations) const {
    stats_.check(name(), mshr_.size(), violations);
    if (prefetch_) prefetch_->check(name(), violations);
}

}  // namespace tessera
