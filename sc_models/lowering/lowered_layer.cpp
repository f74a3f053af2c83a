#include "sc_models/lowering/lowered_layer.h"

#include <fmt/format.h>

namespace tessera {
namespace {

template <class Type>
void add_line(std::string& yaml, const char* key, const Type& value) {
    yaml += fmt::format("    {}: {}\n", key, value);
}

void add_layer_lines(std::string& yaml, const LayerConfig& layer) {
    add_line(yaml, "batch", layer.batch);
    add_line(yaml, "height", layer.height);
    add_line(yaml, "width", layer.width);
    add_line(yaml, "channels", layer.channels);
    add_line(yaml, "filters", layer.filters);
    add_line(yaml, "filter_height", layer.filter_height);
    add_line(yaml, "filter_width", layer.filter_width);
    add_line(yaml, "pad", layer.pad);
    add_line(yaml, "stride", layer.stride);
    add_line(yaml, "groups", layer.groups);
    const auto add_axis = [&](const char* key, std::uint32_t value) {
        if (value != LayerConfig::kSame) add_line(yaml, key, value);
    };
    add_axis("pad_height", layer.pad_height);
    add_axis("pad_width", layer.pad_width);
    add_axis("stride_height", layer.stride_height);
    add_axis("stride_width", layer.stride_width);
    if (layer.dilation != 1) add_line(yaml, "dilation", layer.dilation);
}

void add_operands(std::string& yaml, OperandType operands) {
    if (operands == OperandType::kFp16) return;
    add_line(yaml, "operands", name_of(operands));
}

const char* text_of(AttentionLayout layout) {
    switch (layout) {
        case AttentionLayout::kTokens:
            break;
        case AttentionLayout::kPacked:
            return "packed";
        case AttentionLayout::kHeads:
            return "heads";
        case AttentionLayout::kHeadsToTokens:
            return "heads_to_tokens";
    }
    return "tokens";
}

void add_attention_lines(std::string& yaml, const AttentionConfig& attention) {
    yaml += "  attention:\n";
    add_line(yaml, "batch", attention.batch);
    add_line(yaml, "tokens", attention.tokens);
    add_line(yaml, "context", attention.context);
    add_line(yaml, "heads", attention.heads);
    add_line(yaml, "kv_heads", attention.kv_heads);
    add_line(yaml, "head_size", attention.head_size);
    add_line(yaml, "causal", attention.causal ? "on" : "off");
    add_line(yaml, "layout", text_of(attention.layout));
    add_operands(yaml, attention.operands);
    add_line(yaml, "mask", attention.mask == AttentionMask::kKeys ? "keys" : "none");
}

}  // namespace

std::string layer_text(const LayerConfig& layer) {
    return fmt::format("{}x{}x{}x{}, {} of {}x{}{}", layer.batch, layer.height, layer.width,
                       layer.channels, layer.filters, layer.filter_height, layer.filter_width,
                       layer.groups > 1 ? fmt::format(", {} groups", layer.groups) : "");
}

std::string layer_yaml(const LoweredLayer& layer, const std::string& name,
                       const std::string& tensors, const std::string& digest) {
    std::string yaml =
        fmt::format("# {} of {}\npart: workload\n\nworkload:\n", layer.operation, layer.shape);
    yaml += fmt::format("  layer:\n    name: \"{}\"\n", name);
    switch (layer.kind) {
        case LoweredLayer::Kind::kConvolution:
            add_layer_lines(yaml, layer.layer);
            add_operands(yaml, layer.layer.operands);
            if (layer.pass == LayerPass::kBackwardData) yaml += "  pass: backward_data\n";
            break;
        case LoweredLayer::Kind::kProduct:
            yaml += "  gemm:\n";
            add_line(yaml, "m", layer.gemm.m);
            add_line(yaml, "n", layer.gemm.n);
            add_line(yaml, "k", layer.gemm.k);
            add_operands(yaml, layer.gemm.operands);
            break;
        case LoweredLayer::Kind::kAttention:
            add_attention_lines(yaml, layer.attention);
            break;
        case LoweredLayer::Kind::kOperator:
            yaml += "  tensor: {}\n";
            break;
    }
    yaml += fmt::format("  given:\n    file: \"{}\"\n    digest: \"{}\"\n", tensors, digest);
    return yaml;
}

}  // namespace tessera
