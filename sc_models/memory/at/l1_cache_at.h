// L1 data cache of an SM, approximately timed.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/due_queue.h"
#include "sc_models/common/link_rate.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/at/cache_front_end.h"
#include "sc_models/memory/core/atomic_unit.h"
#include "sc_models/memory/core/l1_policy.h"
#include "sc_models/memory/core/mshr_table_at.h"
#include "sc_models/memory/l1.h"
#include "sc_models/tlm/at/at_context.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// L1 data cache: sectored, write-through. The data banks belong to the LDST
/// unit, which spaces the accesses.
///
/// Contract of `target` for initiators (base protocol, four phases):
/// - Reads and writes of bytes within one line, no byte enables, no streaming; anything else is
///   completed at once (TLM_COMPLETED) with the error in the response status.
/// - BEGIN_REQ is answered immediately with END_REQ (TLM_UPDATED) while the queue before the
///   lookup, of request_queue_entries, has room; several requests may thus be sent in one cycle.
///   When it is full the call returns TLM_ACCEPTED, and END_REQ comes by nb_transport_bw in the
///   cycle in which a request leaves the queue. END_REQ means only that the next request may be
///   sent.
/// - Requests are looked up in order, from the cycle of their arrival on; a cycle begins no further
///   request once `banks` sectors were looked up in it. A request that stalls (no free miss
///   register, a register with mshr_targets accesses, miss_queue_entries requests below) blocks
///   those behind it.
/// - BEGIN_RESP of a read: all its data is there, hit_latency_cycles after the lookup of a hit,
///   and with the fill of the last missing sector. BEGIN_RESP of a write: L2 has accepted all of
///   it. Responses may overtake each other, and several may come in one cycle, one by one: the next
///   after END_RESP of the one before, which is best given immediately (TLM_COMPLETED, or
///   TLM_UPDATED with END_RESP). END_RESP by a later nb_transport_fw is allowed and delays the
///   other responses.
/// - Annotated delays of incoming calls are honoured; the cache itself annotates none.
/// - With `values`, the data of a write must stay valid until BEGIN_RESP. A read that misses a
///   sector gets the bytes of its own request below; a read of a sector that is present or pending
///   gets the memory's contents at its lookup, merged with the cache's own pending writes.
/// - A read with AccessInfo::bypass_l1 uses no register and leaves the cache unchanged: its data
///   always comes from L2.
/// - With a prefetcher, predicted sectors that are neither present nor pending are requested in the
///   cycle of a read's lookup. That uses miss registers and queue entries, but no lookup;
///   requests without room are dropped.
/// - Sectors that waited for fills reach the registers at returns_per_cycle, in the order of their
///   requests.
/// - The AccessInfo of the payload, if any, gets `accepted` (when the lookup was complete) and
///   `served_by` (the farthest level a sector came from).
///
/// Requests of `initiator`: reads of the sectors that an access misses in one cycle, neighbours up
/// to sectors_per_request in one, and writes of all bytes of a line, half of miss_latency_cycles
/// after the lookup; the data is in the cache, and its registers free, the other half after
/// BEGIN_RESP. L1Policy says which those are, and what a fill evicts.
class L1CacheAt : public L1, private Clocked {
public:
    tlm_utils::simple_target_socket<L1CacheAt> target;
    tlm_utils::simple_initiator_socket<L1CacheAt> initiator;

    /// Throws ConfigError as L1Policy does. The objects in `at` must outlive the cache.
    L1CacheAt(const sc_core::sc_module_name& name, const L1Context& context, const AtContext& at);
    L1CacheAt(const L1CacheAt&) = delete;
    L1CacheAt& operator=(const L1CacheAt&) = delete;

    /// Drops all contents, as at the start of a kernel; the cache must be idle.
    void invalidate();
    [[nodiscard]] tlm::tlm_base_target_socket_b<>& from_ldst() override { return target; }
    [[nodiscard]] tlm::tlm_base_initiator_socket<>& to_memory() override { return initiator; }
    void resize(std::uint32_t capacity_bytes) override;
    [[nodiscard]] const L1Statistics& statistics() const { return policy_.statistics(); }
    /// Returns the number of pending accesses.
    [[nodiscard]] std::size_t outstanding() const { return front_end_.outstanding(); }
    [[nodiscard]] bool idle() const { return outstanding() == 0 && mshr_.size() == 0; }
    [[nodiscard]] Cycle sector_ready(Address address) const override;
    void watch(BlockWatcher* watcher) override { policy_.watch(watcher); }
    void attach(std::unique_ptr<Prefetcher> prefetcher, StatGroup& stats) override {
        policy_.attach(std::move(prefetcher), stats);
    }
    void attach(std::unique_ptr<Tlb> tlb) override { tlb_ = std::move(tlb); }
    void describe_waiting(std::vector<std::string>& lines) const override;
    void check(std::vector<std::string>& violations) const override;

private:
    using Index = CacheFrontEnd::Index;
    using Payload = tlm::tlm_generic_payload;
    struct QueuedRequest {
        PooledPayload* payload = nullptr;
        Cycle at = 0;  ///< earliest departure
    };
    struct Fill {
        std::uint64_t first = 0;  ///< first sector
        std::uint32_t sectors = 0;
        std::uint64_t tag = 0;  ///< tag of its request
        tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
        ServedBy served_by = ServedBy::kNone;
    };
    class PrefetchShell;

    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        if (phase == tlm::BEGIN_REQ) host_prefetch(geometry_.sector(payload.get_address()));
        return front_end_.transport(payload, phase, delay);
    }
    /// Host prefetch of the state that a lookup or fill of the sector reads.
    void host_prefetch(std::uint64_t sector) const {
        policy_.host_prefetch(geometry_.line_of_sector(sector));
        mshr_.host_prefetch(sector);
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned int transport_dbg(Payload& payload);
    void expect_idle() const;
    void evaluate() override;
    void exchange_boundary() override;
    void install(const Fill& fill, Cycle now);
    void install(std::uint64_t sector, const Fill& fill, Cycle now);
    void complete_sector(Index index, const Fill& fill, ServedBy level, Cycle now);
    void look_up(Cycle now);
    [[nodiscard]] LookupStall look_up_sectors(Index index, Cycle now);
    [[nodiscard]] LookupStall read_sector(std::uint64_t sector, Index index, Cycle now);
    [[nodiscard]] LookupStall read_bypass(std::uint64_t sector, Index index, Cycle now);
    [[nodiscard]] bool joins(std::uint64_t sector, Index index, Cycle now) const;
    [[nodiscard]] bool has_miss_slot(std::uint64_t sector, Index index, Cycle now) const {
        return miss_queue_.size() < config_.miss_queue_entries || joins(sector, index, now);
    }
    MshrTableAt::Index miss(std::uint64_t sector, Index index, Cycle now);
    void prefetch(const CacheAccess& access, Cycle now);
    void send_miss(std::uint64_t sector, Index index, bool bypass, Cycle now);
    [[nodiscard]] LookupStall write(Index index, Cycle now);
    void finish_lookup(Cycle now);
    void count_stall(LookupStall stall, Cycle now);
    [[nodiscard]] Cycle leaves(const Payload& request, Cycle now);
    [[nodiscard]] Cycle next_leaves() const;
    void send(Cycle now);
    void response_from_below(PooledPayload& payload, Cycle at);
    void respond(Cycle now);
    void read_data(std::uint64_t sector, const Payload& access);
    void keep_data(const PooledPayload& read);
    [[nodiscard]] const Payload& payload_of(Index index) const {
        return *front_end_[index].payload;
    }
    /// Returns whether reads of the same SM see the bytes of this write before L2 has them;
    /// excludes atomics, whose bytes are not the new contents of memory.
    [[nodiscard]] bool keeps(const Payload& write) const {
        return values_ && atomic_kind(write) == AtomicKind::kNone;
    }
    void forward_pending_writes(Address address, unsigned char* data, std::uint32_t bytes) const;

    L1Config config_;
    L1Policy policy_;
    L1Statistics& stats_;
    const CacheGeometry& geometry_;
    Cycle to_below_, from_below_;  ///< halves of miss_latency_cycles
    bool values_;
    PayloadPool& pool_;
    MshrTableAt mshr_;
    LinkRate returns_;  ///< return path from fills to the registers
    CycleAlarm alarm_;

    CacheFrontEnd front_end_;
    Cycle lookup_cycle_ = 0;               ///< cycle of the latest lookups
    std::uint32_t looked_up_ = 0;          ///< sectors looked up in it
    RingQueue<QueuedRequest> miss_queue_;  ///< requests queued for the crossbar, including writes
    PooledPayload* latest_ = nullptr;      ///< last read request, extensible in its cycle
    MissedSectors latest_sectors_;         ///< its sectors
    Cycle latest_made_ = kNever;
    std::vector<const PooledPayload*>
        writes_;  ///< accepted and not answered from below, oldest first
    RequestLink link_;
    DueQueue<Fill> fills_;

    std::vector<unsigned char> scratch_;  ///< one line: data of writes without values
    std::unique_ptr<Tlb> tlb_;            ///< null: translation takes no time
};

}  // namespace tessera
