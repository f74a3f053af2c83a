#include "sc_models/memory/lt/l2_slice.h"

#include <algorithm>

namespace tessera {

L2Slice::L2Slice(const sc_core::sc_module_name& name, const L2Context& context,
                 const ClockDomain& clock, Observers observers)
    : sc_module(name),
      target("target"),
      initiator("initiator"),
      hit_latency_(context.config.hit_latency_cycles),
      index_(context.index),
      geometry_("l2", context.config.line_bytes, context.config.sector_bytes),
      to_below_(context.config.hit_latency_cycles / 2),
      from_below_(context.config.hit_latency_cycles - to_below_),
      time_(clock),
      queue_(context.config.request_queue_entries),
      map_(context.map),
      values_(context.values),
      tags_(context.config.sets_per_slice, context.config.ways, context.config.set_hash,
            context.config.replacement),
      mshr_(context.config.mshr_entries),
      scratch_(context.config.sector_bytes),
      atomics_(context.config, context.statistics),
      wave_(observers.wave) {
    target.serve_with(*this);
    stats_.register_in(context.statistics);
    if (wave_ != nullptr) {
        wave_hits_ = wave_->add(this->name(), "hits", 6);
        wave_misses_ = wave_->add(this->name(), "misses", 6);
        wave_mshr_ = wave_->add(this->name(), "mshr_occupancy", 16);
        wave_id_ = wave_->add(this->name(), "id", kAccessIdBits);
    }
}

Cycle L2Slice::serve(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle called_for) {
    const std::uint64_t called = time_.present();
    const CallGate::Pass pass(gate_);
    time_.sample();
    const Address begin = map_.slice_local(transaction.get_address());
    to_global_ = transaction.get_address() - begin;
    mshr_.drain(time_.now(), [this](const MshrTableLt::Entry& entry) { install(entry); });
    // Waiting for the gate, or a write-back of an installed sector, may have advanced time.
    const Cycle arrival = time_.sample_again(called_for, called);

    access_id_ = access_id(info);
    const Cycle looked_up = arrival < blocked_from_ ? arrival : std::max(arrival, blocked_until_);
    RequestProgress outcome{looked_up, looked_up, ServedBy::kNone, tlm::TLM_OK_RESPONSE};
    const Address end = begin + transaction.get_data_length();
    if (transaction.is_read()) {
        read(begin, end, outcome);
    } else {
        write(begin, end, outcome);
        if (atomics_.limited() && info != nullptr && info->atomic != AtomicKind::kNone) {
            take_atomic_unit(transaction.get_data_length(), arrival, outcome);
        }
    }
    (transaction.is_read() ? stats_.bytes_read : stats_.bytes_written) += end - begin;
    if (values_ && moves_bytes(info)) move_data(transaction);
    const Cycle entered = wait_in_queue(arrival, looked_up, outcome.accepted);
    if (wave_ != nullptr) wave_->set(wave_id_, outcome.accepted, access_id_);
    if (info != nullptr) {
        info->served_by = outcome.served_by;
        info->accepted = entered;
        answer_atomic(*info, hit_latency_);
    }
    transaction.set_response_status(outcome.status);
    return std::max(transaction.is_read() ? outcome.done : outcome.accepted, time_.now());
}

/// Returns when a request that arrived at `arrival`, with its lookup from `looked_up` to
/// `accepted`, found room in the queue. A request that does not wait takes no entry: callers are
/// out of time order, and it may have left long before an earlier request arrives.
Cycle L2Slice::wait_in_queue(Cycle arrival, Cycle looked_up, Cycle accepted) {
    if (accepted > looked_up) {
        blocked_from_ = looked_up;
        blocked_until_ = accepted;
    }
    if (accepted == arrival) return arrival;
    const Cycle entered = queue_.enter(arrival);
    queue_.leave(accepted);
    return entered;
}

void L2Slice::read(Address begin, Address end, RequestProgress& outcome) {
    const LineNumber line = geometry_.line(begin);
    std::uint32_t present = tags_.probe(line);
    std::uint32_t left = geometry_.sectors(begin, static_cast<std::uint32_t>(end - begin));
    if ((left & ~present) == 0 && wave_ == nullptr) {  // all hits
        const auto sectors = static_cast<std::uint32_t>(__builtin_popcount(left));
        stats_.reads += sectors;
        stats_.read_hits += sectors;
        outcome.done = std::max(outcome.done, outcome.accepted + hit_latency_);
        outcome.served_by = std::max(outcome.served_by, ServedBy::kL2);
        return;
    }
    // Not worth it for a single sector.
    const bool several = (left & (left - 1)) != 0;
    LineRegisters registers{};
    if (several) registers = registers_of(line);
    std::uint64_t fills = stats_.fills;
    for (; left != 0; left &= left - 1) {
        const auto bit = static_cast<SectorMask>(left & -left);
        ++stats_.reads;
        if ((present & bit) == 0) {
            MshrTableLt::Entry* const pending =
                several ? registers[__builtin_ctz(bit)] : mshr_.find(line, bit);
            if (pending == nullptr) {
                fetch(line, bit, false, outcome);
                ++stats_.read_misses;
                if (stats_.fills == fills) continue;
                fills = stats_.fills;  // registers were freed
                present = tags_.valid(line);
                registers = registers_of(line);
                continue;
            }
            if (pending->ready > outcome.accepted) {
                ++pending->targets;
                ++stats_.read_pending_hits;
                outcome.done = std::max(
                    {outcome.done, Cycle{pending->ready}, outcome.accepted + hit_latency_});
                outcome.served_by = std::max(outcome.served_by, ServedBy::kL2Pending);
                continue;
            }
            // The fill is complete by then, only not installed yet: a hit.
        }
        ++stats_.read_hits;
        outcome.done = std::max(outcome.done, outcome.accepted + hit_latency_);
        outcome.served_by = std::max(outcome.served_by, ServedBy::kL2);
        if (wave_ != nullptr) wave_->pulse(wave_hits_, outcome.accepted, 1);
    }
}

L2Slice::LineRegisters L2Slice::registers_of(LineNumber line) {
    LineRegisters registers{};
    mshr_.for_each_of(line, [&registers](MshrTableLt::Entry& entry) {
        for (std::uint32_t left = entry.sectors; left != 0; left &= left - 1) {
            registers[__builtin_ctz(left)] = &entry;
        }
    });
    return registers;
}

void L2Slice::write(Address begin, Address end, RequestProgress& outcome) {
    const LineNumber line = geometry_.line(begin);
    const std::uint32_t present = tags_.probe(line);
    const std::uint32_t written = geometry_.sectors(begin, static_cast<std::uint32_t>(end - begin));
    std::uint32_t valid = 0;    // valid afterwards: present, or fully written
    std::uint32_t fetched = 0;  // partially written
    for (std::uint32_t left = written; left != 0; left &= left - 1) {
        const std::uint64_t sector =
            geometry_.first_sector(line) + static_cast<std::uint32_t>(__builtin_ctz(left));
        const std::uint32_t bit = left & -left;
        ++stats_.writes;
        if ((present & bit) != 0) {
            ++stats_.write_hits;
            valid |= bit;
        } else if (MshrTableLt::Entry* pending = mshr_.find(line, static_cast<SectorMask>(bit))) {
            ++stats_.write_pending_hits;
            pending->dirty = pending->dirty | bit;
            outcome.served_by = std::max(outcome.served_by, ServedBy::kL2Pending);
        } else if (begin <= geometry_.sector_address(sector) &&
                   end >= geometry_.sector_address(sector + 1)) {
            ++stats_.write_allocations;
            valid |= bit;
        } else {
            ++stats_.write_fetches;
            fetched |= bit;
        }
    }
    if (valid != 0) {
        const auto mask = static_cast<SectorMask>(valid);
        allocate(line, mask, mask, outcome.accepted);
        outcome.served_by = std::max(outcome.served_by, ServedBy::kL2);
    }
    for (; fetched != 0; fetched &= fetched - 1) {
        fetch(line, static_cast<SectorMask>(fetched & -fetched), true, outcome);
    }
}

/// Occupies the atomic-add unit. The wait is counted from the arrival, or from the turn of the
/// atomic before it, behind which it waited in the queue.
void L2Slice::take_atomic_unit(std::uint32_t bytes, Cycle arrival, RequestProgress& outcome) {
    atomic_cycles_.advance(time_.now());
    Cycle end = outcome.accepted;
    const Cycle cycles = atomics_.cycles(bytes);
    for (Cycle i = 0; i < cycles; ++i) end = atomic_cycles_.reserve(end) + 1;
    atomics_.count(bytes);
    const Cycle turn = end - cycles;
    atomics_.count_wait(turn - std::min(turn, std::max(arrival, last_atomic_turn_)));
    last_atomic_turn_ = std::max(last_atomic_turn_, turn);
    outcome.accepted = end;
}

/// Handles a miss of the current request: takes a register, waiting for a free one, and fetches the
/// sector from DRAM.
void L2Slice::fetch(LineNumber line, SectorMask bit, bool dirty, RequestProgress& outcome) {
    while (mshr_.full()) {
        const MshrTableLt::Entry freed = mshr_.pop_earliest();
        install(freed);
        if (freed.ready > outcome.accepted) {
            stats_.mshr_stall_cycles += freed.ready - outcome.accepted;
            outcome.accepted = freed.ready;
        }
    }
    auto& request = request_.request(tlm::TLM_READ_COMMAND, local(line, bit) + to_global_,
                                     scratch_.data(), geometry_.sector_bytes());
    request_.info().moved = true;  // only the tags need it
    request_.info().id = access_id_;
    ++stats_.fetch_requests_below;
    const Cycle ready =
        from_below_ + initiator.transport(request, outcome.accepted + to_below_, time_);
    if (request.is_response_error()) outcome.status = request.get_response_status();
    mshr_.insert(line, bit, ready).dirty = dirty ? bit : 0;
    outcome.done = std::max(outcome.done, ready);
    outcome.served_by = std::max(outcome.served_by, ServedBy::kDram);
    if (wave_ != nullptr) {
        wave_->pulse(wave_misses_, outcome.accepted, 1);
        wave_->pulse(wave_mshr_, outcome.accepted, ready - outcome.accepted);
    }
}

void L2Slice::install(const MshrTableLt::Entry& entry) {
    stats_.fills += entry.count();
    allocate(entry.line, static_cast<SectorMask>(entry.sectors),
             static_cast<SectorMask>(entry.dirty), entry.ready);
}

/// Makes the sectors valid; dirty sectors they evict go to DRAM at `at`.
void L2Slice::allocate(LineNumber line, SectorMask sectors, SectorMask dirty, Cycle at) {
    const auto victim = tags_.fill(line, sectors, dirty);
    if (victim.valid == 0) return;
    stats_.evictions += static_cast<std::uint64_t>(__builtin_popcount(victim.valid));
    stats_.dirty_evictions += static_cast<std::uint64_t>(__builtin_popcount(victim.dirty));
    for (std::uint32_t left = victim.dirty; left != 0; left &= left - 1) {
        write_back(victim.line, static_cast<SectorMask>(left & -left), at);
    }
}

void L2Slice::write_back(LineNumber line, SectorMask bit, Cycle at) {
    const Address address = map_.global(index_, local(line, bit));
    const std::uint32_t bytes = geometry_.sector_bytes();
    if (sends_bytes_) {
        auto& present = request_.request(tlm::TLM_READ_COMMAND, address, scratch_.data(), bytes);
        initiator->transport_dbg(present);
    }
    auto& request = request_.request(tlm::TLM_WRITE_COMMAND, address, scratch_.data(), bytes);
    request_.info().moved = true;  // the memory below has the newest bytes already
    ++stats_.write_backs_below;
    initiator.transport(request, at, time_);
    if (request.is_response_error()) SC_REPORT_FATAL(name(), "a write-back was refused");
}

/// Moves the data of a request; the tags control timing, and the memory below holds the bytes.
void L2Slice::move_data(tlm::tlm_generic_payload& transaction) {
    atomics_.move_data(transaction, [&](tlm::tlm_command command, unsigned char* data) {
        move_at_once(initiator, request_.request(command, transaction.get_address(), data,
                                                 transaction.get_data_length()));
    });
}

unsigned int L2Slice::transport_dbg(int /*port*/, tlm::tlm_generic_payload& transaction) {
    return initiator->transport_dbg(transaction);
}

void L2Slice::check(std::vector<std::string>& violations) const {
    stats_.check(name(), mshr_.size(), violations);
}

}  // namespace tessera
