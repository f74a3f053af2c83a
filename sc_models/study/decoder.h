// Operators of one layer of a decoder-only transformer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/configure/config_catalog.h"

namespace tessera {

/// Sizes of a decoder, from a file of configs/decoders.
struct Decoder {
    std::string name;
    std::uint32_t hidden = 0;         ///< elements of a token between layers
    std::uint32_t heads = 0;          ///< of queries
    std::uint32_t kv_heads = 0;       ///< of keys and values, a divisor of `heads`
    std::uint32_t mlp = 0;            ///< inner elements of the MLP
    bool gated = false;               ///< the MLP multiplies swish(gate) by up
    std::uint32_t vocabulary = 0;     ///< tokens that the embedding knows
    std::uint32_t hidden_layers = 1;  ///< number of equal layers

    [[nodiscard]] std::uint32_t head_size() const { return hidden / heads; }
};

/// Whether the argument names a decoder: a short name of configs/decoders, or a YAML file with
/// their key hidden.
[[nodiscard]] bool is_decoder(const std::string& argument, const ConfigCatalog& catalog);

/// Reads a decoder: a short name of configs/decoders, or a YAML file. Throws ConfigError, located
/// in the file, for unknown or missing keys and for sizes that do not fit.
[[nodiscard]] Decoder read_decoder(const std::string& argument, const ConfigCatalog& catalog);

/// One operator of a layer: a run without a machine.
struct DecoderOperator {
    std::string name;               ///< as vidur's profiles name it
    bool is_product = false;        ///< a matrix product with weights
    std::vector<std::string> sets;  ///< key=value
    std::string operation, shape;   ///< for people
    double flop = 0;
    std::uint64_t bytes = 0;  ///< of operands and results, each once

    /// Section of the workload's keys in `sets`: gemm, tensor or attention.
    [[nodiscard]] std::string section() const;
};

/// Work of a pass through a decoder, and the number of cards among which heads and MLP are divided.
struct DecoderLoad {
    std::uint32_t batch = 1;    ///< sequences
    std::uint32_t tokens = 1;   ///< of a sequence; 1 with a context: it decodes
    std::uint32_t context = 0;  ///< tokens of a sequence before these
    std::uint32_t tensor_parallel = 1;

    [[nodiscard]] std::uint32_t all_tokens() const { return batch * tokens; }
    [[nodiscard]] bool decodes() const { return tokens == 1 && context > 0; }
};

/// Operators of one layer without attention, and the embedding before all layers, for `tokens`
/// tokens of FP16 on one of `tensor_parallel` cards. Products are those of PyTorch's Linear: m
/// tokens, n outputs, weights of n lines of k. Throws ConfigError if heads or MLP cannot be
/// divided.
[[nodiscard]] std::vector<DecoderOperator> operators_of(const Decoder& decoder,
                                                        std::uint32_t tokens,
                                                        std::uint32_t tensor_parallel);
/// Tokens of a page of the cache that decode reads: those of vLLM, and of vidur's profiles.
inline constexpr std::uint32_t kPageTokens = 16;
/// attn_prefill or attn_decode of the load. Throws ConfigError likewise.
[[nodiscard]] DecoderOperator attention_of(const Decoder& decoder, const DecoderLoad& load);

/// Operators of a whole pass: before the layers, of each layer, and behind them. The vocabulary's
/// product is that of the last token of each sequence.
struct DecoderPass {
    std::vector<DecoderOperator> before, layer, after;
};
[[nodiscard]] DecoderPass pass_of(const Decoder& decoder, const DecoderLoad& load);

}  // namespace tessera
