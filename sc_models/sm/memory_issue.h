// Issue of memory instructions from a sub-core to the LDST unit.
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/sm/issued_instruction.h"
#include "sc_models/sm/ldst_unit.h"
#include "sc_models/sm/register_file.h"
#include "sc_models/sm/unit_socket.h"
#include "sc_models/sm/warp_listener.h"
#include "sc_models/sm/warp_port.h"

namespace tessera {

/// Sends the memory instructions of a sub-core to the LDST unit, which has granted them, and enters
/// their results in the scoreboard.
class MemoryIssue {
public:
    /// `ldst` is the unit at the other end of `to_ldst`; `listener` is notified of stores.
    MemoryIssue(SubCoreId sub_core, UnitSocket& to_ldst, LdstUnit& ldst,
                const RegisterFile& registers, WarpListener& listener, StatGroup& statistics);
    MemoryIssue(const MemoryIssue&) = delete;
    MemoryIssue& operator=(const MemoryIssue&) = delete;

    /// Issues `issued`, of a warp of CTA slot `cta`. `lane_values`: addends of an atomic that the
    /// vector unit has computed; null: none.
    void issue(const IssuedInstruction& issued, std::uint32_t cta, const float* lane_values);

private:
    [[nodiscard]] Cycle access(const IssuedInstruction& issued, bool is_store);

    const SubCoreId sub_core_;
    UnitSocket& to_ldst_;
    LdstUnit& ldst_;
    const RegisterFile& registers_;
    WarpListener& listener_;
    std::uint64_t loads_ = 0, stores_ = 0;
    tlm::tlm_generic_payload payload_;
    WarpAccess* const access_;  ///< owned by payload_
    std::array<std::byte, kFragmentBytes> data_{};
};

}  // namespace tessera
