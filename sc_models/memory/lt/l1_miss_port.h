// Way from a loosely-timed L1 to the level below and back.
#pragma once

#include <algorithm>
#include <memory>
#include <systemc>
#include <vector>

#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/l1_policy.h"
#include "sc_models/memory/core/mshr_table_lt.h"
#include "sc_models/memory/core/tlb.h"
#include "sc_models/memory/lt/deferred_misses.h"
#include "sc_models/tlm/lt/lt_socket.h"
#include "sc_models/tlm/lt/queue_occupancy.h"
#include "sc_models/tlm/lt/reservation_table.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

/// Port through which misses and writes of a loosely-timed L1 leave: its miss registers, the queue
/// of miss_queue_entries to the crossbar, translation, and the return path to the registers. A
/// request spends half of miss_latency_cycles before the initiator socket and the other half after
/// it; requests leave in order, one after the other as the crossbar accepts them.
///
/// In a quantum that runs ahead of SystemC's time, requests are deferred instead of sent
/// (DeferredMisses). The cache sees two traces of that: a register may be open, with an unknown
/// arrival, and the result of an access may be a future.
class L1MissPort {
public:
    /// Result of an access so far.
    struct AccessResult {
        Cycle done = 0;  ///< completion of all that is known
        ServedBy served_by = ServedBy::kNone;
        tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

        void serve(Cycle at, ServedBy level) {
            done = std::max(done, at);
            served_by = std::max(served_by, level);
        }
    };
    struct Write {
        Address address = 0;
        std::uint32_t bytes = 0;
        unsigned char* data = nullptr;  ///< null: without values
        AtomicKind atomic = AtomicKind::kNone;
    };
    using Socket = LtInitiatorSocket<sc_core::sc_module>;

    /// Requests leave by `initiator` at the present of `time`; lines are those of `geometry`. All
    /// three must outlive the port.
    L1MissPort(const L1Config& config, const CacheGeometry& geometry, Socket& initiator,
               LtTime& time);
    L1MissPort(const L1MissPort&) = delete;
    L1MissPort& operator=(const L1MissPort&) = delete;

    MshrTableLt& registers() { return registers_; }
    [[nodiscard]] const MshrTableLt& registers() const { return registers_; }

    /// Begins an access, whose requests have `id`.
    void begin(std::uint64_t id) {
        id_ = id;
        if (returns_limited_) returns_.advance(time_.now());
        deferred_.begin_access();
    }
    /// Ends the requests that the access waits for; those of prefetches may follow.
    void end_awaited() { deferred_.end_access(); }
    /// Returns the completion of the access, not before `done`. If it depends on deferred
    /// requests, that is a lower bound and `info`, which only a sender outside the SM may omit,
    /// gets a future.
    Cycle finish(Cycle done, AccessInfo* info) {
        done = std::max(done, time_.now());
        return deferred_.waits() ? deferred_.finish(done, info) : done;
    }

    /// Returns when a request that is looked up at `at` finds room in the queue. read() or write()
    /// for that cycle must follow before another request.
    [[nodiscard]] Cycle room(Cycle at) {
        return deferred_.accepts() ? miss_queue_.enter_behind(deferred_.unresolved(), at)
                                   : miss_queue_.enter(at);
    }
    [[nodiscard]] std::size_t queue_entries() const { return miss_queue_.entries(); }
    /// Requests sectors that missed at `looked_up`, which take a register unless they bypass the
    /// cache. Returns their arrival; MshrTableLt::kOpen is set if that is unknown yet.
    Cycle read(const MissedSectors& missed, Cycle looked_up, AccessResult& result) {
        const std::uint64_t ready = deferred_.active() ? deferred_.read(missed, looked_up)
                                                       : send_read(missed, looked_up, result);
        if (!missed.bypass) {
            registers_
                .insert(geometry_.line_of_sector(missed.first),
                        geometry_.bits(missed.first, missed.sectors), ready)
                .targets = missed.prefetch ? 0 : missed.sectors;
        }
        return ready;
    }
    void write(const Write& write, Cycle looked_up, AccessResult& result);
    /// Copies the answer to the last atomic to `info`.
    void answer_atomic(AccessInfo& info) const {
        info.added = request_.info().added;
        info.return_cycles = request_.info().return_cycles + from_below_;
    }
    /// Returns when a read that waits for the fill of `entry` has its data; 0 if that is unknown
    /// yet, and finish() then depends on it.
    Cycle returned(const MshrTableLt::Entry& entry) {
        return deferred_.active() ? deferred_.returned(entry) : returned(entry.ready);
    }
    /// Ends the look-ahead if it is unknown which register is freed first, before the earliest
    /// known one is.
    void know_first_fill() {
        if (deferred_.any_unresolved()) deferred_.know_before(registers_.earliest());
    }
    /// Makes the arrival of an open entry known, unless a read that is looked up at `looked_up` can
    /// wait for it whatever it is: the fill comes later, and it `merges`. Returns whether the
    /// entry has to be found again.
    bool know_fill(Cycle looked_up, bool merges) {
        return deferred_.know_unless(merges && deferred_.fill_is_after(looked_up));
    }
    /// Moves the bytes of an access in no time.
    void move(tlm::tlm_command command, Address address, unsigned char* data, std::uint32_t bytes) {
        move_at_once(initiator_, request_.request(command, address, data, bytes));
    }

    void attach(std::unique_ptr<Tlb> tlb) { tlb_ = std::move(tlb); }
    /// Defers requests in quanta of `ahead`; those below take at least `least_below` cycles.
    void attach(LookAhead& ahead, Cycle least_below) { deferred_.attach(ahead, least_below); }
    /// Returns the first cycle at which a read that misses at `now` or later may be answered.
    [[nodiscard]] Cycle least_answer(Cycle now) const {
        return std::max(now + to_below_, port_free_) + deferred_.least_below() + from_below_;
    }
    /// Sends the deferred requests and resolves futures, at the quantum's SystemC time.
    void resolve() {
        time_.sample();
        deferred_.resolve();
    }

private:
    friend class DeferredMisses;

    Cycle send_read(const MissedSectors& missed, Cycle looked_up, AccessResult& result);
    Cycle pass(tlm::tlm_generic_payload& request, Cycle ready);
    /// Returns the cache, for messages.
    [[nodiscard]] const sc_core::sc_object& cache() const {
        return *initiator_.get_parent_object();
    }
    void record(const tlm::tlm_generic_payload& request, AccessResult& result) const {
        if (request.is_response_error()) result.status = request.get_response_status();
        result.served_by = std::max(result.served_by, request_.info().served_by);
    }
    /// Returns when an access whose fill arrives at `ready` has its data.
    Cycle returned(Cycle ready) { return returns_limited_ ? returns_.reserve(ready) : ready; }

    const CacheGeometry& geometry_;
    Socket& initiator_;
    LtTime& time_;
    Cycle to_below_, from_below_;  ///< halves of miss_latency_cycles
    bool returns_limited_;
    std::unique_ptr<Tlb> tlb_;  ///< null: translation takes no time
    MshrTableLt registers_;
    ReservationTable returns_;  ///< return path from fills to the registers
    FifoOccupancy miss_queue_;  ///< requests queued for the crossbar
    Cycle port_free_ = 0;       ///< when the crossbar has accepted the last request
    std::uint64_t id_ = 0;      ///< AccessInfo::id of the access being served
    RequestPayload request_;
    std::vector<unsigned char> scratch_;  ///< one line, for bytes that are not needed
    DeferredMisses deferred_{*this};
};

}  // namespace tessera
