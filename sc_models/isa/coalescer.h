// From the addresses of a warp's lanes to what the memories are asked for.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/isa/warp_instruction.h"

namespace tessera {

inline constexpr std::uint32_t kWarpLanes = 32;

/// What memory instructions are cut into.
struct AccessGranularity {
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 32;
    std::uint32_t shared_memory_banks = 32;

    /// The result of coalescing repeats when the base moves by this many bytes.
    [[nodiscard]] std::uint32_t alignment_bytes() const;
};

/// Addresses of the active lanes of one memory instruction.
struct LaneOffsets {
    std::uint32_t mask = 0;                         ///< never 0
    std::uint32_t access_bytes = 0;                 ///< of each lane
    std::array<std::int64_t, kWarpLanes> offset{};  ///< by lane, to the base
};

/// Coalesces an access to global memory: every sector that a lane touches once, in ascending order,
/// neighbours within a line as one piece (Volta: one access a 32-byte sector).
[[nodiscard]] LaneAccess coalesce_global(const LaneOffsets& lanes, Address base,
                                         const AccessGranularity& granularity);

/// Bank conflicts of an access to shared memory. Lanes go as many at a time as the banks can give
/// words to (8-byte accesses half a warp, 16-byte ones a quarter); each group takes as many cycles
/// as the largest number of different words in one bank. Lanes that read one word share it.
[[nodiscard]] LaneAccess coalesce_shared(const LaneOffsets& lanes, Address base,
                                         const AccessGranularity& granularity);

}  // namespace tessera
