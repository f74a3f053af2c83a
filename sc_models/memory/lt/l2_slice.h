// Slice of the L2 cache, loosely timed.
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/config/memory_config.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/memory/core/atomic_unit.h"
#include "sc_models/memory/core/cache_geometry.h"
#include "sc_models/memory/core/l2_statistics.h"
#include "sc_models/memory/core/memory_context.h"
#include "sc_models/memory/core/mshr_table_lt.h"
#include "sc_models/memory/core/sector_tags.h"
#include "sc_models/tlm/lt/lt_socket.h"
#include "sc_models/tlm/lt/queue_occupancy.h"
#include "sc_models/tlm/lt/reservation_table.h"
#include "sc_models/tlm/transaction.h"

namespace tessera {

/// L2 slice: sectored, write-back, write-allocate. Loosely timed; its ports belong to the crossbar.
///
/// `target` takes reads and writes within one line of global addresses that belong to the slice. A
/// hit has its data hit_latency_cycles after its arrival; a miss spends half of that before and
/// half after `initiator` (DRAM). Requests for a pending sector are served with its fill; if all
/// miss registers are taken, a lookup waits until the first fill is complete, and so do those
/// behind it. request_queue_entries requests have room before the lookup; AccessInfo::accepted, if
/// carried, is the cycle at which a request entered the queue. A write of a full sector allocates
/// without a fetch; a partial write fetches its sector first and is merged with it. Writes return
/// when the slice has accepted them. Dirty sectors of replaced lines are written to DRAM. An atomic
/// (AccessInfo::atomic) is a write that occupies the slice's atomic-add unit when it is accepted,
/// and returns when its words are added.
///
/// The slice holds tags only: with `values`, data moves between the payload and the memory below at
/// the time of the call.
class L2Slice : public sc_core::sc_module {
public:
    LtTargetSocket<L2Slice> target;
    LtInitiatorSocket<L2Slice> initiator;

    /// Throws ConfigError on invalid lines and sectors.
    L2Slice(const sc_core::sc_module_name& name, const L2Context& context, const ClockDomain& clock,
            Observers observers);
    L2Slice(const L2Slice&) = delete;
    L2Slice& operator=(const L2Slice&) = delete;

    /// Leaves the bytes out of write-backs: the DRAM channel below keeps those of the writes. Once,
    /// before the simulation starts. A foreign memory would store what it gets.
    void omit_written_back_bytes() { sends_bytes_ = false; }
    [[nodiscard]] const L2Statistics& statistics() const { return stats_; }
    [[nodiscard]] std::uint32_t outstanding() const { return mshr_.size(); }
    /// Appends a line for each broken conservation law.
    void check(std::vector<std::string>& violations) const;

private:
    /// Progress of a request.
    struct RequestProgress {
        Cycle accepted;
        Cycle done;
        ServedBy served_by;
        tlm::tlm_response_status status;
    };

    friend LtTargetSocket<L2Slice>;
    void b_transport(int /*port*/, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
        if (!acceptable(transaction, geometry_.line_bytes())) return;
        const Cycle arrival = time_.arrive(delay);
        delay =
            time_.delay_to(serve(transaction, transaction.get_extension<AccessInfo>(), arrival));
    }
    Cycle serve(tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle arrival);
    unsigned int transport_dbg(int port, tlm::tlm_generic_payload& transaction);
    Cycle wait_in_queue(Cycle arrival, Cycle looked_up, Cycle accepted);
    void read(Address begin, Address end, RequestProgress& outcome);
    /// Miss registers of a line, by sector; null: none.
    using LineRegisters = std::array<MshrTableLt::Entry*, kMaxLineSectors>;
    [[nodiscard]] LineRegisters registers_of(LineNumber line);
    void write(Address begin, Address end, RequestProgress& outcome);
    void fetch(LineNumber line, SectorMask bit, bool dirty, RequestProgress& outcome);
    void install(const MshrTableLt::Entry& entry);
    void allocate(LineNumber line, SectorMask sectors, SectorMask dirty, Cycle at);
    void write_back(LineNumber line, SectorMask bit, Cycle at);
    void take_atomic_unit(std::uint32_t bytes, Cycle arrival, RequestProgress& outcome);
    void move_data(tlm::tlm_generic_payload& transaction);
    /// Returns the slice-local address of a sector.
    [[nodiscard]] Address local(LineNumber line, SectorMask bit) const {
        const auto sector = static_cast<std::uint32_t>(__builtin_ctz(bit));
        return geometry_.sector_address(geometry_.first_sector(line) + sector);
    }

    // Lines and sectors are numbered by slice-local address.
    const std::uint32_t hit_latency_;  ///< cycles
    std::uint32_t index_;
    CacheGeometry geometry_;
    Cycle to_below_, from_below_;  ///< halves of hit_latency_cycles
    LtTime time_;
    UnorderedOccupancy queue_;                    ///< before the lookup
    Cycle blocked_from_ = 0, blocked_until_ = 0;  ///< interval in which lookups are blocked
    const AddressMap& map_;
    /// Offset from local to global addresses in the line of the current request, which lies in one
    /// block of the map.
    Address to_global_ = 0;
    bool values_;
    bool sends_bytes_ = values_;  ///< write-backs carry the bytes of the memory below
    SectorTags tags_;
    MshrTableLt mshr_;
    RequestPayload request_;
    std::vector<unsigned char> scratch_;  ///< one sector
    AtomicUnit atomics_;
    ReservationTable atomic_cycles_{1, 1};
    Cycle last_atomic_turn_ = 0;
    L2Statistics stats_;
    WaveRecorder* wave_;
    WaveRecorder::Signal wave_hits_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal wave_misses_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal wave_mshr_ = WaveRecorder::kNoSignal;
    WaveRecorder::Signal wave_id_ = WaveRecorder::kNoSignal;
    std::uint64_t access_id_ = 0;  ///< AccessInfo::id of the request being served
    CallGate gate_;                ///< last, for the host's caches
};

}  // namespace tessera
