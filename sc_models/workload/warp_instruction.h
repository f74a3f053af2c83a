// What a warp executes: small plain records, produced lazily by a kernel.
#pragma once

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
};

enum class FragmentRole : std::uint8_t { kNone, kA, kB, kAccumulator };

/// 32-bit registers a thread spends on one 16x16 fragment: A and B hold their 256 halves twice,
/// once for each of the two octets that read them (Duplo II-B); accumulators are 256 floats.
inline constexpr std::uint32_t kRegistersPerFragment = 8;
/// Bytes of one 32-bit register over the 32 threads of a warp.
inline constexpr std::uint32_t kWarpRegisterBytes = 128;
/// Bytes of one fragment in the register file.
inline constexpr std::uint32_t kFragmentBytes = kRegistersPerFragment * kWarpRegisterBytes;
inline constexpr std::uint32_t kFragmentRows = 16;
/// Bytes of one row of 16 halves: the load of one thread, one 32-byte sector.
inline constexpr std::uint32_t kFragmentRowBytes = 32;

inline constexpr std::uint8_t kNoRegister = 255;

/// One instruction of one warp. Memory instructions touch `rows` pieces of `row_bytes` bytes, the
/// first at `address`, each `row_pitch_bytes` further on. In registers the pieces start
/// `register_offset_bytes` into the destination (or source) and lie `register_pitch_bytes` apart
/// (row-major, from warp register `dst` on). Fragments lie in registers row after row; A and B
/// fragments hold a second copy of all 16 rows behind the first.
struct WarpInstruction {
    Opcode opcode = Opcode::kAlu;
    FragmentRole role = FragmentRole::kNone;
    std::uint8_t dst = kNoRegister;    ///< first warp register written
    std::uint8_t src_a = kNoRegister;  ///< first warp register read (stores: the data; mma: A)
    std::uint8_t src_b = kNoRegister;  ///< mma: B
    bool zero_fill = false;            ///< loads: clear 512 B of the destination first
    std::uint16_t count = 1;           ///< kAlu: how many, back to back; kBarrier: which (0..15)
    std::uint16_t rows = 0;
    std::uint16_t row_bytes = 0;
    std::uint32_t row_pitch_bytes = 0;
    std::uint16_t register_offset_bytes = 0;
    std::uint16_t register_pitch_bytes = 0;
    Address address = 0;
};
static_assert(sizeof(WarpInstruction) <= 32);

[[nodiscard]] constexpr bool is_memory(Opcode op) {
    return op == Opcode::kLoadFragment || op == Opcode::kLoadGlobal || op == Opcode::kStoreGlobal ||
           op == Opcode::kLoadShared || op == Opcode::kStoreShared;
}

}  // namespace tessera
