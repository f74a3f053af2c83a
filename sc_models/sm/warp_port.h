// What sub-cores send to the units of their SM besides the generic payload.
#pragma once

#include <tlm>

#include "sc_models/common/types.h"
#include "sc_models/workload/warp_instruction.h"

namespace tessera {

/// A warp memory instruction on its way to the LDST unit. The payload carries the address of the
/// first piece and the bytes touched; the pattern is in the instruction.
class WarpAccess : public tlm::tlm_extension<WarpAccess> {
public:
    const WarpInstruction* instruction = nullptr;
    WarpId warp;
    SubCoreId sub_core;
    std::uint32_t cta_slot = 0;
    /// What an atomic adds, a float a lane; null where values are not simulated.
    const float* lane_values = nullptr;
    bool deferred = false;  ///< answer: the LDST unit will tell when it is done

    tlm::tlm_extension_base* clone() const override { return new WarpAccess(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const WarpAccess&>(other);
    }
};

/// Operands of one 16x16x16 matrix multiply-accumulate on their way to the tensor cores; all null
/// where values are not simulated.
class MmaOperands : public tlm::tlm_extension<MmaOperands> {
public:
    /// The two octet copies of A (16 rows of 16 halves each); copy j feeds columns 8j..8j+7 of D.
    const std::byte* a[2] = {nullptr, nullptr};
    const std::byte* b = nullptr;  ///< 16 columns of 16 halves, k contiguous
    std::byte* c = nullptr;        ///< 16x16 floats, row-major; C in, D out
    Cycle free_at = 0;  ///< answer: A and B are read, and the next may start, from this cycle on

    tlm::tlm_extension_base* clone() const override { return new MmaOperands(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const MmaOperands&>(other);
    }
};

}  // namespace tessera
