// Coalescing of a warp's lane addresses into memory accesses.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/isa/lane_access.h"

namespace tessera {

inline constexpr std::uint32_t kWarpLanes = 32;

/// Sizes that divide memory instructions into accesses.
struct AccessGranularity {
    std::uint32_t line_bytes = 128;
    std::uint32_t sector_bytes = 32;
    std::uint32_t shared_memory_banks = 32;

    /// The result of coalescing repeats when the base moves by this number of bytes.
    [[nodiscard]] std::uint32_t alignment_bytes() const;
};

/// Addresses of the active lanes of one memory instruction.
struct LaneOffsets {
    std::uint32_t mask = 0;                         ///< never 0
    std::uint32_t access_bytes = 0;                 ///< per lane
    std::array<std::int64_t, kWarpLanes> offset{};  ///< by lane, relative to the base
};

/// Coalesces an access to global memory: each sector that a lane touches occurs once, in ascending
/// order; neighbours within a line form one piece (Volta: one access per 32-byte sector).
[[nodiscard]] LaneAccess coalesce_global(const LaneOffsets& lanes, Address base,
                                         const AccessGranularity& granularity);

/// Local memory of all threads resident at once, contiguous: word by word (4 bytes), and thread by
/// thread within a word, so that the words of a warp are adjacent.
struct LocalLayout {
    Address first_word = 0;       ///< address of the word at the base, lane 0 of the warp
    std::uint64_t row_bytes = 0;  ///< distance between consecutive words of a thread
};

/// Coalesces an access to local memory as coalesce_global does. `base` and the offsets count bytes
/// of each thread's own memory; pieces are relative to `layout.first_word`.
[[nodiscard]] LaneAccess coalesce_local(const LaneOffsets& lanes, Address base,
                                        const LocalLayout& layout,
                                        const AccessGranularity& granularity);

/// Bank conflicts of an access to shared memory. The lanes are served in groups, as many at a time
/// as the banks have words for (half a warp for 8-byte accesses, a quarter for 16-byte ones); each
/// group takes as many cycles as the largest number of different words in one bank. Lanes that read
/// the same word share it.
[[nodiscard]] LaneAccess coalesce_shared(const LaneOffsets& lanes, Address base,
                                         const AccessGranularity& granularity);

}  // namespace tessera
