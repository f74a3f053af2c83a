// Table of SASS opcodes: class and memory space of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sc_models/isa/mma_shape.h"

namespace tessera {

/// Instruction class of an opcode. Latencies and pipelines belong to the machine's configuration;
/// the names are those of the instruction tables in NVIDIA's "CUDA Binary Utilities".
enum class SassClass : std::uint8_t {
    kInteger,
    kFp32,
    kFp64,
    kHalf,             ///< packed FP16, on the FP32 pipe
    kSpecialFunction,  ///< MUFU, and the bit counts that share its rate
    kConversion,
    kTensor,
    kUniform,  ///< uniform datapath (Turing and later)
    kMove,     ///< registers, predicates, special registers
    kShuffle,  ///< between lanes
    kBranch,
    kExit,
    kBarrier,  ///< of the CTA
    kMemoryBarrier,
    kDependencyBarrier,  ///< waits for the warp's own outstanding instructions
    kLoad,
    kStore,
    kAtomic,
    kAsyncCopy,  ///< global to shared memory, bypassing registers
    kCacheControl,
    kTexture,
    kSurface,
    kMisc,
};

enum class MemorySpace : std::uint8_t {
    kNone,
    kGlobal,
    kLocal,
    kShared,
    kConstant,
    kGeneric,  ///< global, local or shared, depending on the address
    kTexture,
};

/// Whether instruction lines of an opcode carry addresses.
enum class AddressRule : std::uint8_t { kForbidden, kOptional, kRequired };

/// A SASS opcode with its class and memory space.
struct SassOpcode {
    std::string_view name;
    SassClass op_class;
    MemorySpace space;
};

/// Opcode of this name (no suffixes), or null.
[[nodiscard]] const SassOpcode* find_sass_opcode(std::string_view name);

[[nodiscard]] AddressRule address_rule(const SassOpcode& opcode);

/// An opcode with its suffixes, as traces write it: `LDG.E.128.SYS`.
struct SassMnemonic {
    std::string text;
    const SassOpcode* opcode = nullptr;
    /// Bytes that each lane accesses: the numeric suffix (128, U8, S16, F64: bits), 4 without one,
    /// and a 16-byte row for LDSM. 0 if the suffix is no valid access width.
    std::uint8_t access_bytes = 4;
    bool bypasses_l1 = false;  ///< .STRONG.GPU: coherent in L2; LDGSTS: .BYPASS
    bool fp16_sums = false;    ///< HMMA.884.F16.F16: the first type is that of D
    /// Tensor cores; none: no machine has a rate for it, as for binary and FP64 products.
    std::optional<MmaShape> shape;
    /// LDSM: number of 8-row matrices, whose addresses lanes 8i to 8i+7 give; 0 for others.
    std::uint8_t matrices = 0;
};

/// Throws ConfigError without a location for an instruction that exists and is not modelled: warp
/// group products, tensor memory accesses, mbarriers, clusters and FP8 of Ada and Hopper. Columns
/// of some differ, so a line is checked before they are read.
void check_modelled(std::string_view mnemonic);

/// Parses a mnemonic. Throws ConfigError without a location, with the nearest known name, if the
/// token before the first '.' is no opcode, and if the text is longer than any mnemonic.
[[nodiscard]] SassMnemonic parse_sass_mnemonic(std::string_view text);

}  // namespace tessera
