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

/// Local memory of all threads that are resident at once, in one piece: word by word (4 bytes), and
/// within a word thread by thread, so that the words of a warp lie side by side.
struct LocalLayout {
    Address first_word = 0;       ///< where the word of the base lies, of lane 0 of the warp
    std::uint64_t row_bytes = 0;  ///< from a word to the next one of the same thread
};

/// Coalesces an access to local memory as coalesce_global does. `base` and the offsets count bytes
/// of each thread's own memory; pieces are relative to `layout.first_word`.
[[nodiscard]] LaneAccess coalesce_local(const LaneOffsets& lanes, Address base,
                                        const LocalLayout& layout,
                                        const AccessGranularity& granularity);

/// Bank conflicts of an access to shared memory. Lanes go as many at a time as the banks can give
/// words to (8-byte accesses half a warp, 16-byte ones a quarter); each group takes as many cycles
/// as the largest number of different words in one bank. Lanes that read one word share it.
[[nodiscard]] LaneAccess coalesce_shared(const LaneOffsets& lanes, Address base,
                                         const AccessGranularity& granularity);

}  // namespace tessera
