// Instruction record of a warp. A kernel generates these records lazily.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

#include "sc_models/common/types.h"
#include "sc_models/isa/bit_gather.h"
#include "sc_models/isa/lane_access.h"
#include "sc_models/isa/mma_shape.h"
#include "sc_models/isa/opcode.h"

namespace tessera {

enum class FragmentRole : std::uint8_t { kNone, kA, kB, kAccumulator };

/// 32-bit registers per thread of one 16x16 fragment: A and B hold their 256 halves twice, once for
/// each of the two octets that read them (Duplo II-B); accumulators are 256 floats.
inline constexpr std::uint32_t kRegistersPerFragment = 8;
/// Bytes of one 32-bit register over the 32 threads of a warp.
inline constexpr std::uint32_t kWarpRegisterBytes = 128;
/// Bytes of one fragment in the register file.
inline constexpr std::uint32_t kFragmentBytes = kRegistersPerFragment * kWarpRegisterBytes;
/// Warp registers of the largest global or shared memory access that is not a fragment access.
inline constexpr std::uint8_t kAccessRegisters = 4;

/// Registers of sums, from dst on, that a multiply-accumulate adds to; 0 for other opcodes.
[[nodiscard]] constexpr std::uint32_t accumulators_of(Opcode opcode) {
    return opcode == Opcode::kSparseMma ? 32 : opcode == Opcode::kMma ? kRegistersPerFragment : 0;
}
inline constexpr std::uint32_t kFragmentRows = 16;
/// Bytes of one row of 16 halves: the load of one thread, one 32-byte sector.
inline constexpr std::uint32_t kFragmentRowBytes = 32;

/// Bytes that one lane of an LDS.128 loads.
inline constexpr std::uint32_t kPieceBytes = 16;

inline constexpr std::uint8_t kNoRegister = 255;

class WarpInstruction;

/// Effect of a kOperation on its warp's registers, if values are on.
class RegisterFunction {
public:
    virtual ~RegisterFunction() = default;
    /// `registers` points to register 0 of the warp, kWarpRegisterBytes each. May read and write
    /// the registers that `instruction` names; the instruction's address, rows and row_pitch_bytes
    /// are free for its own use.
    virtual void apply(const WarpInstruction& instruction, std::byte* registers) const = 0;
};

class BitmapMatrix;

/// The operands of a kernel's SpWMMAs. If the bitmaps of a side are not in registers (src_c or
/// src_d is kNoRegister), all its elements are stored.
struct SpwmmaMatrices {
    const BitmapMatrix* a = nullptr;
    const BitmapMatrix* b = nullptr;
};

/// Operands of an SpWMMA and their positions in its source registers: values of A in src_a, of B in
/// src_b, bitmaps of A in src_c, of B in src_d. With role kA the values of A are two A fragments,
/// at src_a and src_c.
struct SpwmmaSources {
    const SpwmmaMatrices* matrices = nullptr;
    std::uint32_t tile_a = 0, tile_b = 0;  ///< tiles of the matrices
    std::uint16_t values_a_offset_bytes = 0, values_b_offset_bytes = 0;
    std::uint16_t bitmaps_a = 0, bitmaps_b = 0;  ///< which block of 16 words
    /// If not 0, all values of A are stored, by line, this number of bytes apart; 0: only values
    /// whose bit is set.
    std::uint16_t line_bytes_a = 0;
};

/// Operands of a kWarpgroupMma in shared memory: addresses of the warp's first line of the one and
/// of the first line of the other, and bytes between lines. Lines aside lie next to each other, and
/// the distance is that of two k.
struct WarpgroupSources {
    std::uint32_t first = 0, second = 0;
    std::uint16_t first_pitch_bytes = 0, second_pitch_bytes = 0;
    bool first_aside = false, second_aside = false;
    bool from_zero = false;  ///< the sums begin with zero
};

/// One instruction of one warp. Memory instructions touch `rows` pieces of `row_bytes` bytes, the
/// first at `address`, consecutive ones `row_pitch_bytes` apart. In registers the pieces start
/// `register_offset_bytes` into the destination (or source) and lie `register_pitch_bytes` apart
/// (row-major, from warp register `dst` on). Fragments are stored row by row in registers; A and B
/// fragments hold a second copy of all 16 rows behind the first. With lanes() the pieces are those
/// of the LaneAccess; only pieces with places in registers have values.
///
/// kLoadPieces has one row of at most 32 pieces of kPieceBytes and loads those in piece_mask(). A
/// loaded piece has the position it would have if all were loaded, or, with register_pitch_bytes,
/// follows the loaded piece before it; the other lanes are predicated off.
///
/// kLoadGathered takes the time of such a kLoadPieces at `address`. Its bits come from the
/// addresses in gather() (null with values off): from the CTA's shared memory into the
/// instruction's registers, whose other bits are cleared.
///
/// kLoadShared of a transposed() fragment has one k per row in memory: it transposes the halves, so
/// that the fragment has the usual layout in registers.
///
/// kLoadMatrix loads 16 rows of 32 B, or with transposed() 16 k of them, into four registers; of
/// 2:4 metadata, fewer rows. Its rows lie in shared memory as a swizzle places them, so that no two
/// of an access share a bank.
///
/// kCopyAsync has its rows in global memory at `address` and copies them to shared memory
/// (set_shared_side()) without registers; dst is free for the machine's use. Rows there are
/// swizzled, too. With lanes() it has no rows, and pieces have places from shared_address() on; a
/// traced one has none.
///
/// kWarpgroupMma multiplies lines of two operands in shared memory, k contiguous or lines
/// contiguous (WarpgroupSources): the warp's 16 lines of the first with `rows` lines of the second,
/// 32 bytes of k. The sums of 16 lines of the second lie in eight registers, one line of theirs
/// after the other, 16 floats each, from dst on.
///
/// kBulkCopy has its rows in global memory at `address` and its shared side as a kCopyAsync has
/// them, any number of rows; `count` is the arrival barrier on which its bytes complete. kArrive
/// arrives at barrier `count`, with expected_bytes(); kAwaitPhase waits for the end of its phase().
///
/// kFloats works on `rows` contiguous rows of 16 floats, 64 B each, from dst on (kRound: from src_a
/// on). Halves lie register_pitch_bytes apart, the first register_offset_bytes into their first
/// register. It stands for `count` instructions.
///
/// kAlu and kOperation clear `zero_fill` registers from dst on, then move the pieces of gather()
/// from the warp's registers, counted from register 0 on, to dst. A kOperation may have a
/// function() instead, which computes dst from its sources.
///
/// Fields of some opcodes only are accessed by name; access from another opcode is a bug, fatal in
/// builds with assertions.
class WarpInstruction {
public:
    Opcode opcode = Opcode::kAlu;
    FragmentRole role = FragmentRole::kNone;
    std::uint8_t dst = kNoRegister;    ///< first warp register written
    std::uint8_t src_a = kNoRegister;  ///< first warp register read (stores: the data; mma: A)
    std::uint8_t src_b = kNoRegister;  ///< mma: B
    std::uint8_t src_c = kNoRegister, src_d = kNoRegister;
    std::uint8_t zero_fill = 0;  ///< registers to clear first: loads, kAlu, kOperation
    Operation operation = Operation::kInteger;  ///< of a kOperation
    bool bypass_l1 = false;                     ///< loads: straight from L2 (.STRONG.GPU)
    /// kAlu, kFloats, kOperation: number of instructions, back to back; kBarrier: index (0..15)
    std::uint16_t count = 1;
    std::uint16_t rows = 0;
    std::uint16_t row_bytes = 0;
    std::uint32_t row_pitch_bytes = 0;
    std::uint16_t register_offset_bytes = 0;
    std::uint16_t register_pitch_bytes = 0;
    Address address = 0;

    /// Whether a memory instruction has an address for each lane.
    [[nodiscard]] bool has_lanes() const {
        if (opcode == Opcode::kCopyAsync) return rows == 0;
        return may_have_lanes(opcode) && extra_.lanes != nullptr;
    }
    [[nodiscard]] const LaneAccess& lanes() const {
        assert(has_lanes());
        return *extra_.lanes;
    }
    /// The caller owns `lanes`; null: the pieces are rows.
    void set_lanes(const LaneAccess* lanes) {
        assert(may_have_lanes(opcode));
        extra_.lanes = lanes;
    }

    /// Null: nothing is moved.
    [[nodiscard]] const BitGather* gather() const {
        assert(may_gather(opcode));
        return has_function() ? nullptr : extra_.gather;
    }
    /// The caller owns `gather`.
    void set_gather(const BitGather* gather) {
        assert(may_gather(opcode));
        extra_.gather = gather;
    }

    /// Whether a kOperation has the function and source registers of set_function().
    [[nodiscard]] bool has_function() const {
        return opcode == Opcode::kOperation && role == FragmentRole::kAccumulator;
    }
    /// Null: the instruction only takes time.
    [[nodiscard]] const RegisterFunction* function() const {
        assert(opcode == Opcode::kOperation);
        return has_function() ? extra_.function : nullptr;
    }
    /// The caller owns `function`; null: the instruction only takes time. The function reads
    /// `registers` registers from src_a on.
    void set_function(const RegisterFunction* function, std::uint16_t registers = 1) {
        assert(opcode == Opcode::kOperation);
        role = FragmentRole::kAccumulator;
        extra_.function = function;
        row_bytes = registers;
    }

    /// Whether a kOperation runs on the tensor cores.
    [[nodiscard]] bool on_tensor_cores() const {
        return operation == Operation::kHmmaF32 || operation == Operation::kHmmaF16;
    }
    /// Shape and types of a kOperation of the tensor cores; Volta's step unless set.
    [[nodiscard]] MmaShape mma_shape() const {
        assert(opcode == Opcode::kOperation && on_tensor_cores());
        if (rows > 0) return static_cast<MmaShape>(rows - 1);
        return operation == Operation::kHmmaF16 ? MmaShape::kHmma884F16 : MmaShape::kHmma884;
    }
    void set_mma_shape(MmaShape shape) {
        assert(opcode == Opcode::kOperation && !has_function());
        rows = static_cast<std::uint16_t>(static_cast<std::uint16_t>(shape) + 1);
    }
    /// Multiply-adds of a kOperation of the tensor cores, in those of an HMMA.884 step with FP32
    /// sums, or with FP16 sums for kHmmaF16; 1 for other operations.
    [[nodiscard]] std::uint32_t hmma_steps() const {
        assert(opcode == Opcode::kOperation);
        if (!on_tensor_cores() || has_function()) return 1;
        const MmaShape step =
            operation == Operation::kHmmaF16 ? MmaShape::kHmma884F16 : MmaShape::kHmma884;
        return std::max(1U, text_of(mma_shape()).products / text_of(step).products);
    }

    /// Bit i: piece i is loaded.
    [[nodiscard]] std::uint32_t piece_mask() const {
        assert(opcode == Opcode::kLoadPieces || opcode == Opcode::kLoadGathered);
        return row_pitch_bytes;
    }
    void set_piece_mask(std::uint32_t mask) {
        assert(opcode == Opcode::kLoadPieces || opcode == Opcode::kLoadGathered);
        row_pitch_bytes = mask;
    }

    [[nodiscard]] bool transposed() const {
        return (opcode == Opcode::kLoadShared || opcode == Opcode::kLoadMatrix) &&
               operation == Operation::kMove;
    }
    void set_transposed() {
        assert(opcode == Opcode::kLoadShared || opcode == Opcode::kLoadMatrix);
        operation = Operation::kMove;
    }

    /// kMma: whether A and B have one copy in registers, as kLoadMatrix loads them.
    [[nodiscard]] bool has_single_copies() const {
        return opcode == Opcode::kMma && operation == Operation::kMove;
    }
    void set_single_copies() {
        assert(opcode == Opcode::kMma);
        operation = Operation::kMove;
    }

    /// kMma: whether it is a product of 16x16x32 with a 2:4 operand B (two mma.sp.m16n8k32 of the
    /// transposed product): src_b has the kept halves of B, src_c their metadata, one word a line,
    /// and A is two fragments of 16 k, at src_a and src_d.
    [[nodiscard]] bool is_structured() const {
        return opcode == Opcode::kMma && src_c != kNoRegister;
    }
    /// Metadata begins `offset_bytes` into register `metadata`.
    void set_structured(std::uint8_t metadata, std::uint16_t offset_bytes, std::uint8_t second_a) {
        assert(opcode == Opcode::kMma);
        set_single_copies();
        src_c = metadata;
        src_d = second_a;
        register_offset_bytes = offset_bytes;
    }

    /// Operands of a kWarpgroupMma in the CTA's shared memory.
    [[nodiscard]] WarpgroupSources warpgroup() const {
        assert(opcode == Opcode::kWarpgroupMma);
        return {static_cast<std::uint32_t>(address >> 32U),
                static_cast<std::uint32_t>(address),
                register_offset_bytes,
                register_pitch_bytes,
                (row_bytes & kFirstAside) != 0,
                (row_bytes & kSecondAside) != 0,
                (row_bytes & kFromZero) != 0};
    }
    void set_warpgroup(const WarpgroupSources& sources) {
        assert(opcode == Opcode::kWarpgroupMma);
        address = Address{sources.first} << 32U | sources.second;
        register_offset_bytes = sources.first_pitch_bytes;
        register_pitch_bytes = sources.second_pitch_bytes;
        row_bytes = static_cast<std::uint16_t>((sources.first_aside ? kFirstAside : 0) |
                                               (sources.second_aside ? kSecondAside : 0) |
                                               (sources.from_zero ? kFromZero : 0));
    }
    /// Shape and types of a kWarpgroupMma.
    [[nodiscard]] MmaShape warpgroup_shape() const {
        assert(opcode == Opcode::kWarpgroupMma);
        return static_cast<MmaShape>(row_pitch_bytes);
    }
    void set_warpgroup_shape(MmaShape shape) {
        assert(opcode == Opcode::kWarpgroupMma && is_of_warpgroup(shape));
        row_pitch_bytes = static_cast<std::uint32_t>(shape);
    }

    /// kArrive: bytes of bulk copies that the current phase of the barrier waits for, in addition.
    [[nodiscard]] std::uint32_t expected_bytes() const {
        assert(opcode == Opcode::kArrive);
        return row_pitch_bytes;
    }
    void set_expected_bytes(std::uint32_t bytes) {
        assert(opcode == Opcode::kArrive);
        row_pitch_bytes = bytes;
    }
    /// kAwaitPhase: number of the phase, from 0 on.
    [[nodiscard]] std::uint32_t phase() const {
        assert(opcode == Opcode::kAwaitPhase);
        return row_pitch_bytes;
    }
    void set_phase(std::uint32_t phase) {
        assert(opcode == Opcode::kAwaitPhase);
        row_pitch_bytes = phase;
    }

    /// Half of a box that two CTAs of a cluster share, which of them fetches it for both.
    enum class BoxHalf : std::uint8_t { kBoth, kFirst, kSecond };
    /// kBulkCopy: rows that this CTA fetches; the others come with those of its partner.
    [[nodiscard]] BoxHalf fetched_half() const {
        assert(opcode == Opcode::kBulkCopy);
        return static_cast<BoxHalf>(zero_fill);
    }
    void set_fetched_half(BoxHalf half) {
        assert(opcode == Opcode::kBulkCopy);
        zero_fill = static_cast<std::uint8_t>(half);
    }
    /// Whether all rows of a copy come with those of a partner.
    [[nodiscard]] bool comes_with_partner() const {
        return opcode == Opcode::kBulkCopy && zero_fill == kPartners;
    }
    void set_comes_with_partner(bool comes) {
        assert(opcode == Opcode::kBulkCopy);
        zero_fill = comes ? kPartners : std::uint8_t{0};
    }

    /// Address in the CTA's shared memory of the first row of a kCopyAsync or kBulkCopy.
    [[nodiscard]] std::uint32_t shared_address() const {
        assert(copies_to_shared(opcode));
        return has_lanes() ? row_pitch_bytes : extra_.shared_address;
    }
    /// Sets the shared side of a copy: the address of its first row and the distance of rows.
    void set_shared_side(std::uint32_t shared_address, std::uint16_t pitch_bytes) {
        assert(copies_to_shared(opcode));
        extra_.shared_address = shared_address;
        register_pitch_bytes = pitch_bytes;
    }
    /// Makes a kCopyAsync one of lanes, whose places count from `shared_address`.
    void set_lane_copy(const LaneAccess* lanes, std::uint32_t shared_address) {
        set_lanes(lanes);
        rows = 0;
        row_pitch_bytes = shared_address;
    }

    [[nodiscard]] FloatOperation float_operation() const {
        assert(opcode == Opcode::kFloats);
        return static_cast<FloatOperation>(row_bytes);
    }
    void set_float_operation(FloatOperation what) {
        assert(opcode == Opcode::kFloats);
        row_bytes = static_cast<std::uint16_t>(what);
    }

    [[nodiscard]] SpwmmaSources spwmma() const {
        assert(opcode == Opcode::kSparseMma);
        return {extra_.spwmma,
                static_cast<std::uint32_t>(address >> 32U),
                static_cast<std::uint32_t>(address),
                register_offset_bytes,
                register_pitch_bytes,
                count,
                rows,
                row_bytes};
    }
    void set_spwmma(const SpwmmaSources& sources) {
        assert(opcode == Opcode::kSparseMma);
        extra_.spwmma = sources.matrices;
        address = Address{sources.tile_a} << 32U | sources.tile_b;
        register_offset_bytes = sources.values_a_offset_bytes;
        register_pitch_bytes = sources.values_b_offset_bytes;
        count = sources.bitmaps_a;
        rows = sources.bitmaps_b;
        row_bytes = sources.line_bytes_a;
    }

private:
    static constexpr std::uint8_t kPartners = 3;  ///< behind the values of BoxHalf
    enum WarpgroupFlag : std::uint16_t { kFirstAside = 1, kSecondAside = 2, kFromZero = 4 };

    union Extra {
        const LaneAccess* lanes = nullptr;
        const SpwmmaMatrices* spwmma;
        const BitGather* gather;
        const RegisterFunction* function;
        std::uint32_t shared_address;
    } extra_;
};
static_assert(sizeof(WarpInstruction) <= 40);

/// First register of each source, kNoRegister if unused.
[[nodiscard]] inline std::array<std::uint8_t, 4> sources_of(const WarpInstruction& instruction) {
    return {instruction.src_a, instruction.src_b, instruction.src_c, instruction.src_d};
}

/// Bytes of a row of floats of a kFloats.
inline constexpr std::uint32_t kFloatRowBytes = kFragmentRows * sizeof(float);
/// Warp registers that `rows` rows of floats, or of halves, occupy.
[[nodiscard]] constexpr std::uint32_t registers_of_floats(std::uint32_t rows) {
    return ceil_div(rows * kFloatRowBytes, kWarpRegisterBytes);
}
[[nodiscard]] constexpr std::uint32_t registers_of_halves(std::uint32_t rows,
                                                          std::uint32_t pitch_bytes) {
    return ceil_div((rows - 1) * pitch_bytes + kFloatRowBytes / 2, kWarpRegisterBytes);
}

/// Warp registers from src_a on that a kFloats reads.
[[nodiscard]] inline std::uint32_t float_sources_of(const WarpInstruction& instruction) {
    return instruction.float_operation() == FloatOperation::kAddHalves
               ? registers_of_halves(instruction.rows, instruction.register_pitch_bytes)
               : registers_of_floats(instruction.rows);
}

/// Warp registers from src_a on that a kOperation with a function reads.
[[nodiscard]] inline std::uint32_t function_sources_of(const WarpInstruction& instruction) {
    return instruction.has_function() ? instruction.row_bytes : 0;
}

/// Bytes a memory instruction touches.
[[nodiscard]] inline std::uint32_t bytes_of(const WarpInstruction& instruction) {
    return instruction.has_lanes() ? instruction.lanes().bytes
                                   : std::uint32_t{instruction.rows} * instruction.row_bytes;
}

}  // namespace tessera
