// Shapes and types of the tensor cores' SASS instructions.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {

/// Matrix shape and types of one tensor-core instruction. FP16 operands have FP32 sums unless the
/// name says F16.
enum class MmaShape : std::uint8_t {
    kHmma884,
    kHmma884F16,
    kHmma1688,
    kHmma1688F16,
    kHmma16816,
    kHmma16816F16,
    kHmma1688Bf16,
    kHmma16816Bf16,
    kHmma1684Tf32,
    kHmma1688Tf32,
    kImma8816,
    kImma16816,
    kImma16832,
    kHmmaSp16832,
    kImmaSp16864,
    kHgmma16,      ///< of a warpgroup, as the following: m64nNk16 of FP16
    kHgmma16Bf16,  ///< m64nNk16 of BF16
    kQgmma32,      ///< m64nNk32 of FP8 (E4M3)
};
inline constexpr std::size_t kMmaShapes = 18;

/// Formats of floating-point numbers of 16 bits (tensor_core/half.h).
enum class Float16 : std::uint8_t {
    kFp16,
    kBf16  ///< sign 1, exponent 8 (bias 127), fraction 7: the upper half of an FP32 number
};

/// Type of the operands of a 16x16 product. Floating-point ones have FP32 sums; INT8 has INT32 sums
/// that wrap. Lines of fragments have 32 bytes: 16 k of FP16 and BF16, 8 of TF32, 32 of the others.
enum class OperandType : std::uint8_t {
    kFp16,
    kBf16,
    kTf32,  ///< FP32 numbers whose lower 13 bits are ignored
    kFp8,   ///< E4M3 (tensor_core/half.h), in products of warpgroups
    kInt8,
    kUint8  ///< A of UINT8, B of INT8 (IMMA.U8.S8)
};
[[nodiscard]] constexpr bool is_integer(OperandType type) {
    return type == OperandType::kInt8 || type == OperandType::kUint8;
}
/// Whether results keep the 32 bits of the sums, because the type has no result of 16 bits.
[[nodiscard]] constexpr bool keeps_sums(OperandType type) {
    return is_integer(type) || type == OperandType::kTf32;
}
/// Bytes of an element.
[[nodiscard]] constexpr std::uint32_t bytes_of(OperandType type) {
    if (type == OperandType::kTf32) return 4;
    return is_integer(type) || type == OperandType::kFp8 ? 1 : 2;
}
/// Elements of a line of `k` in units of a half, 2 bytes; an odd line of bytes has half a unit
/// more.
template <class Count>
[[nodiscard]] constexpr Count halves_of(OperandType type, Count k) {
    return static_cast<Count>((k * bytes_of(type) + 1) / 2);
}
/// Format of 16-bit results of products of the type.
[[nodiscard]] constexpr Float16 format_of(OperandType type) {
    return type == OperandType::kBf16 ? Float16::kBf16 : Float16::kFp16;
}
/// Name of the type in configurations and tables.
[[nodiscard]] constexpr std::string_view name_of(OperandType type) {
    constexpr std::array<std::string_view, 6> kNames = {"fp16", "bf16", "tf32",
                                                        "fp8",  "int8", "uint8"};
    return kNames[static_cast<std::size_t>(type)];
}
/// Type in names of kernels.
[[nodiscard]] constexpr std::string_view prefix_of(OperandType type) {
    constexpr std::array<std::string_view, 6> kPrefixes = {"",     "bf16.", "tf32.",
                                                           "fp8.", "s8.",   "u8."};
    return kPrefixes[static_cast<std::size_t>(type)];
}

/// A product of 16x16 fragments, which is two to 16 instructions of a warp.
enum class FragmentProduct : std::uint8_t {
    kHalf,        ///< 16x16x16 of FP16
    kStructured,  ///< 16x16x32 of FP16, B with two of each four k
    kInteger,     ///< 16x16x32 of integers of 8 bits
    kBf16,        ///< 16x16x16 of BF16
    kTf32         ///< 16x16x8 of TF32
};
inline constexpr std::size_t kFragmentProducts = 5;
/// FP8 has no product of fragments of its own.
[[nodiscard]] constexpr FragmentProduct product_of(OperandType type) {
    switch (type) {
        case OperandType::kBf16:
            return FragmentProduct::kBf16;
        case OperandType::kTf32:
            return FragmentProduct::kTf32;
        case OperandType::kInt8:
        case OperandType::kUint8:
            return FragmentProduct::kInteger;
        case OperandType::kFp16:
        case OperandType::kFp8:
            break;
    }
    return FragmentProduct::kHalf;
}
/// Whether warpgroups multiply the type in kernels.
[[nodiscard]] constexpr bool is_for_warpgroups(OperandType type) {
    return type == OperandType::kFp16 || type == OperandType::kBf16 || type == OperandType::kFp8;
}

/// Whether the four warps of a warpgroup compute a product of the shape together, from shared
/// memory (Opcode::kWarpgroupMma).
[[nodiscard]] constexpr bool is_of_warpgroup(MmaShape shape) {
    return shape >= MmaShape::kHgmma16;
}

/// Name and work of a MmaShape.
struct MmaShapeText {
    std::string_view mnemonic;  ///< in SASS
    std::string_view key;       ///< in sm.tensor_rates
    /// Multiply-adds of one instruction; those of a sparse product count the zeros that it skips.
    /// One HMMA.884 is one step of Volta's four (FP16 sums: two). Those of a warpgroup are one
    /// warp's share of eight columns.
    std::uint32_t products;
};
/// Texts by MmaShape.
inline constexpr std::array<MmaShapeText, kMmaShapes> kMmaShapeText = {{
    {"HMMA.884.F32", "hmma_884", 4 * 8 * 8 * 4 / 4},
    {"HMMA.884.F16", "hmma_884_f16", 4 * 8 * 8 * 4 / 2},
    {"HMMA.1688.F32", "hmma_1688", 16 * 8 * 8},
    {"HMMA.1688.F16", "hmma_1688_f16", 16 * 8 * 8},
    {"HMMA.16816.F32", "hmma_16816", 16 * 8 * 16},
    {"HMMA.16816.F16", "hmma_16816_f16", 16 * 8 * 16},
    {"HMMA.1688.F32.BF16", "hmma_1688_bf16", 16 * 8 * 8},
    {"HMMA.16816.F32.BF16", "hmma_16816_bf16", 16 * 8 * 16},
    {"HMMA.1684.F32.TF32", "hmma_1684_tf32", 16 * 8 * 4},
    {"HMMA.1688.F32.TF32", "hmma_1688_tf32", 16 * 8 * 8},
    {"IMMA.8816.S8.S8", "imma_8816", 8 * 8 * 16},
    {"IMMA.16816.S8.S8", "imma_16816", 16 * 8 * 16},
    {"IMMA.16832.S8.S8", "imma_16832", 16 * 8 * 32},
    {"HMMA.SP.16832.F32", "hmma_sp_16832", 16 * 8 * 32},
    {"IMMA.SP.16864.S8.S8", "imma_sp_16864", 16 * 8 * 64},
    {"HGMMA.64xNx16.F32", "hgmma_16", 16 * 8 * 16},
    {"HGMMA.64xNx16.F32.BF16", "hgmma_16_bf16", 16 * 8 * 16},
    {"QGMMA.64xNx32.F32.E4M3.E4M3", "qgmma_32", 16 * 8 * 32},
}};
[[nodiscard]] constexpr const MmaShapeText& text_of(MmaShape shape) {
    return kMmaShapeText[static_cast<std::size_t>(shape)];
}

/// The product of a warpgroup, of a type that is_for_warpgroups().
[[nodiscard]] constexpr MmaShape warpgroup_shape_of(OperandType type) {
    return type == OperandType::kBf16  ? MmaShape::kHgmma16Bf16
           : type == OperandType::kFp8 ? MmaShape::kQgmma32
                                       : MmaShape::kHgmma16;
}

/// The instruction that fragments are multiplied by, two of it, where a machine has its rate.
[[nodiscard]] constexpr MmaShape shape_of(FragmentProduct product) {
    constexpr std::array<MmaShape, kFragmentProducts> kShapes = {
        MmaShape::kHmma16816, MmaShape::kHmmaSp16832, MmaShape::kImma16832,
        MmaShape::kHmma16816Bf16, MmaShape::kHmma1688Tf32};
    return kShapes[static_cast<std::size_t>(product)];
}

/// Shapes that a machine has a rate for, by MmaShape.
using MmaShapeSet = std::bitset<kMmaShapes>;

}  // namespace tessera
