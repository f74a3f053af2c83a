// Limits of the RTL of Duplo's blocks.
#pragma once

#include <cstdint>

namespace tessera {

/// Configurations that the RTL of the detection unit supports (rtl/load_history_buffer,
/// rtl/duplo_core). The wrappers in sc_models/cosim compare these with the RTL at build time.
struct DuploRtlLimits {
    static constexpr std::uint32_t kMaxEntries = 2048;  ///< of the load history buffer
    static constexpr std::uint32_t kMaxWays = 8;        ///< of the load history buffer
    static constexpr std::uint32_t kCoreLatency = 20;   ///< cycles from a unit to its answer
};

}  // namespace tessera
