// Fragment loads as a detection unit sees them, and its answers for their units.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/duplo/data_id.h"
#include "sc_models/duplo/hit_class.h"
#include "sc_models/duplo/load_history_buffer.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sm/load_filter.h"

namespace tessera {

/// One wmma.load.a.
struct FragmentLoad {
    std::uint32_t warp = 0;      ///< warp slot in the SM
    std::uint32_t sub_core = 0;  ///< sub-core of the warp
    std::uint32_t fragment = 0;  ///< index of the destination among the warp's A fragments
    Address address = 0;         ///< address of row 0
    std::uint32_t row_pitch_bytes = 0;
    const Address* rows =
        nullptr;  ///< 16 arbitrary row addresses, valid until the next load; null: use the pitch

    [[nodiscard]] Address row(std::uint32_t index) const {
        return rows != nullptr ? rows[index] : address + Address{index} * row_pitch_bytes;
    }
};

/// State of a load in the detection unit: the ids of all its units, generated once by `begin`. The
/// caller owns it and may reuse it for the next load.
struct ActiveLoad {
    FragmentLoad load;
    std::uint32_t serial = 0;  ///< counts the loads of the kernel, modulo 2^32
    /// Identifier of the warp; warps that reuse a slot get different ones.
    std::uint32_t producer = 0;
    std::array<DataId, kFragmentRows> ids;   ///< one for each row, half-tile or tile
    std::array<LhbKey, kFragmentRows> keys;  ///< keys of the ids, unless the scope is a lane
};

/// Result of the access to one unit of a load.
struct UnitOutcome {
    /// Misses leave an LHB entry that names the register; bypasses do not.
    AccessKind kind = AccessKind::kBypass;
    HitClass hit_class = HitClass::kZero;       ///< class of a hit or zero
    BypassReason bypass = BypassReason::kNone;  ///< reason of a bypass
    PhysRegId phys;   ///< register that holds the unit from now on; invalid for kZero
    Cycle ready = 0;  ///< hit: arrival of the producer's data (kNever: not announced yet)
};

}  // namespace tessera
