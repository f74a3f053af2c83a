// Operation codes of warp instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sc_models/isa/mma_shape.h"

namespace tessera {

enum class Opcode : std::uint8_t {
    kAlu,           ///< integer/float arithmetic of the CUDA cores; `count` of them back to back
    kLoadFragment,  ///< wmma.load: a 16x16 half fragment from global memory (role selects A or B)
    kMma,           ///< wmma.mma: D = A*B + C on 16x16x16 fragments; dst is C and D
    kLoadGlobal,    ///< LDG: up to 512 B a warp
    kStoreGlobal,   ///< STG: up to 512 B a warp
    kLoadShared,    ///< LDS, or a fragment load from shared memory
    kStoreShared,   ///< STS, or a fragment store to shared memory
    kBarrier,       ///< BAR.SYNC: waits for all running warps of the CTA
    kExit,
    kOperation,     ///< `count` SASS instructions of the kind `operation`, which touch no memory
    kAtomicGlobal,  ///< ATOM, RED: carried out by L2
    kFence,         ///< MEMBAR, DEPBAR: waits until everything the warp loads has arrived
    kVectorOp,      ///< begins a vector operation: `count` instructions of address arithmetic
    kSparseMma,     ///< SpWMMA: 32x32x16 of two bitmap tiles into the 32 accumulators at dst
    kSparseFlush,   ///< moves the accumulators at dst back from the accumulation buffer
    kLoadPieces,    ///< LDS of the 16-byte pieces of a row selected by PieceAccess::mask
    kLoadGathered,  ///< the same, for pieces whose bits are gathered from separate addresses
    kFloats,        ///< FADD, F2F: rows of floats; FloatOperation selects the operation
    kLoadMatrix,    ///< LDSM.x4: a 16x16 half fragment from shared memory, without octet copies
    kCopyAsync,     ///< LDGSTS (cp.async): up to 512 B a warp from global to shared memory
    kCommitCopies,  ///< LDGDEPBAR (cp.async.commit_group): closes the warp's group of copies
    kWaitCopies,    ///< DEPBAR.LE (cp.async.wait_group): waits for all but the last `count` groups
    kWarpgroupMma,  ///< HGMMA (wgmma.mma_async): a warp's 16 of 64 lines of m64nNk16, operands in
                    ///< shared memory; the sums at dst are written later
    kCommitProducts,  ///< WARPGROUP.ARRIVE (wgmma.commit_group): closes a group of products
    kWaitProducts,    ///< WARPGROUP.DEPBAR (wgmma.wait_group): waits for all but the last `count`
    kBulkCopy,        ///< UTMALDG (cp.async.bulk.tensor): a box from global to shared memory, whose
                      ///< bytes complete on an arrival barrier
    kArrive,          ///< SYNCS.ARRIVE (mbarrier.arrive): arrives at an arrival barrier
    kAwaitPhase,      ///< SYNCS.PHASECHK.TRYWAIT (mbarrier.try_wait): waits for the end of a phase
};

inline constexpr std::size_t kOpcodes = 28;  // and their short names, as a table:
// clang-format off
inline constexpr std::array<std::string_view, kOpcodes> kOpcodeNames = {
    "alu",          "wmma.load", "wmma.mma", "ldg",    "stg",       "lds",    "sts",   "bar",
    "exit",         "operation", "atom",     "fence",  "vector_op", "spwmma", "flush", "lds.pieces",
    "lds.gathered", "floats",    "ldsm",     "ldgsts", "ldgdepbar", "depbar", "hgmma", "hgmma.commit",
    "hgmma.wait",   "utmaldg",   "mbarrier.arrive", "mbarrier.wait"};
[[nodiscard]] constexpr std::string_view name_of(Opcode opcode) {
    return kOpcodeNames[static_cast<std::size_t>(opcode)];
}
static_assert(static_cast<std::size_t>(Opcode::kAwaitPhase) + 1 == kOpcodes);

[[nodiscard]] constexpr bool is_memory(Opcode op) {
    return op == Opcode::kLoadFragment || op == Opcode::kLoadGlobal || op == Opcode::kStoreGlobal ||
           op == Opcode::kLoadShared || op == Opcode::kStoreShared || op == Opcode::kAtomicGlobal ||
           op == Opcode::kLoadPieces || op == Opcode::kLoadGathered || op == Opcode::kLoadMatrix ||
           op == Opcode::kCopyAsync;
}
// clang-format on
[[nodiscard]] constexpr bool copies_to_shared(Opcode op) {
    return op == Opcode::kCopyAsync || op == Opcode::kBulkCopy;
}
/// Whether an instruction may have an address for each lane.
[[nodiscard]] constexpr bool may_have_lanes(Opcode op) {
    return op == Opcode::kLoadGlobal || op == Opcode::kStoreGlobal || op == Opcode::kLoadShared ||
           op == Opcode::kStoreShared || op == Opcode::kAtomicGlobal || op == Opcode::kCopyAsync;
}
/// Whether an instruction loads 16-byte pieces of a row of shared memory.
[[nodiscard]] constexpr bool takes_pieces(Opcode op) {
    return op == Opcode::kLoadPieces || op == Opcode::kLoadGathered;
}
/// Operations of kFloats on rows of 16 floats that are contiguous in registers.
enum class FloatOperation : std::uint8_t {
    kAdd,        ///< adds the floats at src_a to those at dst
    kAddHalves,  ///< adds the halves at src_a to the floats at dst
    kRound       ///< rounds the floats at src_a to halves at dst
};
[[nodiscard]] constexpr std::string_view name_of(FloatOperation operation, Float16 format) {
    constexpr std::array<std::array<std::string_view, 3>, 2> kNames = {
        {{"fadd", "fadd.f16", "f2f.f16"}, {"fadd", "fadd.bf16", "f2f.bf16"}}};
    return kNames[static_cast<std::size_t>(format)][static_cast<std::size_t>(operation)];
}

/// Kinds of kOperation; each has its own latency and initiation interval.
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
/// Names in listings, by Operation.
inline constexpr std::array<std::string_view, kOperations> kOperationNames = {
    "integer", "fp32", "half", "fp64", "sfu", "hmma.884.f32", "hmma.884.f16", "branch", "move"};
[[nodiscard]] constexpr std::string_view name_of(Operation operation) {
    return kOperationNames[static_cast<std::size_t>(operation)];
}
static_assert(static_cast<std::size_t>(Operation::kMove) + 1 == kOperations);

}  // namespace tessera
