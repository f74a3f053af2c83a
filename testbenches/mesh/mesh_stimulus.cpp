#include "testbenches/mesh/mesh_stimulus.h"

#include <fmt/format.h>

namespace tessera::testbench {
namespace {

enum : std::size_t { kCycle, kOperation, kSm, kOffset, kBytes, kTo, kFlits };
constexpr std::uint64_t kMostFlits = 64;
constexpr unsigned kOwnBits = 24;  ///< each SM has 16 MiB of its own

}  // namespace

std::vector<Column> mesh_columns() {
    using Kind = Column::Kind;
    return {
        {"cycle", Kind::kNumber, "earliest cycle, not before that of the line above"},
        {"operation", Kind::kChoice, "", {"read", "write", "request", "reply"}},
        {"sm", Kind::kNumber, "SM that sends, from 0"},
        {"offset", Kind::kAddress, "read, write: first byte, in 16 MiB of the SM's own", {}, true},
        {"bytes", Kind::kNumber, "read, write: within one interleaving block", {}, true},
        {"to", Kind::kNumber, "request, reply (messages): SM that receives", {}, true},
        {"flits", Kind::kNumber, "request, reply: 1 to 64", {}, true}};
}

std::vector<MeshPacket> mesh_packets(const Stimulus& stimulus, std::uint32_t sms,
                                     std::uint32_t block_bytes) {
    std::vector<MeshPacket> packets;
    for (const StimulusRow& row : stimulus.rows()) {
        const auto fail_unless = [&](bool legal, std::size_t column, const std::string& expected) {
            if (legal) return;
            stimulus.fail(row, column, fmt::format("got {}, expected {}", row[column], expected));
        };
        MeshPacket p;
        p.kind = static_cast<MeshPacket::Kind>(row[kOperation]);
        p.at = row[kCycle];
        fail_unless(row[kSm] < sms, kSm, fmt::format("below {}", sms));
        p.sm = static_cast<std::uint32_t>(row[kSm]);
        if (p.is_message()) {
            fail_unless(row[kTo] < sms, kTo, fmt::format("below {}", sms));
            fail_unless(row[kFlits] >= 1 && row[kFlits] <= kMostFlits, kFlits,
                        fmt::format("1 to {}", kMostFlits));
            p.to = static_cast<std::uint32_t>(row[kTo]);
            p.flits = static_cast<std::uint32_t>(row[kFlits]);
        } else {
            const std::uint64_t offset = row[kOffset], bytes = row[kBytes];
            fail_unless(offset < Address{1} << kOwnBits, kOffset, "below 0x1000000");
            fail_unless(
                bytes >= 1 && bytes <= block_bytes && offset % block_bytes + bytes <= block_bytes,
                kBytes, fmt::format("1 or more within one block of {} bytes", block_bytes));
            p.address = (Address{p.sm} << kOwnBits) + offset;
            p.bytes = static_cast<std::uint32_t>(bytes);
        }
        packets.push_back(p);
    }
    return packets;
}

}  // namespace tessera::testbench
