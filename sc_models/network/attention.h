// Operands and sides of Attention and RotaryEmbedding, for their values and for the operators that
// take their place.
#pragma once

#include <cstdint>

#include "sc_models/network/operators.h"

namespace tessera::network {

/// Inputs of an Attention.
inline constexpr std::size_t kQuery = 0, kKey = 1, kValue = 2, kMask = 3, kPastKey = 4,
                             kPastValue = 5;
/// Its outputs.
inline constexpr std::size_t kAttended = 0, kPresentKey = 1, kPresentValue = 2, kScores = 3;

/// The tensor that an Attention's fourth output holds (attribute qk_matmul_output_mode), in the
/// order of ONNX's reference implementation and ONNX Runtime 1.30, which cap scores before they
/// mask them.
enum class ScoresOutput : std::uint8_t { kScaled, kCapped, kMasked, kSoftmax };

/// Sides and attributes of an Attention: softmax(scale Q K^T, capped and masked) V for each head of
/// each batch. `kv_heads` divides `heads`; a head of K and V serves as many of Q.
struct AttentionSides {
    std::int64_t batch = 0, heads = 0, kv_heads = 0;
    std::int64_t queries = 0;           ///< rows of Q
    std::int64_t past = 0, keys = 0;    ///< rows of K before this call, and of K in all
    std::int64_t depth = 0, width = 0;  ///< of a head of Q and K, and of V
    bool is_flat = false;               ///< operands are batch x rows x (heads x depth)
    bool is_causal = false;
    float scale = 1, cap = 0;
    ScoresOutput scores_output = ScoresOutput::kScaled;

    /// Throws for operands that ONNX does not allow, and for softmax_precision other than FLOAT.
    explicit AttentionSides(const OperatorCall& call);
};

/// Inputs of a RotaryEmbedding.
inline constexpr std::size_t kRotated = 0, kCosines = 1, kSines = 2, kPositions = 3;

/// Sides of a RotaryEmbedding.
struct RotarySides {
    std::int64_t batch = 0, heads = 0, rows = 0;
    std::int64_t depth = 0;    ///< of a head
    std::int64_t rotated = 0;  ///< elements of a head that are rotated, in pairs
    bool is_flat = false;      ///< the input is batch x rows x (heads x depth)
    bool interleaved = false;  ///< pairs are neighbours; otherwise halves

    explicit RotarySides(const OperatorCall& call);
};

}  // namespace tessera::network
