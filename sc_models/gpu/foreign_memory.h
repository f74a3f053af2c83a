// Somebody else's TLM-2.0 memory in place of blocks of the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>
#include <vector>

namespace tessera {

/// Below which of the machine's own blocks a foreign memory stands. It takes the place of all that
/// would lie there.
enum class MemoryPlace : std::uint8_t {
    kBelowL1,   ///< in place of network, L2 and DRAM; one link an SM
    kBelowNoc,  ///< in place of L2 and DRAM; one link an L2 slice
    kBelowL2    ///< in place of DRAM; one link an L2 slice
};

/// A memory that a machine is built upon: any target of the TLM-2.0 base protocol that answers
/// transport_dbg. docs/foreign-memory.md says what it sees and what is expected of it.
struct ForeignMemory {
    /// In the order of the links. A multi-socket may stand for several of them.
    using Sockets = std::vector<tlm::tlm_base_target_socket_b<>*>;

    MemoryPlace place = MemoryPlace::kBelowL2;
    /// Called once, while the machine is built, with the number of links; returns as many target
    /// sockets, which must outlive the machine. Empty: the machine has a memory of its own.
    std::function<Sockets(std::uint32_t links)> make;
};

}  // namespace tessera
