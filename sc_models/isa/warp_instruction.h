// What a warp executes: small plain records, produced lazily by a kernel.
#pragma once

#include <cstddef>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

enum class Opcode : std::uint8_t {
    kAlu,           ///< integer/float arithmetic of the CUDA cores; `count` of them back to back
    kLoadFragment,  ///< wmma.load: a 16x16 half fragment from global memory (role says A or B)
    kMma,           ///< wmma.mma: D = A*B + C on 16x16x16 fragments; dst is C and D
    kLoadGlobal,    ///< LDG: up to 512 B a warp
    kStoreGlobal,   ///< STG: up to 512 B a warp
    kLoadShared,    ///< LDS, or a fragment load from shared memory
    kStoreShared,   ///< STS, or a fragment store to shared memory
    kBarrier,       ///< BAR.SYNC: waits for all running warps of the CTA
    kExit,
    kOperation,     ///< one SASS instruction that touches no memory; `operation` says which kind
    kAtomicGlobal,  ///< ATOM, RED: carried out by L2
    kFence,         ///< MEMBAR, DEPBAR: waits until everything the warp loads has arrived
    kVectorOp,      ///< begins a vector operation: `count` instructions of address arithmetic
    kSparseMma,     ///< SpWMMA: 32x32x16 of two bitmap tiles into the 32 accumulators at dst
    kSparseFlush,   ///< the accumulators at dst come back from the accumulation buffer
    kLoadPieces,    ///< LDS of some 16-byte pieces of a row; row_pitch_bytes has a bit for each
    kLoadGathered,  ///< the same, of pieces whose bits come from places of their own
};

/// Kinds of kOperation, each with a latency and an initiation interval of its own.
enum class Operation : std::uint8_t {
    kInteger,
    kFp32,
    kHalf,  ///< HADD2, HMUL2, HFMA2: two FP16 operations a lane on the FP32 lanes
    kFp64,
    kSpecialFunction,
    kHmmaF32,  ///< one HMMA.884 with FP32 accumulators
    kHmmaF16,
    kBranch,
    kMove,  ///< registers, predicates, special registers, shuffles and the rest
};
inline constexpr std::size_t kOperations = 9;

enum class FragmentRole : std::uint8_t { kNone, kA, kB, kAccumulator };

/// 32-bit registers a thread spends on one 16x16 fragment: A and B hold their 256 halves twice,
/// once for each of the two octets that read them (Duplo II-B); accumulators are 256 floats.
inline constexpr std::uint32_t kRegistersPerFragment = 8;
/// Bytes of one 32-bit register over the 32 threads of a warp.
inline constexpr std::uint32_t kWarpRegisterBytes = 128;
/// Bytes of one fragment in the register file.
inline constexpr std::uint32_t kFragmentBytes = kRegistersPerFragment * kWarpRegisterBytes;
/// Warp registers of the largest access of global or shared memory that is no fragment's.
inline constexpr std::uint8_t kAccessRegisters = 4;

/// Registers of sums, from dst on, that a multiply-accumulate adds to; 0 of others.
[[nodiscard]] constexpr std::uint32_t accumulators_of(Opcode opcode) {
    return opcode == Opcode::kSparseMma ? 32 : opcode == Opcode::kMma ? kRegistersPerFragment : 0;
}
inline constexpr std::uint32_t kFragmentRows = 16;
/// Bytes of one row of 16 halves: the load of one thread, one 32-byte sector.
inline constexpr std::uint32_t kFragmentRowBytes = 32;

/// What a lane of an LDS.128 loads.
inline constexpr std::uint32_t kPieceBytes = 16;

inline constexpr std::uint8_t kNoRegister = 255;

/// Where a memory instruction with an address for each lane goes: worked out once for each pattern
/// of lanes, as instructions repeat theirs.
struct LaneAccess {
    struct Piece {
        std::int64_t offset;  ///< to WarpInstruction::address
        std::uint32_t bytes;
    };
    std::vector<Piece> pieces;     ///< global memory: sectors, those of a line together, ascending
    std::uint32_t bytes = 0;       ///< of all pieces
    std::uint32_t wavefronts = 0;  ///< shared memory: cycles the banks are busy
};

/// Pieces of `unit_bits` bits that go from one place to another, both counted in bits.
struct BitGather {
    struct Move {
        std::uint32_t from = 0, to = 0;
    };
    std::uint32_t unit_bits = 1;  ///< 1, or a multiple of 8
    std::vector<Move> moves;

    /// Single bits are set where they are set in `from`.
    void apply(const std::byte* from, std::byte* to) const;
};

class BitmapMatrix;

/// The operands of a kernel's SpWMMAs. Where the bitmaps of a side are not in registers (src_c or
/// src_d is kNoRegister), all its elements are stored.
struct SpwmmaMatrices {
    const BitmapMatrix* a = nullptr;
    const BitmapMatrix* b = nullptr;
};

/// One instruction of one warp. Memory instructions touch `rows` pieces of `row_bytes` bytes, the
/// first at `address`, each `row_pitch_bytes` further on. In registers the pieces start
/// `register_offset_bytes` into the destination (or source) and lie `register_pitch_bytes` apart
/// (row-major, from warp register `dst` on). Fragments lie in registers row after row; A and B
/// fragments hold a second copy of all 16 rows behind the first. With `lanes` the pieces are those,
/// and there are no values.
///
/// kLoadPieces has one row of at most 32 pieces of kPieceBytes, of which those whose bit is set in
/// row_pitch_bytes are loaded, to where they would be if all were, or, with register_pitch_bytes,
/// one behind the other; the other lanes are predicated off.
///
/// kLoadGathered takes the time of such a kLoadPieces at `address`; where its bits come from says
/// `gather` (null with values off): from the CTA's shared memory into the instruction's registers,
/// whose other bits are cleared.
///
/// kAlu and kOperation clear `zero_fill` registers from dst on, then move what `gather` says, from
/// the warp's registers, counted from register 0 on, to dst.
///
/// An SpWMMA names its tiles of `sparse` in `address`: A's in the upper half. It reads values of A
/// `register_offset_bytes` into register src_a, of B `register_pitch_bytes` into src_b, and their
/// bitmaps, 16 words, `count` x 64 bytes into src_c and `rows` x 64 bytes into src_d. With
/// row_bytes the values of A, all of which are stored, lie by line, so many bytes apart. With role
/// kA they are two A fragments, at src_a and src_c.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): one pointer of the union is initialised
struct WarpInstruction {
    Opcode opcode = Opcode::kAlu;
    FragmentRole role = FragmentRole::kNone;
    std::uint8_t dst = kNoRegister;    ///< first warp register written
    std::uint8_t src_a = kNoRegister;  ///< first warp register read (stores: the data; mma: A)
    std::uint8_t src_b = kNoRegister;  ///< mma: B
    std::uint8_t src_c = kNoRegister, src_d = kNoRegister;
    std::uint8_t zero_fill = 0;  ///< clear so many registers first: loads, kAlu, kOperation
    Operation operation = Operation::kInteger;  ///< of a kOperation
    bool bypass_l1 = false;                     ///< loads: straight from L2 (.STRONG.GPU)
    std::uint16_t count = 1;  ///< kAlu: how many, back to back; kBarrier: which (0..15)
    std::uint16_t rows = 0;
    std::uint16_t row_bytes = 0;
    std::uint32_t row_pitch_bytes = 0;
    std::uint16_t register_offset_bytes = 0;
    std::uint16_t register_pitch_bytes = 0;
    Address address = 0;
    union {
        const LaneAccess* lanes = nullptr;  ///< memory instructions only
        const SpwmmaMatrices* sparse;       ///< kSparseMma only
        const BitGather* gather;            ///< kLoadGathered, kAlu and kOperation only
    };
};
static_assert(sizeof(WarpInstruction) <= 40);

[[nodiscard]] constexpr bool is_memory(Opcode op) {
    return op == Opcode::kLoadFragment || op == Opcode::kLoadGlobal || op == Opcode::kStoreGlobal ||
           op == Opcode::kLoadShared || op == Opcode::kStoreShared || op == Opcode::kAtomicGlobal ||
           op == Opcode::kLoadPieces || op == Opcode::kLoadGathered;
}

}  // namespace tessera
