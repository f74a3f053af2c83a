// TLM extensions that sub-cores send to the units of their SM.
#pragma once

#include <tlm>

#include "sc_models/common/types.h"
#include "sc_models/isa/warp_instruction.h"
#include "sc_models/tensor_core/spwmma.h"

namespace tessera {

/// A warp memory instruction for the LDST unit. The payload carries the address of the first piece
/// and the bytes touched; the pattern is in the instruction.
class WarpAccess : public tlm::tlm_extension<WarpAccess> {
public:
    const WarpInstruction* instruction = nullptr;
    WarpId warp;
    SubCoreId sub_core;
    std::uint32_t cta_slot = 0;
    /// Addends of an atomic, a float a lane; null where values are not simulated.
    const float* lane_values = nullptr;
    /// Destination of a load, kNoRegister: none; set for an access whose response comes later.
    std::uint8_t destination = 0;
    bool stores = false;    ///< the response is that of a store; set like `destination`
    bool deferred = false;  ///< response: the LDST unit reports completion later
    std::uint64_t id = 0;   ///< response: AccessInfo::id of its requests; 0: not followed

    tlm::tlm_extension_base* clone() const override { return new WarpAccess(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const WarpAccess&>(other);
    }
};

/// Operands of one 16x16x16 matrix multiply-accumulate for the tensor cores, or of 16x16x32 with a
/// 2:4 operand B; all null where values are not simulated.
class MmaOperands : public tlm::tlm_extension<MmaOperands> {
public:
    /// The two octet copies of A (16 rows of 16 halves each); copy j feeds columns 8j..8j+7 of D.
    /// Structured, A has one copy: its first 16 k, then the other 16. Of other types than FP16, A
    /// and B have one copy, lines of 32 bytes; of INT8, C and D are INT32.
    const std::byte* a[2] = {nullptr, nullptr};
    const std::byte* b = nullptr;  ///< 16 columns of 16 halves, k contiguous
    FragmentProduct product = FragmentProduct::kHalf;
    bool is_unsigned = false;             ///< integers: A is UINT8
    const std::byte* metadata = nullptr;  ///< 16 words (compress_2of4), one a column of B
    std::byte* c = nullptr;               ///< 16x16 floats, row-major; C in, D out
    Cycle free_at = 0;  ///< response: first cycle at which A and B are read and the next may start

    tlm::tlm_extension_base* clone() const override { return new MmaOperands(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const MmaOperands&>(other);
    }
};

/// Operands of a warp's share of a warpgroup's product for the tensor cores: `columns` lines of the
/// second operand; pointers are null where values are not simulated.
class WarpgroupOperands : public tlm::tlm_extension<WarpgroupOperands> {
public:
    MmaShape shape = MmaShape::kHgmma16;
    std::uint32_t columns = 0;
    WarpgroupSources sources;           ///< distances of lines and layouts; addresses are not used
    const std::byte* first = nullptr;   ///< the warp's 16 lines
    const std::byte* second = nullptr;  ///< lines shared by the warpgroup
    std::byte* sums = nullptr;          ///< by line of `second`, 16 floats each
    Cycle read_by = 0;                  ///< cycle by which shared memory has delivered the operands
    Cycle free_at = 0;  ///< response: first cycle at which the next operation may start

    tlm::tlm_extension_base* clone() const override { return new WarpgroupOperands(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const WarpgroupOperands&>(other);
    }
};

/// Operands of one SpWMMA for the tensor cores, or a flush: a request to write a warp's sums back
/// (no operands).
class SpwmmaOperands : public tlm::tlm_extension<SpwmmaOperands> {
public:
    SpwmmaTile a, b;
    WarpId warp;
    std::uint8_t accumulators =
        0;                      ///< first register of the sums: with `warp`, identifies the tile
    std::byte* sums = nullptr;  ///< 32x32 floats in registers; null: without values
    Cycle free_at = 0;          ///< response: first cycle at which the next may start
    Cycle swapped = 0;          ///< response: cycles of it to swap the buffer's tile

    tlm::tlm_extension_base* clone() const override { return new SpwmmaOperands(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const SpwmmaOperands&>(other);
    }
};

}  // namespace tessera
