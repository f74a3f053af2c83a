// The pair of outer-product tensor cores, clock cycle by clock cycle.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/tensor_core/half.h"

namespace tessera {

inline constexpr std::uint32_t kOhmmaRows = 8;
inline constexpr std::uint32_t kOhmmaColumns = 16;
inline constexpr std::uint32_t kOhmmaProducts = kOhmmaRows * kOhmmaColumns;
inline constexpr std::uint32_t kBohmmaSize = 32;       ///< rows, columns of a binary outer product
inline constexpr std::uint32_t kFeopMetaWords = 3;     ///< 96 bits
inline constexpr std::uint32_t kFeopArrayLatency = 2;  ///< cycles, when nothing stalls

enum class FeopArrayOp : std::uint32_t {
    kOhmma,   ///< OHMMA.8161: 8 halves x 16 halves -> 128 FP32 products
    kBohmma,  ///< BOHMMA.32321: 32 bits x 32 bits -> 1024 bits
};

/// Pins of the array that go in, for one clock cycle.
struct FeopArrayInputs {
    std::uint32_t valid = 0;
    FeopArrayOp op = FeopArrayOp::kOhmma;
    std::uint32_t predicate = 1;  ///< 0: accepted, but nothing comes out
    /// BOHMMA: the row bitmap is a[0] (bits 0-15) and a[1] (bits 16-31), the column bitmap likewise
    /// b[0] and b[1].
    std::array<HalfBits, kOhmmaRows> a{};
    std::array<HalfBits, kOhmmaColumns> b{};
    std::array<std::uint32_t, kFeopMetaWords> meta{};  ///< comes out with the result
    std::uint32_t ready = 0;                           ///< the receiver takes the result
};

/// Pins that come out. `op`, `meta` and the results mean something while `valid` only, and of the
/// results only those of the operation.
struct FeopArrayOutputs {
    std::uint32_t ready = 0;  ///< the operation is accepted; follows the receiver's in this cycle
    std::uint32_t valid = 0;
    FeopArrayOp op = FeopArrayOp::kOhmma;
    std::array<std::uint32_t, kFeopMetaWords> meta{};
    std::array<std::uint32_t, kOhmmaProducts> product{};  ///< [row * 16 + column], FP32
    std::array<std::uint32_t, kBohmmaSize> bits{};        ///< [row], one bit a column
};

/// Two 8x8x1 outer-product tensor cores (dual-side sparse tensor core, III) that execute one
/// OHMMA.8161 or BOHMMA.32321 a cycle: 32 FEOPs without adders, because the adders stand at the
/// banks of the accumulation buffer. Two elastic stages, an operand and a result register: each
/// moves when the one behind it is empty or moves, so a bubble closes during a stall. An operation
/// whose predicate is 0 uses an input slot and leaves a bubble.
class FeopArray {
public:
    void reset() {
        operands_valid_ = false;
        results_valid_ = false;
    }
    /// One clock cycle: outputs before the edge, then the edge.
    FeopArrayOutputs step(const FeopArrayInputs& in);

private:
    bool operands_valid_ = false;
    FeopArrayInputs operands_;
    bool results_valid_ = false;
    FeopArrayOutputs results_;
};

}  // namespace tessera
