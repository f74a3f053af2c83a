#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

#include "sc_models/memory/lt/l1_cache.h"

// L1 cache, loosely timed: quanta that run ahead of SystemC's time.

namespace tessera {

/// Returns whether requests below are deferred. The number of deferred requests is limited to the
/// entries of the miss queue, beyond which the time of a free entry is unknown.
bool L1Cache::defers_requests() {
    if (ahead_ == nullptr || !ahead_->active()) return false;
    if (unresolved_requests_ < miss_queue_.entries()) return true;
    ahead_->synchronise();
    return false;
}

/// Returns when a request that is looked up at `at` finds room in the miss queue.
Cycle L1Cache::room_below(Cycle at) {
    return defers_requests() ? miss_queue_.enter_behind(unresolved_requests_, at)
                             : miss_queue_.enter(at);
}

/// Defers a request: does the part of send_below() that is known, and that of fetch() for a read.
void L1Cache::defer_request(DeferredRequest deferred, AccessProgress& outcome) {
    stall_lookup(miss_queue_.enter_behind(unresolved_requests_, outcome.looked_up),
                 queue_stall_cycles_, outcome);
    ++unresolved_requests_;
    deferred.at = outcome.looked_up + to_below_;
    const auto number = static_cast<std::uint32_t>(deferred_.size());
    deferred_.push_back(deferred);
    const SectorRun& run = deferred.run;
    if (deferred.kind != DeferredRequest::Kind::kRead || run.bypass) return;
    const LineNumber line = geometry_.line_of_sector(run.first);
    mshr_.insert_open(line, geometry_.bits(run.first, run.sectors), number).targets =
        run.ahead ? 0 : run.sectors;
    if (settings_.allocates_on_miss) allocate(line, 0);
}

/// Defers the return of the data of an open entry to an access.
void L1Cache::defer_return(const MshrTableLt::Entry& entry) {
    DeferredRequest deferred;
    deferred.kind = DeferredRequest::Kind::kReturnOf;
    deferred.of = entry.request();
    deferred_.push_back(deferred);
}

/// returned(), but behind deferred results: then returns 0 and defers another one.
Cycle L1Cache::returned_after_deferred(Cycle ready) {
    const bool behind_deferred = settings_.returns_limited && resolved_ < deferred_.size() &&
                                 returns_.first_free(ready) >= ahead_->bound();
    if (!behind_deferred) return returned(ready);
    DeferredRequest deferred;
    deferred.kind = DeferredRequest::Kind::kReturn;
    deferred.at = ready;
    deferred_.push_back(deferred);
    return 0;
}

/// Returns the completion of an access with deferred results. If they are unresolved, that is a
/// lower bound, and `info`, which only a sender outside the SM may omit, gets a future.
Cycle L1Cache::close(const AccessProgress& outcome, AccessInfo* info) {
    Cycle done = std::max(outcome.done, time_.now());
    if (resolved_ < outcome.deferred_end) {
        futures_.push_back(
            {ahead_->make_future(), outcome.deferred_begin, outcome.deferred_end, done});
        if (info != nullptr) info->future = futures_.back().number;
        return done;
    }
    for (std::size_t i = outcome.deferred_begin; i < outcome.deferred_end; ++i) {
        done = std::max(done, deferred_[i].done);
    }
    return done;
}

void L1Cache::resolve() {
    time_.sample();
    for (; resolved_ < deferred_.size(); ++resolved_) resolve(deferred_[resolved_]);
    unresolved_requests_ = 0;
    for (const Future& future : futures_) {
        Cycle done = future.known;
        for (std::size_t i = future.first; i < future.end; ++i) {
            done = std::max(done, deferred_[i].done);
        }
        ahead_->resolve(future.number, done);
    }
    futures_.clear();
}

void L1Cache::resolve(DeferredRequest& deferred) {
    multicast_ = deferred.kind == DeferredRequest::Kind::kRead && deferred.run.multicast;
    switch (deferred.kind) {
        case DeferredRequest::Kind::kRead:
            resolve_read(deferred);
            break;
        case DeferredRequest::Kind::kWrite:
            deferred.done = pass_deferred(tlm::TLM_WRITE_COMMAND, deferred.address, deferred.bytes,
                                          deferred.at);
            break;
        case DeferredRequest::Kind::kReturn:
            deferred.done = returned(deferred.at);
            break;
        case DeferredRequest::Kind::kReturnOf:
            deferred.done = returned(deferred_[deferred.of].ready);
            break;
    }
}

Cycle L1Cache::pass_deferred(tlm::tlm_command command, Address address, std::uint32_t bytes,
                             Cycle at) {
    auto& request = request_.request(command, address, scratch_.data(), bytes);
    request_.info().moved = true;  // the quantum moved the bytes already
    const Cycle back = pass_below(request, at);
    if (request.is_response_error()) report_refused(*this, request);
    return back;
}

void L1Cache::resolve_read(DeferredRequest& deferred) {
    const SectorRun& run = deferred.run;
    deferred.ready =
        from_below_ + pass_deferred(tlm::TLM_READ_COMMAND, geometry_.sector_address(run.first),
                                    run.sectors * geometry_.sector_bytes(), deferred.at);
    if (deferred.ready < ahead_->bound()) {
        throw std::logic_error(fmt::format("{}: an answer at cycle {}, before {}", name(),
                                           deferred.ready, ahead_->bound()));
    }
    for (std::uint32_t i = 0; i < run.sectors && !run.ahead; ++i) {
        deferred.done = std::max(deferred.done, returned(deferred.ready));
    }
    if (run.bypass) return;
    mshr_.resolve(geometry_.line_of_sector(run.first), geometry_.bits(run.first, run.sectors),
                  deferred.ready);
}

}  // namespace tessera
