// L1 data cache of an SM, loosely timed.
#pragma once

#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/memory/core/l1_policy.h"
#include "sc_models/memory/core/mshr_table_lt.h"
#include "sc_models/memory/l1.h"
#include "sc_models/memory/lt/l1_miss_port.h"
#include "sc_models/tlm/lt/look_ahead.h"
#include "sc_models/tlm/lt/lt_socket.h"
#include "sc_models/tlm/lt/queue_occupancy.h"
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
/// L1Policy decides what hits, merges, allocates and is split; requests leave by L1MissPort. In a
/// quantum that runs ahead of SystemC's time the port defers them (LookAhead): AccessInfo::future
/// of the response then resolves to the completion of the access, which the delay only bounds from
/// below. resolve() sends the deferred requests.
///
/// The cache holds tags only. With `values`, data is moved at the time of the call, from and to the
/// memory below the sockets: hits read it by transport_dbg.
class L1Cache : public L1 {
public:
    LtTargetSocket<L1Cache> target;
    L1MissPort::Socket initiator;

    /// Throws ConfigError as L1Policy does.
    L1Cache(const sc_core::sc_module_name& name, const L1Context& context, const ClockDomain& clock,
            Observers observers);
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
    void attach(LookAhead& ahead, Cycle least_below) { misses_.attach(ahead, least_below); }
    /// Returns the first cycle at which a read that misses at `now` or later may be answered; call
    /// before a quantum that runs ahead begins.
    [[nodiscard]] Cycle least_answer(Cycle now) const { return misses_.least_answer(now); }
    /// Ends the look-ahead at the quantum's SystemC time: sends the deferred requests and resolves
    /// futures.
    void resolve() { misses_.resolve(); }
    /// Prefetches the registers of the fills up to `end` into the host's caches.
    void host_prefetch_fills(Cycle end) const { misses_.registers().host_prefetch(end); }
    [[nodiscard]] const L1Statistics& statistics() const { return policy_.statistics(); }
    [[nodiscard]] std::uint32_t outstanding() const { return misses_.registers().size(); }
    [[nodiscard]] Cycle sector_ready(Address address) const override;
    void watch(BlockWatcher* watcher) override { policy_.watch(watcher); }
    void attach(std::unique_ptr<Prefetcher> prefetcher, StatGroup& stats) override {
        policy_.attach(std::move(prefetcher), stats);
    }
    void attach(std::unique_ptr<Tlb> tlb) override { misses_.attach(std::move(tlb)); }
    void check(std::vector<std::string>& violations) const override;

private:
    /// Progress of an access.
    struct AccessProgress : L1MissPort::AccessResult {
        Cycle looked_up = 0;     ///< cycle of its lookup so far
        bool multicast = false;  ///< AccessInfo::multicast
    };
    /// Sectors that miss, of a line with the sectors `present` in the cache.
    struct SectorRun : MissedSectors {
        SectorMask present = 0;
    };
    class PrefetchShell;

    friend LtTargetSocket<L1Cache>;
    void b_transport(int /*port*/, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
        if (!acceptable(transaction, geometry_.line_bytes())) return;
        const Cycle arrival = time_.arrive(delay);
        delay =
            time_.delay_to(serve(transaction, transaction.get_extension<AccessInfo>(), arrival));
    }
    Cycle serve(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle arrival);
    unsigned int transport_dbg(int port, tlm::tlm_generic_payload& transaction);
    void read(std::uint64_t first, std::uint64_t last, bool bypass, AccessProgress& access);
    bool read_here(std::uint64_t sector, MshrTableLt::Entry* pending, SectorRun& run,
                   AccessProgress& access);
    void miss(std::uint64_t sector, SectorRun& run, AccessProgress& access);
    bool miss_line(std::uint64_t first, std::uint32_t sectors, SectorRun& run,
                   AccessProgress& access);
    void fetch(SectorRun& run, AccessProgress& access);
    void prefetch(const tlm::tlm_generic_payload& read, const AccessInfo* info,
                  const AccessProgress& access);
    void begin_lookup(Cycle arrival);
    void stall_lookup(Cycle until, std::uint64_t& stall_cycles, AccessProgress& access);
    void wait_for_room(AccessProgress& access) {
        stall_lookup(misses_.room(access.looked_up), stats_.queue_stall_cycles, access);
    }
    void write(const tlm::tlm_generic_payload& transaction, AtomicKind atomic,
               AccessProgress& access);
    void install(const MshrTableLt::Entry& entry) {
        policy_.install(entry.line, static_cast<SectorMask>(entry.sectors));
    }

    L1Policy policy_;
    L1Statistics& stats_;
    const CacheGeometry& geometry_;
    LtTime time_;
    L1MissPort misses_;
    MshrTableLt& mshr_;
    const std::uint32_t hit_latency_, banks_;
    const bool values_;
    FifoOccupancy queue_;          ///< before the lookup
    Cycle lookup_cycle_ = 0;       ///< cycle of the latest lookups
    std::uint32_t looked_up_ = 0;  ///< sectors looked up in it
    CallGate gate_;
};

}  // namespace tessera
