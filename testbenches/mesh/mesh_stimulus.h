// Stimulus of the mesh: columns of its files, and the packets they mean.
#pragma once

#include <vector>

#include "sc_models/common/types.h"
#include "testbenches/harness/stimulus.h"

namespace tessera::testbench {

/// Memory access of an SM, or message between two SMs.
struct MeshPacket {
    enum class Kind : std::uint8_t { kRead, kWrite, kRequestMessage, kReplyMessage };
    Kind kind = Kind::kRead;
    std::uint32_t sm = 0;
    Cycle at = 0;
    Address address = 0;      ///< of a memory access
    std::uint32_t bytes = 0;  ///< of a memory access
    std::uint32_t to = 0;     ///< SM that receives a message
    std::uint32_t flits = 1;  ///< of a message
    Cycle most_latency = 0;   ///< of a message; 0: unbounded

    [[nodiscard]] bool is_message() const {
        return kind == Kind::kRequestMessage || kind == Kind::kReplyMessage;
    }
};

[[nodiscard]] std::vector<Column> mesh_columns();

/// Packets of a file with mesh_columns(), each checked. Throws ConfigError that names file, line
/// and column.
[[nodiscard]] std::vector<MeshPacket> mesh_packets(const Stimulus& stimulus, std::uint32_t sms,
                                                   std::uint32_t block_bytes);

}  // namespace tessera::testbench
