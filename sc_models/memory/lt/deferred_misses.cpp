#include "sc_models/memory/lt/deferred_misses.h"

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

#include "sc_models/memory/lt/l1_miss_port.h"

namespace tessera {

bool DeferredMisses::has_room() {
    if (unresolved_requests_ < port_.queue_entries()) return true;
    ahead_->synchronise();
    return false;
}

void DeferredMisses::defer_request(Result result, Cycle looked_up) {
    ++unresolved_requests_;
    result.at = looked_up + port_.to_below_;
    results_.push_back(result);
}

std::uint64_t DeferredMisses::read(const MissedSectors& missed, Cycle looked_up) {
    Result result;
    result.missed = missed;
    defer_request(result, looked_up);
    return MshrTableLt::kOpen | (results_.size() - 1);
}

void DeferredMisses::write(Address address, std::uint32_t bytes, Cycle looked_up) {
    Result result;
    result.kind = Result::Kind::kWrite;
    result.address = address;
    result.bytes = bytes;
    defer_request(result, looked_up);
}

Cycle DeferredMisses::returned(const MshrTableLt::Entry& entry) {
    Result result;
    if (entry.open()) {
        result.kind = Result::Kind::kReturnOf;
        result.of = entry.request();
    } else {
        const bool behind_deferred = port_.returns_limited_ && any_unresolved() &&
                                     port_.returns_.first_free(entry.ready) >= ahead_->bound();
        if (!behind_deferred) return port_.returned(Cycle{entry.ready});
        result.kind = Result::Kind::kReturn;
        result.at = entry.ready;
    }
    results_.push_back(result);
    return 0;
}

void DeferredMisses::know_before(Cycle cycle) {
    const Cycle least =
        std::max(results_[resolved_].at, port_.port_free_) + least_below_ + port_.from_below_;
    if (cycle >= least) ahead_->synchronise();
}

Cycle DeferredMisses::completion(std::size_t first, std::size_t end, Cycle known) const {
    for (std::size_t i = first; i < end; ++i) known = std::max(known, results_[i].done);
    return known;
}

Cycle DeferredMisses::finish(Cycle done, AccessInfo* info) {
    if (resolved_ >= access_end_) return completion(access_begin_, access_end_, done);
    futures_.push_back({ahead_->make_future(), access_begin_, access_end_, done});
    if (info != nullptr) info->future = futures_.back().number;
    return done;
}

void DeferredMisses::resolve() {
    for (; resolved_ < results_.size(); ++resolved_) resolve(results_[resolved_]);
    unresolved_requests_ = 0;
    for (const Future& future : futures_) {
        ahead_->resolve(future.number, completion(future.first, future.end, future.known));
    }
    futures_.clear();
}

void DeferredMisses::resolve(Result& result) {
    switch (result.kind) {
        case Result::Kind::kRead:
            resolve_read(result);
            break;
        case Result::Kind::kWrite:
            result.done = pass(tlm::TLM_WRITE_COMMAND, result.address, result.bytes, result.at);
            break;
        case Result::Kind::kReturn:
            result.done = port_.returned(result.at);
            break;
        case Result::Kind::kReturnOf:
            result.done = port_.returned(results_[result.of].ready);
            break;
    }
}

Cycle DeferredMisses::pass(tlm::tlm_command command, Address address, std::uint32_t bytes, Cycle at,
                           bool multicast) {
    auto& request = port_.request_.request(command, address, port_.scratch_.data(), bytes);
    port_.request_.info().multicast = multicast;
    port_.request_.info().moved = true;  // the quantum moved the bytes already
    const Cycle back = port_.pass(request, at);
    if (request.is_response_error()) report_refused(port_.cache(), request);
    return back;
}

void DeferredMisses::resolve_read(Result& result) {
    const MissedSectors& missed = result.missed;
    const CacheGeometry& geometry = port_.geometry_;
    result.ready = port_.from_below_ +
                   pass(tlm::TLM_READ_COMMAND, geometry.sector_address(missed.first),
                        missed.sectors * geometry.sector_bytes(), result.at, missed.multicast);
    if (result.ready < ahead_->bound()) {
        throw std::logic_error(fmt::format("{}: an answer at cycle {}, before {}",
                                           port_.cache().name(), result.ready, ahead_->bound()));
    }
    for (std::uint32_t i = 0; i < missed.sectors && !missed.prefetch; ++i) {
        result.done = std::max(result.done, port_.returned(result.ready));
    }
    if (missed.bypass) return;
    port_.registers_.resolve(geometry.line_of_sector(missed.first),
                             geometry.bits(missed.first, missed.sectors), result.ready);
}

}  // namespace tessera
