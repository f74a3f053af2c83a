#include "sc_models/config/attention_config.h"

#include "sc_models/config/workload_conditions.h"

namespace tessera {

void AttentionConfig::bind(ConfigVisitor& v) {
    constexpr std::uint32_t kMostTokens = 1U << 20;
    v.choice("operation", operation,
             {{"prefill", AttentionOperation::kPrefill},
              {"decode", AttentionOperation::kDecode},
              {"rotary", AttentionOperation::kRotary}},
             "prefill: attention of all tokens of a prompt to their context and to each other, in "
             "one kernel. decode: attention of one token a "
             "sequence, whose keys and values are divided among CTAs. rotary: the rotation of "
             "queries and keys by their positions, as vLLM computes it.");
    v.acts_if(acts::kPrefill)
        .choice("kernel", kernel,
                {{"auto", AttentionKernel::kAuto},
                 {"flash_attention_2", AttentionKernel::kFlash2},
                 {"flash_attention_3", AttentionKernel::kFlash3}},
                "Kernel of a prefill. flash_attention_2: products of warps, from shared memory "
                "that asynchronous copies fill. flash_attention_3: products of warpgroups "
                "(HGMMA), and bulk copies. auto: the latter where the machine has both and "
                "workload.attention.mask is none.");
    v.integer("batch", batch, 1, 1U << 16, "Sequences that attend or are rotated together.");
    v.acts_if(acts::kOfTokens)
        .integer("tokens", tokens, 1, kMostTokens,
                 "Tokens of a sequence that attend or are rotated; decode has one.");
    v.integer("context", context, 0, kMostTokens,
              "Tokens of a sequence before these, whose keys and values are in the cache.");
    v.integer("heads", heads, 1, 1024, "Heads of queries.");
    v.integer(
        "kv_heads", kv_heads, 1, 1024,
        "Heads of keys and values, a divisor of heads; queries of heads / kv_heads share one.");
    v.integer("head_size", head_size, 2, 256,
              "Elements of a head: 64 or 128 of prefill and decode, an even number of rotary.");
    v.acts_if(acts::kPrefill)
        .boolean("causal", causal,
                 "Whether a token of a prompt attends to no token behind it (prefill).");
    v.acts_if(acts::kPrefill)
        .choice("mask", mask, {{"none", AttentionMask::kNone}, {"keys", AttentionMask::kKeys}},
                "Numbers that are added to the scores (prefill). keys: one for each key of "
                "a sequence, as networks mask padding; flash_attention_2 has them. Generated ones "
                "are drawn from -0.5 to 1, or -10000 for a quarter of the keys.");
    v.acts_if(acts::kPrefill)
        .choice("layout", layout,
                {{"tokens", AttentionLayout::kTokens},
                 {"packed", AttentionLayout::kPacked},
                 {"heads", AttentionLayout::kHeads},
                 {"heads_to_tokens", AttentionLayout::kHeadsToTokens}},
                "Order of the sides of queries, keys, values and result behind the sequences "
                "(prefill). tokens: tokens before heads. packed: the same, with queries, keys and "
                "values of a token side by side in one tensor, as one product writes them. heads: "
                "heads before tokens. heads_to_tokens: the latter of the operands, tokens of the "
                "result.");
    v.choice("operands", operands, {{"fp16", OperandType::kFp16}, {"bf16", OperandType::kBf16}},
             "Type of all tensors of the operator, on machines with products of it.");
    v.acts_if(acts::kDecode)
        .integer_or("page_tokens", page_tokens, 4, 1U << 16, "contiguous", kContiguous,
                    "Tokens of a page of the cache, a multiple of 4; a table holds the pages of a "
                    "sequence (decode).");
    v.acts_if(acts::kDecode)
        .integer_or(
            "splits", splits, 1, 128, "auto", kAutoSplits,
            "Parts into which keys and values of a sequence are divided among CTAs; auto: as "
            "FlashAttention-2 chooses them by the number of SMs (decode).");
}

}  // namespace tessera
