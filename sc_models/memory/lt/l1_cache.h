// L1 data cache of an SM, loosely timed.
#pragma once

#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/cache_geometry.h"
#include "sc_models/memory/core/l1_statistics.h"
#include "sc_models/memory/core/mshr_table_lt.h"
#include "sc_models/memory/core/sector_tags.h"
#include "sc_models/memory/l1.h"
#include "sc_models/tlm/lt/look_ahead.h"
#include "sc_models/tlm/lt/lt_socket.h"
#include "sc_models/tlm/lt/queue_occupancy.h"
#include "sc_models/tlm/lt/reservation_table.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

/// L1 data cache: sectored, write-through. Loosely timed; the data banks belong to the LDST unit,
/// which spaces the accesses.
///
/// `target` takes reads and writes of bytes within one line, in order of time. They wait in a queue
/// of request_queue_entries and are looked up in order, up to `banks` sectors a cycle. A read hit
/// has its data hit_latency_cycles after its lookup. A miss takes a miss register, spends half of
/// miss_latency_cycles before `initiator`, and the other half after it; the sector counts as
/// present from then on. Neighbouring sectors of an access that miss share a request, up to
/// sectors_per_request, and return with the last of them. A line takes a way when the miss is sent
/// (on_miss) or when it returns (on_fill); a way may be lost again before the data returns, and the
/// fill then takes another. A read of a pending sector is served with the fill. A write goes
/// through to L2, its bytes of a line as one transaction, and returns when L2 has it. With
/// `stores: allocate` its line takes a way at the lookup, and the sectors that it fills are
/// present; atomics take none. Misses and
/// writes go to the crossbar in order, one after the other as it accepts them; at most
/// miss_queue_entries of them are queued. A lookup that needs a miss register, or a queue entry,
/// waits for the first to become free.
///
/// With a prefetcher, predicted sectors that are neither present nor pending are requested right
/// behind the access, in the cycle of its lookup. That uses miss registers and queue entries, but
/// no lookup; requests without room are dropped.
///
/// `AccessInfo::accepted` of the payload, if any, is the cycle at which the access entered the
/// queue: later than its arrival when that was full. The sender's next access must not arrive
/// before that.
///
/// In a quantum that runs ahead of SystemC's time requests below are deferred (LookAhead):
/// AccessInfo::future of the response then resolves to the completion of the access, which the
/// delay only bounds from below. resolve() sends the deferred requests.
///
/// The cache holds tags only. With `values`, data is moved at the time of the call, from and to the
/// memory below the sockets: hits read it by transport_dbg.
class L1Cache : public L1 {
public:
    LtTargetSocket<L1Cache> target;
    LtInitiatorSocket<L1Cache> initiator;

    /// `capacity_bytes` is the part of the unified L1 not used as shared memory. Throws ConfigError
    /// if it is no positive multiple of ways x line bytes. A transaction below stays within one
    /// block of `lower_line_bytes`.
    L1Cache(const sc_core::sc_module_name& name, const L1Config& config,
            std::uint32_t capacity_bytes, std::uint32_t lower_line_bytes, const ClockDomain& clock,
            bool values, StatGroup& stats, Observers observers);
    L1Cache(const L1Cache&) = delete;
    L1Cache& operator=(const L1Cache&) = delete;

    /// Drops all contents, as at the start of a kernel; no access may be waiting for pending fills.
    void invalidate();
    [[nodiscard]] tlm::tlm_base_target_socket_b<>& from_ldst() override { return target; }
    [[nodiscard]] tlm::tlm_base_initiator_socket<>& to_memory() override { return initiator; }
    void resize(std::uint32_t capacity_bytes) override;
    /// Lets the SM's quanta run ahead of SystemC's time; once, before the simulation starts.
    /// Excludes a watcher and a memory below that waits. With `values`, precondition: no sharing of
    /// written data between SMs within a kernel, except by atomics. A request that has passed the
    /// cache takes at least `least_below` cycles.
    void attach(LookAhead& ahead, Cycle least_below) {
        ahead_ = &ahead;
        least_below_ = least_below;
    }
    /// Returns the first cycle at which a read that misses at `now` or later may be answered; call
    /// before a quantum that runs ahead begins.
    [[nodiscard]] Cycle least_answer(Cycle now) const {
        return std::max(now + to_below_, port_free_) + least_below_ + from_below_;
    }
    /// Ends the look-ahead at the quantum's SystemC time: sends the deferred requests and resolves
    /// futures.
    void resolve();
    /// Prefetches the registers of the fills up to `end` into the host's caches.
    void host_prefetch_fills(Cycle end) const { mshr_.host_prefetch(end); }
    [[nodiscard]] const L1Statistics& statistics() const { return stats_; }
    [[nodiscard]] std::uint32_t outstanding() const { return mshr_.size(); }
    [[nodiscard]] Cycle sector_ready(Address address) const override;
    void watch(BlockWatcher* watcher) override { watcher_ = watcher; }
    void attach(std::unique_ptr<Prefetcher> prefetcher, StatGroup& stats) override;
    void attach(std::unique_ptr<Tlb> tlb) override { tlb_ = std::move(tlb); }
    void check(std::vector<std::string>& violations) const override;

private:
    /// Progress of an access.
    struct AccessProgress {
        Cycle looked_up = 0;  ///< cycle of its lookup so far
        Cycle done = 0;
        ServedBy served_by = ServedBy::kNone;
        tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
        std::size_t deferred_begin = 0,
                    deferred_end = 0;  ///< its deferred results; those of prefetches follow
    };
    /// Neighbouring sectors that miss and are not pending yet.
    struct SectorRun {
        std::uint64_t first = 0;
        std::uint32_t sectors = 0;
        bool bypass = false;     ///< bypasses the cache: no register
        bool ahead = false;      ///< prefetch: no access waits for it
        bool multicast = false;  ///< AccessInfo::multicast
        SectorMask present = 0;  ///< sectors of the line in the cache
    };
    /// Deferred result in a quantum that runs ahead: the response to a request, or the slot of a
    /// fill's data on the return path to the registers.
    struct DeferredRequest {
        enum class Kind : std::uint8_t { kRead, kWrite, kReturn, kReturnOf };
        Kind kind = Kind::kRead;
        SectorRun run;            ///< kRead
        Address address = 0;      ///< kWrite
        std::uint32_t bytes = 0;  ///< kWrite
        std::uint32_t of = 0;     ///< kReturnOf: deferred request that brings the data
        /// Cycle at which the request passes the cache or, kReturn, the data arrives.
        Cycle at = 0;
        Cycle ready = 0;  ///< kRead: arrival of the data, once resolved
        Cycle done = 0;   ///< completion for the access, once resolved
    };
    /// A future of an access that depends on deferred results.
    struct Future {
        std::uint32_t number = 0;  ///< in LookAhead
        std::size_t first = 0, end = 0;
        Cycle known = 0;  ///< lower bound of the completion
    };
    /// Settings read by accesses, kept together for the host's caches.
    struct AccessSettings {
        explicit AccessSettings(const L1Config& config);
        std::uint32_t hit_latency;  ///< cycles
        std::uint32_t banks, sectors_per_request, mshr_entries, mshr_targets;
        bool allocates_on_miss, allocates_stores, returns_limited;
    };
    struct Waves {
        WaveRecorder::Signal accesses, hits, pending_hits, misses, mshr_occupancy, id;
    };

    friend LtTargetSocket<L1Cache>;
    void b_transport(int /*port*/, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
        if (!acceptable(transaction, geometry_.line_bytes())) return;
        const Cycle arrival = time_.arrive(delay);
        delay =
            time_.delay_to(serve(transaction, transaction.get_extension<AccessInfo>(), arrival));
    }
    Cycle serve(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle arrival);
    unsigned int transport_dbg(int port, tlm::tlm_generic_payload& transaction);
    void read(std::uint64_t first, std::uint64_t last, bool bypass, AccessProgress& outcome);
    void hit(std::uint32_t sectors, AccessProgress& outcome) {
        stats_.read_hits += sectors;
        outcome.done = std::max(outcome.done, outcome.looked_up + settings_.hit_latency);
        outcome.served_by = std::max(outcome.served_by, ServedBy::kL1);
    }
    bool read_here(std::uint64_t sector, MshrTableLt::Entry* pending, SectorRun& run,
                   AccessProgress& outcome);
    void miss(std::uint64_t sector, SectorRun& run, AccessProgress& outcome);
    /// Returns whether the sector may be added to the current request.
    [[nodiscard]] bool joins(std::uint64_t sector, const SectorRun& run) const {
        return run.first + run.sectors == sector &&
               (geometry_.sector_address(sector) & (below_bytes_ - 1)) != 0;
    }
    void prefetch(const tlm::tlm_generic_payload& read, std::uint32_t stream,
                  AccessProgress outcome);
    bool miss_line(std::uint64_t first, std::uint32_t sectors, SectorRun& run,
                   AccessProgress& outcome);
    void fetch(SectorRun& run, AccessProgress& outcome);
    /// Returns when an access whose fill arrives at `ready` has its data.
    Cycle returned(Cycle ready) {
        return settings_.returns_limited ? returns_.reserve(ready) : ready;
    }
    void begin_lookup(Cycle arrival);
    void stall_lookup(Cycle until, std::uint64_t& stall_cycles, AccessProgress& outcome);
    Cycle send_below(tlm::tlm_generic_payload& request, AccessProgress& outcome);
    Cycle pass_below(tlm::tlm_generic_payload& request, Cycle ready);
    [[nodiscard]] bool defers_requests();
    [[nodiscard]] Cycle room_below(Cycle at);
    /// Returns whether a quantum that runs ahead may leave a fill unresolved for this access: the
    /// fill comes later, and the access fits the targets of its register.
    [[nodiscard]] bool stays_open(const AccessProgress& outcome,
                                  const MshrTableLt::Entry& entry) const {
        return outcome.looked_up < ahead_->bound() &&
               entry.targets < settings_.mshr_targets * entry.count();
    }
    /// Lower bound of the unresolved fills.
    [[nodiscard]] Cycle least_open() const {
        return std::max(deferred_[resolved_].at, port_free_) + least_below_ + from_below_;
    }
    void forget_deferred() {
        deferred_.clear();
        futures_.clear();
        resolved_ = 0;
    }
    void defer_request(DeferredRequest deferred, AccessProgress& outcome);
    void defer_return(const MshrTableLt::Entry& entry);
    Cycle returned_after_deferred(Cycle ready);
    Cycle close(const AccessProgress& outcome, AccessInfo* info);
    void resolve(DeferredRequest& deferred);
    void resolve_read(DeferredRequest& deferred);
    Cycle pass_deferred(tlm::tlm_command command, Address address, std::uint32_t bytes, Cycle at);
    void write(const tlm::tlm_generic_payload& transaction, AtomicKind atomic,
               AccessProgress& outcome);
    [[nodiscard]] tlm::tlm_generic_payload& write_of(const tlm::tlm_generic_payload& transaction,
                                                     Address first, std::uint32_t bytes);
    /// Allocates a way for the line, with `valid` sectors added.
    void allocate(LineNumber line, SectorMask valid) {
        const auto victim = tags_.fill(line, valid, 0);
        stats_.evictions += static_cast<std::uint64_t>(__builtin_popcount(victim.valid));
        const bool is_followed = watcher_ != nullptr || prefetch_ != nullptr;
        if (is_followed && victim.valid != 0) report_lost(victim);
    }
    /// Reports the loss of a line's sectors to the watcher and prefetcher.
    void report_lost(const SectorTags::Victim& victim);
    void install(const MshrTableLt::Entry& entry);
    void read_data(const tlm::tlm_generic_payload& transaction);

    AccessSettings settings_;
    WaveRecorder* wave_;
    bool multicast_ = false;       ///< AccessInfo::multicast of the request below
    std::uint64_t access_id_ = 0;  ///< AccessInfo::id of the access being served
    BlockWatcher* watcher_ = nullptr;
    std::unique_ptr<PrefetchTracker> prefetch_;  ///< null: no prefetching
    std::unique_ptr<Tlb> tlb_;                   ///< null: translation takes no time
    CacheGeometry geometry_;
    Cycle to_below_, from_below_;  ///< halves of miss_latency_cycles
    Address below_bytes_;          ///< requests below do not cross its multiples
    LtTime time_;
    bool values_;
    SectorTags tags_;
    MshrTableLt mshr_;
    ReservationTable returns_;     ///< return path from fills to the registers
    FifoOccupancy queue_;          ///< before the lookup
    Cycle lookup_cycle_ = 0;       ///< cycle of the latest lookups
    std::uint32_t looked_up_ = 0;  ///< sectors looked up in it
    FifoOccupancy miss_queue_;     ///< requests queued for the crossbar
    Cycle port_free_ = 0;          ///< when the crossbar has accepted the last request
    std::uint64_t queue_stall_cycles_ = 0, queue_full_cycles_ = 0;
    RequestPayload request_;
    std::vector<unsigned char> scratch_;  ///< one line, for bytes that are not needed
    L1Statistics stats_;
    CallGate gate_;
    LookAhead* ahead_ = nullptr;  ///< null: no quantum runs ahead
    Cycle least_below_ = 0;
    std::vector<DeferredRequest> deferred_;  ///< deferred results of the quantum
    std::vector<Future> futures_;            ///< futures of the quantum
    std::size_t resolved_ = 0;               ///< leading deferred results that are resolved
    std::size_t unresolved_requests_ = 0;    ///< requests among the others
    // Rarely used members last, for the host's caches.
    Waves waves_{};
    L1Config config_;
};

}  // namespace tessera
