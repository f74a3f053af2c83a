// Cycle-accurate pair of outer-product tensor cores.
#pragma once

#include <array>
#include <cstdint>

#include "sc_models/tensor_core/half.h"

namespace tessera {

inline constexpr std::uint32_t kOhmmaRows = 8;
inline constexpr std::uint32_t kOhmmaColumns = 16;
inline constexpr std::uint32_t kOhmmaProducts = kOhmmaRows * kOhmmaColumns;
inline constexpr std::uint32_t kBohmmaSize = 32;       ///< rows and columns of a binary outer
                                                       ///< product
inline constexpr std::uint32_t kFeopMetaWords = 3;     ///< 96 bits
inline constexpr std::uint32_t kFeopArrayLatency = 2;  ///< cycles without stalls

enum class FeopArrayOp : std::uint32_t {
    kOhmma,   ///< OHMMA.8161: 8 halves x 16 halves -> 128 FP32 products
    kBohmma,  ///< BOHMMA.32321: 32 bits x 32 bits -> 1024 bits
};

/// Input pins of the array in one clock cycle.
struct FeopArrayInputs {
    std::uint32_t valid = 0;
    FeopArrayOp op = FeopArrayOp::kOhmma;
    std::uint32_t predicate = 1;  ///< 0: accepted, but produces no result
    /// BOHMMA: the row bitmap is a[0] (bits 0-15) and a[1] (bits 16-31), the column bitmap likewise
    /// b[0] and b[1].
    std::array<HalfBits, kOhmmaRows> a{};
    std::array<HalfBits, kOhmmaColumns> b{};
    std::array<std::uint32_t, kFeopMetaWords> meta{};  ///< returned with the result
    std::uint32_t ready = 0;                           ///< the receiver takes the result
};

/// Output pins of the array. `op`, `meta` and the results are meaningful only while `valid`, and
/// only the results of that operation.
struct FeopArrayOutputs {
    std::uint32_t ready = 0;  ///< the operation is accepted; depends on the receiver's ready in the
                              ///< same cycle
    std::uint32_t valid = 0;
    FeopArrayOp op = FeopArrayOp::kOhmma;
    std::array<std::uint32_t, kFeopMetaWords> meta{};
    std::array<std::uint32_t, kOhmmaProducts> product{};  ///< [row * 16 + column], FP32
    std::array<std::uint32_t, kBohmmaSize> bits{};        ///< [row], one bit a column
};

/// Two 8x8x1 outer-product tensor cores (dual-side sparse tensor core, III) that execute one
/// OHMMA.8161 or BOHMMA.32321 per cycle: 32 FEOPs without adders, because the adders are at the
/// banks of the accumulation buffer. Two elastic stages, an operand and a result register: each
/// moves when the one behind it is empty or moves, so a bubble closes during a stall. An operation
/// whose predicate is 0 uses an input slot and leaves a bubble.
class FeopArray {
public:
    void reset() {
        operands_valid_ = false;
        results_valid_ = false;
    }
    /// Advances one clock cycle: computes the outputs before the clock edge, then applies the edge.
    FeopArrayOutputs step(const FeopArrayInputs& in);

private:
    bool operands_valid_ = false;
    FeopArrayInputs operands_;
    bool results_valid_ = false;
    FeopArrayOutputs results_;
};

}  // namespace tessera
