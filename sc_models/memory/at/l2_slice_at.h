// Slice of the L2 cache, approximately timed.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <string>
#include <systemc>
#include <vector>

#include "sc_models/common/due_queue.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/ring_queue.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/at/cache_front_end.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/memory/core/atomic_unit.h"
#include "sc_models/memory/core/cache_geometry.h"
#include "sc_models/memory/core/l2_statistics.h"
#include "sc_models/memory/core/memory_context.h"
#include "sc_models/memory/core/mshr_table_at.h"
#include "sc_models/memory/core/sector_tags.h"
#include "sc_models/tlm/at/at_context.h"
#include "sc_models/tlm/payload_pool.h"

namespace tessera {

/// L2 slice: sectored, write-back, write-allocate; a partial write of a missing sector fetches it,
/// a full one does not. `target` takes reads and writes of bytes within one line at global
/// addresses, four-phase base protocol.
///
/// Requests enter a queue of request_queue_entries; while it is full, END_REQ is withheld. They are
/// looked up in order, as many a cycle as the crossbar delivers; the first that stalls (no free
/// miss register, miss_queue_entries requests to DRAM queued, response_queue_entries reads not
/// answered) blocks those behind it. A read hit is answered hit_latency_cycles after its lookup. A
/// miss is sent to `initiator` half of hit_latency_cycles later, and is answered the other half
/// after its data returned; the sector is valid from then on, and reads until then share it. A
/// write is answered at its lookup. Dirty sectors evicted by a fill or a write are written back
/// immediately, in order with the misses; those of a fill never wait for room, so that fills always
/// complete. An atomic (AccessInfo::atomic) is a write that is looked up when the slice's
/// atomic-add unit is free, and is answered when its words are added.
///
/// With `values`, data moves between payload and the memory below at the lookup, by transport_dbg.
class L2SliceAt : public sc_core::sc_module, private Clocked {
public:
    tlm_utils::simple_target_socket<L2SliceAt> target;
    tlm_utils::simple_initiator_socket<L2SliceAt> initiator;

    /// The objects in `at` must outlive the slice. Throws ConfigError on invalid lines and sectors.
    L2SliceAt(const sc_core::sc_module_name& name, const L2Context& context, const AtContext& at);
    L2SliceAt(const L2SliceAt&) = delete;
    L2SliceAt& operator=(const L2SliceAt&) = delete;

    [[nodiscard]] const L2Statistics& statistics() const { return stats_; }
    /// Returns the fetches and write-backs counted and not yet accepted below.
    [[nodiscard]] std::uint64_t unsent_fetches() const {
        return fetches_.size() + unaccepted(true);
    }
    [[nodiscard]] std::uint64_t unsent_write_backs() const {
        return write_backs_.size() + unaccepted(false);
    }
    /// Returns the number of pending accesses, misses and write-backs.
    [[nodiscard]] std::size_t outstanding() const {
        return front_end_.outstanding() + mshr_.size() + writes_below_ + write_backs_.size();
    }
    [[nodiscard]] bool idle() const { return outstanding() == 0; }
    /// Appends a line for each reason why a request waits.
    void describe_waiting(std::vector<std::string>& lines) const;
    /// Appends a line for each broken conservation law.
    void check(std::vector<std::string>& violations) const;

private:
    using Index = CacheFrontEnd::Index;
    using Payload = tlm::tlm_generic_payload;
    struct Fetch {
        std::uint64_t sector = 0;
        Cycle at = 0;  ///< earliest departure
        MshrTableAt::Index mshr = MshrTableAt::kNone;
        std::uint64_t id = 0;  ///< AccessInfo::id
    };
    struct WriteBack {
        std::uint64_t sector = 0;
        Cycle at = 0;
    };
    struct Fill {
        MshrTableAt::Index mshr = MshrTableAt::kNone;
        tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    };

    struct SentWriteBack {
        const PooledPayload* payload;
        std::vector<unsigned char> newest;
    };

    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
        return front_end_.transport(payload, phase, delay);
    }
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned int transport_dbg(Payload& payload);
    void evaluate() override;
    void exchange_boundary() override;
    void install(const Fill& fill, Cycle now);
    void look_up(Cycle now);
    void count_stall(LookupStall stall, Cycle now);
    [[nodiscard]] LookupStall look_up_sectors(Index index, Cycle now);
    [[nodiscard]] LookupStall read_sector(std::uint64_t sector, Index index, Cycle now);
    [[nodiscard]] LookupStall write_sector(std::uint64_t sector, bool full, Index index, Cycle now);
    [[nodiscard]] LookupStall fetch(std::uint64_t sector, Cycle now, MshrTableAt::Index& mshr);
    void allocate(std::uint64_t sector, bool dirty, Cycle now);
    void finish_lookup(Cycle now);
    void send(Cycle now);
    void send_fetch();
    void send_write_back();
    void response_from_below(PooledPayload& payload, Cycle at);
    void respond(Cycle now);
    void move_data(Payload& payload);
    [[nodiscard]] unsigned debug_below(Payload& payload);
    void settle(const PooledPayload& write_back);
    [[nodiscard]] std::uint64_t unaccepted(bool read) const {
        return link_.waiting() != nullptr && link_.waiting()->is_read() == read ? 1 : 0;
    }
    [[nodiscard]] Address global(std::uint64_t sector) const {
        return map_.global(index_, geometry_.sector_address(sector));
    }

    // Lines and sectors are numbered by slice-local address.
    L2Config config_;
    std::uint32_t index_;
    CacheGeometry geometry_;
    Cycle to_below_, from_below_;  ///< halves of hit_latency_cycles
    const AddressMap& map_;
    bool values_;
    PayloadPool& pool_;
    SectorTags tags_;
    MshrTableAt mshr_;
    CycleAlarm alarm_;

    CacheFrontEnd front_end_;
    std::uint32_t unanswered_reads_ = 0;  ///< reads looked up and not answered
    RingQueue<Fetch> fetches_;
    RingQueue<WriteBack> write_backs_;
    std::uint32_t writes_below_ = 0;  ///< write-backs sent and not answered
    /// Sent write-backs with the newest contents of their sectors (values): until its response, the
    /// memory below may overwrite newer bytes with the older ones of the write-back.
    std::vector<SentWriteBack> sent_write_backs_;
    Payload* taken_ = nullptr;  ///< accepted request that was blocked; its END_REQ is due
    Cycle taken_at_ = 0;
    RequestLink link_;
    DueQueue<Fill> fills_;

    std::uint64_t blocked_cycles_ = 0, queue_stall_cycles_ = 0;
    AtomicUnit atomics_;
    Cycle atomic_unit_free_ = 0;
    L2Statistics stats_;
    WaveRecorder* wave_;
    WaveRecorder::Signal wave_hits_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal wave_misses_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal wave_mshr_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal wave_id_ = WaveRecorder::kNoSignal;
};

}  // namespace tessera
