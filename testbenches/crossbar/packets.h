// Checks of what a network delivers to the slices, and of the bandwidth of its links.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "sc_models/config/noc_config.h"
#include "testbenches/harness/initiator.h"
#include "testbenches/harness/memory_operations.h"
#include "testbenches/harness/memory_target.h"
#include "testbenches/harness/naive_address_map.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Naive reference of a lone packet and of the order of all packets of an SM to a slice.
class Packets {
public:
    Packets(Session& session, const NocConfig& config, const L2Config& l2)
        : session_(session),
          config_(config),
          map_(l2),
          block_bytes_(l2.slice_interleave_bytes),
          sector_bytes_(l2.sector_bytes) {}

    [[nodiscard]] const NaiveAddressMap& map() const { return map_; }
    /// Returns the number of sectors that `bytes` take on a link.
    [[nodiscard]] std::uint32_t pieces(std::uint32_t bytes) const {
        return (bytes + sector_bytes_ - 1) / sector_bytes_;
    }
    /// Returns the latency of a packet that is alone: each link carries its pieces one after the
    /// other, and passes it on with the last one. `below`: latency of the slice.
    [[nodiscard]] Cycle latency(const MemoryOperation& operation, Cycle below) const;

    /// Records a packet in the order of its SM.
    void note_sent(const MemoryOperation& operation);
    /// Returns the number of pairs of an SM and a slice that had packets.
    [[nodiscard]] std::size_t pairs() const { return sent_.size(); }
    /// Checks all deliveries, whose SM the place of their data tells: each packet once, at the
    /// slice of its address, and after those that its SM has sent to that slice before.
    void check_delivered(const std::vector<Initiator*>& sms,
                         const std::vector<MemoryEvent>& delivered);
    /// Checks the bandwidth of the request and response links of each SM and of the inputs of the
    /// slices.
    void check_links(const std::vector<Initiator*>& sms, const std::vector<MemoryEvent>& delivered,
                     std::uint32_t slices);

private:
    struct Packet {
        tlm::tlm_command command;
        Address address;
        std::uint32_t bytes;
    };
    [[nodiscard]] Cycle through(Cycle at, std::uint32_t pieces, std::uint32_t rate) const;
    [[nodiscard]] std::uint32_t request_pieces(tlm::tlm_command command,
                                               std::uint32_t bytes) const {
        return command == tlm::TLM_WRITE_COMMAND ? pieces(bytes) : 1;
    }

    Session& session_;
    const NocConfig config_;
    const NaiveAddressMap map_;
    const std::uint32_t block_bytes_, sector_bytes_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Packet>> sent_;  ///< SM, slice
};

}  // namespace tessera::testbench
