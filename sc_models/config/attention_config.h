// Configuration of attention and of the rotary embedding before it.
#pragma once

#include <cstdint>

#include "sc_models/config/engine/config_visitor.h"
#include "sc_models/isa/mma_shape.h"

namespace tessera {

enum class AttentionOperation {
    kPrefill,  ///< all tokens of a prompt attend at once
    kDecode,   ///< one token a sequence attends to the sequence's cache
    kRotary    ///< queries and keys are rotated by their positions
};

/// Kernel of a prefill.
enum class AttentionKernel {
    kAuto,    ///< FlashAttention-3 where the machine has what it needs, otherwise FlashAttention-2
    kFlash2,  ///< FlashAttention-2
    kFlash3   ///< FlashAttention-3
};

/// Numbers that are added to the scores of a prefill.
enum class AttentionMask {
    kNone,
    kKeys  ///< one for each key of a sequence, as of padding
};

/// Order of the sides of a prefill's tensors: sequences, and then
enum class AttentionLayout {
    kTokens,        ///< tokens, heads, elements
    kPacked,        ///< as kTokens, queries, keys and values of a token in one tensor
    kHeads,         ///< heads, tokens, elements
    kHeadsToTokens  ///< of the operands as kHeads, of the result as kTokens
};

/// Sizes and type of one attention operator.
struct AttentionConfig {
    AttentionOperation operation = AttentionOperation::kPrefill;
    AttentionKernel kernel = AttentionKernel::kAuto;
    std::uint32_t batch = 1;      ///< sequences
    std::uint32_t tokens = 512;   ///< of a sequence; decode: 1
    std::uint32_t context = 0;    ///< tokens of a sequence before these
    std::uint32_t heads = 32;     ///< of queries
    std::uint32_t kv_heads = 32;  ///< of keys and values, a divisor of `heads`
    std::uint32_t head_size = 128;
    bool causal = true;
    AttentionMask mask = AttentionMask::kNone;
    AttentionLayout layout = AttentionLayout::kTokens;
    OperandType operands = OperandType::kFp16;  ///< or kBf16
    static constexpr std::uint32_t kContiguous = 0;
    std::uint32_t page_tokens = kContiguous;  ///< decode: tokens of a page of the cache
    static constexpr std::uint32_t kAutoSplits = 0;
    std::uint32_t splits = kAutoSplits;  ///< decode: parts of the cache

    /// Whether it is a prefill by FlashAttention-3; `possible`: the machine has products of
    /// warpgroups and bulk copies. FlashAttention-3 adds no mask.
    [[nodiscard]] bool is_by_warpgroups(bool possible) const {
        const bool is_chosen = possible && mask == AttentionMask::kNone;
        return operation == AttentionOperation::kPrefill &&
               (kernel == AttentionKernel::kAuto ? is_chosen : kernel == AttentionKernel::kFlash3);
    }

    /// Whether two CTAs of FlashAttention-3 share keys and values
    /// (hopper/flash_fwd_launch_template.h: clusters of two for heads of 128 without a mask).
    [[nodiscard]] bool shares_keys() const { return head_size == 128 && !causal; }

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
