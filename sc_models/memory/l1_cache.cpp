#include "sc_models/memory/l1_cache.h"

#include <algorithm>

namespace tessera {

L1Cache::L1Cache(const sc_core::sc_module_name& name, const L1Config& config,
                 std::uint32_t capacity_bytes, const ClockDomain& clock, bool values,
                 StatGroup& stats, Observers observers)
    : sc_module(name),
      target("target"),
      initiator("initiator"),
      config_(config),
      geometry_("l1", config.line_bytes, config.sector_bytes),
      to_below_(config.miss_latency_cycles / 2),
      from_below_(config.miss_latency_cycles - to_below_),
      time_(clock),
      values_(values),
      tags_(config.sets(capacity_bytes), config.ways, config.set_hash),
      mshr_(config.mshr_entries),
      returns_(std::max(config.returns_per_cycle, 1U), 1),
      scratch_(config.sector_bytes),
      wave_(observers.wave) {
    target.register_b_transport(this, &L1Cache::b_transport);
    target.register_transport_dbg(this, &L1Cache::transport_dbg);
    stats_.register_in(stats);
    if (wave_ != nullptr) {
        waves_ = {wave_->add(this->name(), "accesses", 6), wave_->add(this->name(), "hits", 6),
                  wave_->add(this->name(), "pending_hits", 6),
                  wave_->add(this->name(), "misses", 6),
                  wave_->add(this->name(), "mshr_occupancy", 16)};
    }
}

void L1Cache::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
    if (!acceptable(transaction, geometry_.line_bytes())) return;
    const Cycle arrival = time_.arrive(delay);
    mshr_.drain(time_.now(), [this](const MshrTable::Entry& entry) { install(entry); });
    if (config_.returns_per_cycle != L1Config::kUnlimited) returns_.advance(time_.now());

    Outcome outcome{arrival, arrival, ServedBy::kNone, tlm::TLM_OK_RESPONSE};
    const Address begin = transaction.get_address();
    const Address end = begin + transaction.get_data_length();
    const std::uint64_t last = geometry_.sector(end - 1);
    auto* const info = transaction.get_extension<AccessInfo>();
    const bool bypass = info != nullptr && info->bypass_l1;
    for (std::uint64_t sector = geometry_.sector(begin); sector <= last; ++sector) {
        if (transaction.is_read()) {
            bypass ? read_past(sector, outcome) : read_sector(sector, outcome);
        } else {
            const Address first = std::max(begin, geometry_.sector_address(sector));
            const Address stop = std::min(end, geometry_.sector_address(sector + 1));
            write_sector(values_ ? transaction.get_data_ptr() + (first - begin) : scratch_.data(),
                         first, static_cast<std::uint32_t>(stop - first), outcome);
        }
    }
    (transaction.is_read() ? stats_.bytes_read : stats_.bytes_written) += end - begin;
    if (values_ && transaction.is_read()) read_data(transaction);
    if (wave_ != nullptr) wave_->pulse(waves_.accesses, arrival, 1);
    if (info != nullptr) {
        info->accepted = outcome.accepted;
        info->served_by = outcome.served_by;
    }
    transaction.set_response_status(outcome.status);
    delay = time_.delay_to(outcome.done);
}

void L1Cache::read_sector(std::uint64_t sector, Outcome& outcome) {
    ++stats_.reads;
    const SectorMask present = tags_.probe(geometry_.line_of_sector(sector));
    if ((present & geometry_.bit(sector)) == 0) {
        MshrTable::Entry* pending = mshr_.find(sector);
        if (pending == nullptr) return fetch(sector, outcome);
        if (pending->ready > outcome.accepted) {
            if (pending->targets < config_.mshr_targets) {
                ++pending->targets;
                ++stats_.read_pending_hits;
                if (wave_ != nullptr) wave_->pulse(waves_.pending_hits, outcome.accepted, 1);
                outcome.done = std::max({outcome.done, returned(pending->ready),
                                         outcome.accepted + config_.hit_latency_cycles});
                outcome.served_by = std::max(outcome.served_by, ServedBy::kL1Pending);
                return;
            }
            stats_.target_stall_cycles += pending->ready - outcome.accepted;
            outcome.accepted = pending->ready;
        }
        // The fill is complete by then, only not installed yet: a hit.
    }
    ++stats_.read_hits;
    outcome.done = std::max(outcome.done, outcome.accepted + config_.hit_latency_cycles);
    outcome.served_by = std::max(outcome.served_by, ServedBy::kL1);
    if (wave_ != nullptr) wave_->pulse(waves_.hits, outcome.accepted, 1);
}

/// A read that leaves the cache as it is: always from L2, and no register waits for it.
void L1Cache::read_past(std::uint64_t sector, Outcome& outcome) {
    ++stats_.reads;
    ++stats_.read_misses;
    ++stats_.bypasses;
    outcome.done = std::max(outcome.done, returned(read_below(sector, outcome)));
    outcome.served_by = std::max(outcome.served_by, request_.info().served_by);
}

/// Asks L2 for a sector; returns when it is here.
Cycle L1Cache::read_below(std::uint64_t sector, Outcome& outcome) {
    sc_core::sc_time delay = time_.delay_to(outcome.accepted + to_below_);
    auto& request = request_.request(tlm::TLM_READ_COMMAND, geometry_.sector_address(sector),
                                     scratch_.data(), geometry_.sector_bytes());
    ++stats_.read_requests_below;
    initiator->b_transport(request, delay);
    if (request.is_response_error()) outcome.status = request.get_response_status();
    return time_.cycle_after(delay) + from_below_;
}

/// A miss: takes a register, waiting for one if need be, and asks for the sector.
void L1Cache::fetch(std::uint64_t sector, Outcome& outcome) {
    while (mshr_.full()) {
        const MshrTable::Entry freed = mshr_.pop_earliest();
        install(freed);
        if (freed.ready > outcome.accepted) {
            stats_.mshr_stall_cycles += freed.ready - outcome.accepted;
            outcome.accepted = freed.ready;
        }
    }
    ++stats_.read_misses;
    const Cycle ready = read_below(sector, outcome);
    mshr_.insert(sector, ready);
    if (wave_ != nullptr) {
        wave_->pulse(waves_.misses, outcome.accepted, 1);
        wave_->pulse(waves_.mshr_occupancy, outcome.accepted, ready - outcome.accepted);
    }
    if (config_.allocation == L1Allocation::kOnMiss) allocate(sector, 0);
    outcome.done = std::max(outcome.done, returned(ready));
    outcome.served_by = std::max(outcome.served_by, request_.info().served_by);
}

void L1Cache::write_sector(unsigned char* from, Address address, std::uint32_t bytes,
                           Outcome& outcome) {
    ++stats_.writes;
    const SectorMask present = tags_.probe(geometry_.line(address));
    if ((present & geometry_.bit(geometry_.sector(address))) != 0) ++stats_.write_hits;
    sc_core::sc_time delay = time_.delay_to(outcome.accepted + to_below_);
    auto& request = request_.request(tlm::TLM_WRITE_COMMAND, address, from, bytes);
    ++stats_.write_requests_below;
    initiator->b_transport(request, delay);
    if (request.is_response_error()) outcome.status = request.get_response_status();
    // The write leaves the cache when the crossbar takes it; a foreign target does not tell.
    outcome.accepted = std::max(outcome.accepted + to_below_, request_.info().accepted) - to_below_;
    outcome.done = std::max(outcome.done, time_.cycle_after(delay));
    outcome.served_by = std::max(outcome.served_by, request_.info().served_by);
}

/// Gives the sector's line a way, with `valid` sectors added.
void L1Cache::allocate(std::uint64_t sector, SectorMask valid) {
    const auto victim = tags_.fill(geometry_.line_of_sector(sector), valid, 0);
    stats_.evictions += static_cast<std::uint64_t>(__builtin_popcount(victim.valid));
}

void L1Cache::install(const MshrTable::Entry& entry) {
    allocate(entry.sector, geometry_.bit(entry.sector));
    ++stats_.fills;
}

/// The tags decide when the bytes are here; they are kept in the memory behind.
void L1Cache::read_data(const tlm::tlm_generic_payload& transaction) {
    const unsigned bytes = transaction.get_data_length();
    auto& request = request_.request(tlm::TLM_READ_COMMAND, transaction.get_address(),
                                     transaction.get_data_ptr(), bytes);
    if (initiator->transport_dbg(request) != bytes) {
        SC_REPORT_FATAL(name(), "the memory behind does not answer transport_dbg");
    }
}

unsigned int L1Cache::transport_dbg(tlm::tlm_generic_payload& transaction) {
    return initiator->transport_dbg(transaction);
}

void L1Cache::invalidate() {
    mshr_.drain(kNever, [this](const MshrTable::Entry& entry) { install(entry); });
    tags_.invalidate();
}

void L1Cache::resize(std::uint32_t capacity_bytes) {
    invalidate();
    const std::uint32_t sets = config_.sets(capacity_bytes);
    if (sets != tags_.sets()) tags_ = SectorTags(sets, config_.ways, config_.set_hash);
}

void L1Cache::check(std::vector<std::string>& violations) const {
    stats_.check(name(), mshr_.size(), violations);
}

}  // namespace tessera
