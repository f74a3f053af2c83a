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
    std::uint32_t hidden = 0;      ///< elements of a token between layers
    std::uint32_t heads = 0;       ///< of queries
    std::uint32_t kv_heads = 0;    ///< of keys and values, a divisor of `heads`
    std::uint32_t mlp = 0;         ///< inner elements of the MLP
    bool gated = false;            ///< the MLP multiplies swish(gate) by up
    std::uint32_t vocabulary = 0;  ///< tokens that the embedding knows
};

/// Reads a decoder: a short name of configs/decoders, or a YAML file. Throws ConfigError, located
/// in the file, for unknown or missing keys and for sizes that do not fit.
[[nodiscard]] Decoder read_decoder(const std::string& argument, const ConfigCatalog& catalog);

/// One operator of a layer: a run without a machine.
struct DecoderOperator {
    std::string name;               ///< as vidur's profiles name it
    bool is_product = false;        ///< a matrix product with weights
    std::vector<std::string> sets;  ///< key=value
};

/// Operators of one layer, and the embedding before all layers, for `tokens` tokens of FP16 on one
/// of `tensor_parallel` cards among which heads and the MLP are divided. Products are those of
/// PyTorch's Linear: m tokens, n outputs, weights of n lines of k. Of vidur's columns, attn_rope
/// has no operator. Throws ConfigError if heads or MLP cannot be divided.
[[nodiscard]] std::vector<DecoderOperator> operators_of(const Decoder& decoder,
                                                        std::uint32_t tokens,
                                                        std::uint32_t tensor_parallel);

}  // namespace tessera
