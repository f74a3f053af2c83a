#include "testbenches/crossbar/packets.h"

#include <fmt/format.h>
#include <algorithm>
#include <unordered_map>

#include "testbenches/harness/bandwidth.h"

namespace tessera::testbench {

/// Returns the cycle at which the last of `pieces` begins on an idle link, to which they come at
/// `at`. Piece p of all that the link can carry begins at cycle p * sector / rate.
Cycle Packets::through(Cycle at, std::uint32_t pieces, std::uint32_t rate) const {
    const std::uint64_t last = at * rate / sector_bytes_ + pieces - 1;
    return std::max(at, last * sector_bytes_ / rate);
}

Cycle Packets::latency(const MemoryOperation& operation, Cycle below) const {
    const std::uint32_t out = request_pieces(operation.command, operation.bytes);
    const Cycle hop = config_.latency_cycles;
    Cycle at = through(operation.at, out, config_.request_bytes_per_cycle);
    at = through(at + hop, out, config_.slice_bytes_per_cycle) + below;
    if (operation.command == tlm::TLM_READ_COMMAND) {
        const std::uint32_t back = pieces(operation.bytes);
        at = through(at, back, config_.slice_bytes_per_cycle);
        at = through(at + hop, back, config_.response_bytes_per_cycle);
    }
    return at - operation.at;
}

void Packets::note_sent(const MemoryOperation& operation) {
    const std::uint32_t slice = map_.slice_of(operation.address);
    sent_[{operation.port, slice}].push_back(
        {operation.command, operation.address, operation.bytes});
}

void Packets::check_delivered(const std::vector<Initiator*>& sms,
                              const std::vector<MemoryEvent>& delivered) {
    Scoreboard& board = session_.scoreboard;
    std::unordered_map<const unsigned char*, std::uint32_t> senders;
    for (std::uint32_t sm = 0; sm < sms.size(); ++sm) {
        for (const Request& request : sms[sm]->plan) senders.emplace(request.data, sm);
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, Cycle> last;
    for (const MemoryEvent& event : delivered) {
        board.begin_cycle(event.at);
        const std::uint32_t slice = map_.slice_of(event.address);
        const auto sender = senders.find(event.data);
        if (!board.expect_count("senders of a delivered packet", 1,
                                sender == senders.end() ? 0 : 1)) {
            continue;
        }
        const std::uint32_t sm = sender->second;
        board.describe_inputs_by([&event, sm] {
            return fmt::format("{} {} bytes at {:#x} of SM {}, delivered to slice {}",
                               event.command == tlm::TLM_WRITE_COMMAND ? "write" : "read",
                               event.bytes, event.address, sm, event.link);
        });
        board.expect_count("slice of a packet", slice, event.link);
        std::deque<Packet>& packets = sent_[{sm, slice}];
        if (!board.expect_count("packets of the SM to this slice left to deliver, or more", 1,
                                packets.empty() ? 0 : 1)) {
            continue;
        }
        const Packet packet = packets.front();
        packets.pop_front();
        board.expect("address of the next packet of the SM to this slice", packet.address,
                     event.address);
        board.expect_count("bytes of the packet", packet.bytes, event.bytes);
        board.expect("command of the packet", static_cast<std::uint64_t>(packet.command),
                     static_cast<std::uint64_t>(event.command));
        Cycle& before = last[{sm, slice}];
        board.expect_count("cycles by which a packet overtakes the one before it", 0,
                           before - std::min(before, event.at));
        before = event.at;
    }
    board.describe_inputs_by(nullptr);
    for (const auto& [pair, packets] : sent_) {
        board.expect_count(fmt::format("packets of SM {} to slice {} that were not delivered",
                                       pair.first, pair.second),
                           0, packets.size());
    }
}

void Packets::check_links(const std::vector<Initiator*>& sms,
                          const std::vector<MemoryEvent>& delivered, std::uint32_t slices) {
    // A piece may begin anywhere in its slot, and all cycles are rounded. Loosely timed, the pieces
    // of a packet fill gaps between others, and only the last one is seen.
    const std::uint32_t spread = session_.approximately_timed() ? 0 : block_bytes_;
    const auto check = [this, spread](const std::string& link, Transfers transfers,
                                      std::uint32_t rate) {
        check_bandwidth(session_, link, std::move(transfers), rate,
                        2.0 * (sector_bytes_ + rate) + spread);
    };
    for (std::size_t sm = 0; sm < sms.size(); ++sm) {
        Transfers requests, responses;
        for (const Request& request : sms[sm]->plan) {
            add_pieces(requests, request.result.accepted,
                       request_pieces(request.command, request.bytes), sector_bytes_,
                       config_.request_bytes_per_cycle);
            if (request.command != tlm::TLM_READ_COMMAND) continue;
            add_pieces(responses, request.result.done, pieces(request.bytes), sector_bytes_,
                       config_.response_bytes_per_cycle);
        }
        check(fmt::format("request link of SM {}", sm), std::move(requests),
              config_.request_bytes_per_cycle);
        check(fmt::format("response link of SM {}", sm), std::move(responses),
              config_.response_bytes_per_cycle);
    }
    std::vector<Transfers> inputs(slices);
    for (const MemoryEvent& event : delivered) {
        add_pieces(inputs[event.link], event.at, request_pieces(event.command, event.bytes),
                   sector_bytes_, config_.slice_bytes_per_cycle);
    }
    for (std::uint32_t slice = 0; slice < slices; ++slice) {
        check(fmt::format("input of slice {}", slice), std::move(inputs[slice]),
              config_.slice_bytes_per_cycle);
    }
}

}  // namespace tessera::testbench
