// Issue of memory instructions from a sub-core to the LDST unit.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/common/statistics.h"
#include "sc_models/common/types.h"
#include "sc_models/sm/issued_instruction.h"
#include "sc_models/sm/unit_socket.h"
#include "sc_models/sm/warp_listener.h"
#include "sc_models/sm/warp_port.h"
#include "sc_models/tlm/carrier_pool.h"

namespace tessera {

/// Sends the memory instructions of a sub-core to the LDST unit, which has granted them, and enters
/// their results in the scoreboard.
class MemoryIssue {
public:
    /// `listener` is notified of stores and late responses.
    MemoryIssue(SubCoreId sub_core, UnitSocket& to_ldst, WarpListener& listener,
                StatGroup& statistics);
    MemoryIssue(const MemoryIssue&) = delete;
    MemoryIssue& operator=(const MemoryIssue&) = delete;

    /// Issues `issued`, of a warp of CTA slot `cta`. `lane_values`: addends of an atomic that the
    /// vector unit has computed; null: none.
    void issue(const IssuedInstruction& issued, std::uint32_t cta, const float* lane_values);

private:
    using Pool = CarrierPool<WarpAccess>;

    [[nodiscard]] Pool::Payload& fresh_payload();
    void fill(const IssuedInstruction& issued, bool is_store);
    void receive(tlm::tlm_generic_payload& payload);

    const SubCoreId sub_core_;
    UnitSocket& to_ldst_;
    WarpListener& listener_;
    std::uint64_t loads_ = 0, stores_ = 0;
    /// Data of all payloads, which nobody reads: values move between registers and memory.
    std::vector<unsigned char> data_;
    Pool pool_;
    Pool::Payload* payload_;  ///< of the next instruction
};

}  // namespace tessera
