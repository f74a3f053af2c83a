// External TLM-2.0 memory in place of blocks of the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>
#include <vector>

namespace tessera {

/// Position of a foreign memory: the block of the machine below which it is connected. It replaces
/// everything below that.
enum class MemoryPlace : std::uint8_t {
    kBelowL1,   ///< in place of network, L2 and DRAM; one link an SM
    kBelowNoc,  ///< in place of L2 and DRAM; one link an L2 slice
    kBelowL2    ///< in place of DRAM; one link an L2 slice
};

/// External memory of a machine: any target of the TLM-2.0 base protocol that supports
/// transport_dbg. docs/foreign-memory.md describes its transactions and requirements.
struct ForeignMemory {
    /// Sockets in link order. A multi-socket may stand for several of them.
    using Sockets = std::vector<tlm::tlm_base_target_socket_b<>*>;

    MemoryPlace place = MemoryPlace::kBelowL2;
    /// Called once, while the machine is built, with the number of links; returns as many target
    /// sockets, which must outlive the machine. Empty: the machine uses its own memory.
    std::function<Sockets(std::uint32_t links)> make;
};

}  // namespace tessera
