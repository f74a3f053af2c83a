// Fields of a warp instruction that only some opcodes have. All are zero unless set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sc_models/common/types.h"
#include "sc_models/isa/bit_gather.h"
#include "sc_models/isa/lane_access.h"
#include "sc_models/isa/mma_shape.h"
#include "sc_models/isa/opcode.h"

namespace tessera {

enum class FragmentRole : std::uint8_t { kNone, kA, kB, kAccumulator };

class BitmapMatrix;
class RegisterFunction;

/// Global or shared memory that an instruction accesses: `rows` pieces of `row_bytes` bytes, the
/// first at `address`, consecutive ones `row_pitch_bytes` apart. With lanes the pieces are those of
/// the LaneAccess, which the caller owns.
struct MemoryAccess {
    Address address = 0;
    const LaneAccess* lanes = nullptr;
    std::uint32_t row_pitch_bytes = 0;
    std::uint16_t rows = 0;
    std::uint16_t row_bytes = 0;

    void set_rows(Address first, std::uint64_t number, std::uint64_t bytes,
                  std::uint64_t pitch_bytes = 0) {
        address = first;
        rows = static_cast<std::uint16_t>(number);
        row_bytes = static_cast<std::uint16_t>(bytes);
        row_pitch_bytes = static_cast<std::uint32_t>(pitch_bytes);
    }
};

/// 16-byte pieces of a row in shared memory, at most 32. Its bank conflicts are those of a load of
/// the pieces in `mask` (bit i: piece i).
struct PieceAccess {
    Address address = 0;
    /// kLoadGathered: bits that move from shared memory to the registers, whose other bits are
    /// cleared; null with values off. The caller owns it.
    const BitGather* gather = nullptr;
    std::uint32_t mask = 0;
    std::uint16_t row_bytes = 0;
};

/// Position of the rows of an access in registers: the first begins `offset_bytes` into the
/// destination (a store: the source), and they lie `pitch_bytes` apart. Lanes name their places
/// themselves. A loaded piece of a kLoadPieces has the position it would have if all were loaded,
/// or, with a pitch, follows the loaded piece before it.
struct RegisterPlace {
    std::uint16_t offset_bytes = 0;
    std::uint16_t pitch_bytes = 0;
    FragmentRole role = FragmentRole::kNone;
    std::uint8_t zero_fill = 0;  ///< registers to clear before a load
    bool bypass_l1 = false;      ///< loads: straight from L2 (.STRONG.GPU)
    /// kLoadShared, kLoadMatrix: a row in memory is one k; the load transposes the halves, so that
    /// the fragment has the usual layout in registers.
    bool transposed = false;
};

/// Rows of a box that a CTA fetches if it shares the box with its partner in a cluster. The machine
/// marks the accesses for rows that come with the partner's.
enum class BoxRows : std::uint8_t { kAll, kFirstHalf, kSecondHalf, kOfPartner };

/// Position of the rows of a copy in the CTA's shared memory: the first at `address`, consecutive
/// ones `pitch_bytes` apart. Places of lanes count from `address`.
struct SharedPlace {
    std::uint32_t address = 0;
    std::uint16_t pitch_bytes = 0;
    std::uint8_t barrier = 0;  ///< kBulkCopy: arrival barrier on which the bytes complete
    bool bypass_l1 : 1;
    BoxRows fetched : 2;  ///< kBulkCopy

    void set_rows(std::uint32_t first, std::uint64_t pitch) {
        address = first;
        pitch_bytes = static_cast<std::uint16_t>(pitch);
    }
};

/// Registers that an instruction clears and moves.
struct RegisterMoves {
    /// Pieces to move from the warp's registers, counted from register 0 on, to dst; null: none.
    /// The caller owns it.
    const BitGather* gather = nullptr;
    std::uint8_t zero_fill = 0;  ///< registers to clear first, from dst on
};

/// Function that computes dst from `registers` registers from src_a on, with its arguments: the
/// position of its first element, which function of the kernel it is, and how many elements.
struct FunctionCall {
    const RegisterFunction* function = nullptr;  ///< the caller owns it; null: takes time only
    std::uint64_t position = 0;
    std::uint32_t variant = 0;
    std::uint16_t elements = 0;
    std::uint16_t registers = 0;
};

/// Registers of a kMma.
struct MmaRegisters {
    std::uint16_t metadata_offset_bytes = 0;  ///< into src_c
    bool single_copies = false;               ///< A and B have one copy, as kLoadMatrix loads them
    OperandType operands = OperandType::kFp16;  ///< others than FP16 have single copies
};

/// The operands of a kernel's SpWMMAs. If the bitmaps of a side are not in registers (src_c or
/// src_d is kNoRegister), all its elements are stored.
struct SpwmmaMatrices {
    const BitmapMatrix* a = nullptr;
    const BitmapMatrix* b = nullptr;
};

/// Operands of an SpWMMA and their positions in its source registers: values of A in src_a, of B in
/// src_b, bitmaps of A in src_c, of B in src_d.
struct SpwmmaSources {
    const SpwmmaMatrices* matrices = nullptr;
    std::uint32_t tile_a = 0, tile_b = 0;  ///< tiles of the matrices
    std::uint16_t values_a_offset_bytes = 0, values_b_offset_bytes = 0;
    std::uint16_t bitmaps_a = 0, bitmaps_b = 0;  ///< which block of 16 words
    /// If not 0, all values of A are stored, by line, this number of bytes apart; 0: only values
    /// whose bit is set.
    std::uint16_t line_bytes_a = 0;
    bool a_in_fragments = false;  ///< values of A are two A fragments, at src_a and src_c
};

/// Operands of a kWarpgroupMma in shared memory: addresses of the warp's first line of the one and
/// of the first line of the other, and bytes between lines. Lines aside lie next to each other, and
/// the distance is that of two k. If src_a is a register, the first operand lies there and has no
/// address.
struct WarpgroupSources {
    std::uint32_t first = 0, second = 0;
    std::uint16_t first_pitch_bytes = 0, second_pitch_bytes = 0;
    bool first_aside = false, second_aside = false;
    bool from_zero = false;  ///< the sums begin with zero
};

/// Product of the warp's 16 lines of the first operand with `columns` lines of the second, 32 bytes
/// of k. The sums of 16 lines of the second lie in eight registers, one line of theirs after the
/// other, 16 floats each, from dst on.
struct WarpgroupProduct {
    WarpgroupSources sources;
    std::uint16_t columns = 0;
    MmaShape shape{};
};

/// Contiguous rows of 16 floats, 64 B each, from dst on (kRound: from src_a on). Halves lie
/// `halves_pitch_bytes` apart, the first `halves_offset_bytes` into their first register.
struct FloatRows {
    std::uint16_t rows = 0;
    std::uint16_t halves_offset_bytes = 0;
    std::uint16_t halves_pitch_bytes = 0;
    FloatOperation operation = FloatOperation::kAdd;
    Float16 format = Float16::kFp16;  ///< of the halves
};

/// Arrival of a kArrive.
struct Arrival {
    std::uint16_t barrier = 0;
    /// Bytes of bulk copies that the current phase of the barrier waits for, in addition.
    std::uint32_t expected_bytes = 0;
};

/// End of a phase that a kAwaitPhase waits for.
struct PhaseWait {
    std::uint16_t barrier = 0;
    std::uint32_t phase = 0;  ///< from 0 on
};

}  // namespace tessera
