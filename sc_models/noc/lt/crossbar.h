// Crossbar between SMs and L2 slices, loosely timed.
#pragma once

#include <algorithm>
#include <systemc>
#include <vector>

#include "sc_models/common/link_rate.h"
#include "sc_models/common/observer.h"
#include "sc_models/config/noc_config.h"
#include "sc_models/memory/core/address_map.h"
#include "sc_models/noc/core/crossbar_statistics.h"
#include "sc_models/noc/core/noc_context.h"
#include "sc_models/noc/noc.h"
#include "sc_models/tlm/lt/lt_socket.h"
#include "sc_models/tlm/lt/queue_occupancy.h"
#include "sc_models/tlm/lt/reservation_table.h"

namespace tessera {

/// Crossbar: one target socket for each SM, one initiator socket for each slice; the address
/// selects the slice. Loosely timed: the resources are ports, and the request_queue_entries of each
/// SM's requests, from their arrival until their slice takes them; with `queueing: fifo` in order.
/// A request takes its SM's request port, in order, latency_cycles, and the slice's input; data
/// takes the slice's output, latency_cycles, and the SM's response port. A read request and a write
/// of up to one sector take the bandwidth of a sector on the request ports; the acknowledgement of
/// a write takes none and adds no latency: a write returns when the slice has accepted it.
/// AccessInfo::accepted, if carried, is the cycle at which the SM's request port took the request.
class Crossbar : public Noc {
public:
    using TargetSocket = LtTargetSocket<Crossbar>;
    using InitiatorSocket = LtInitiatorSocket<Crossbar>;
    sc_core::sc_vector<TargetSocket> targets;        ///< indexed by SM
    sc_core::sc_vector<InitiatorSocket> initiators;  ///< indexed by slice

    Crossbar(const sc_core::sc_module_name& name, const CrossbarContext& context,
             const ClockDomain& clock, Observers observers);
    Crossbar(const Crossbar&) = delete;
    Crossbar& operator=(const Crossbar&) = delete;

    [[nodiscard]] tlm::tlm_base_target_socket_b<>& sm_socket(SmId sm) override {
        return targets[sm.value()];
    }
    [[nodiscard]] tlm::tlm_base_initiator_socket<>& slice_socket(std::uint32_t slice) override {
        return initiators[slice];
    }
    [[nodiscard]] const NocTraffic& traffic() const override { return stats_; }
    void check(std::vector<std::string>& violations) const override;

private:
    struct SmPort {
        LinkRate request;
        UnorderedOccupancy queue;  ///< of requests
        ReservationTable response;
        Cycle last_received = 0;  ///< when a slice received the SM's last request; a FIFO's
                                  ///< requests do not overtake it
        Cycle advanced_to = 0;
        void advance(Cycle now) {
            if (now == advanced_to) return;
            advanced_to = now;
            response.advance(now);
        }
    };
    struct SlicePort {
        ReservationTable request, response;
        Cycle advanced_to = 0;
        void advance(Cycle now) {
            if (now == advanced_to) return;
            advanced_to = now;
            request.advance(now);
            response.advance(now);
        }
    };

    friend TargetSocket;
    void b_transport(int sm, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
        if (!acceptable(transaction, map_.interleave_bytes())) return;
        const Cycle arrival = time_.arrive(delay);
        delay = time_.delay_to(
            serve(sm, transaction, transaction.get_extension<AccessInfo>(), arrival));
    }
    Cycle serve(int sm, tlm::tlm_generic_payload& transaction, AccessInfo* info, Cycle arrival);
    unsigned int transport_dbg(int sm, tlm::tlm_generic_payload& transaction);
    [[nodiscard]] std::uint32_t pieces(std::uint32_t bytes) const {
        const std::uint64_t last = bytes == 0 ? 0 : bytes - 1;
        return 1 + static_cast<std::uint32_t>(last / sector_bytes_);
    }

    Cycle latency_;
    bool fifo_;
    Divisor sector_bytes_;
    LtTime time_;
    const AddressMap& map_;
    std::vector<SmPort> sm_ports_;
    std::vector<SlicePort> slice_ports_;
    CrossbarStatistics stats_;
    WaveRecorder* wave_;
    std::vector<WaveRecorder::Signal> request_waves_, response_waves_,
        id_waves_;  ///< indexed by SM
};

}  // namespace tessera
