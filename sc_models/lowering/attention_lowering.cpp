#include "sc_models/lowering/attention_lowering.h"

#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "sc_models/network/attention.h"
#include "sc_models/network/fused_attention.h"

namespace tessera {
namespace {

using Elements = GivenLayer::Elements;

/// Puts queries, keys and values of each token side by side.
void pack(const AttentionConfig& attention, std::vector<Elements>& operands) {
    const std::size_t of_query = std::size_t{attention.heads} * attention.head_size;
    const std::size_t of_key = std::size_t{attention.kv_heads} * attention.head_size;
    const std::vector<std::pair<Elements, std::size_t>> parts = {
        {operands[network::kQuery], of_query},
        {operands[network::kKey], of_key},
        {operands[network::kValue], of_key}};
    operands.erase(operands.begin(), operands.begin() + network::kKey + 1);
    operands[0] = nullptr;
    if (std::any_of(parts.begin(), parts.end(),
                    [](const auto& part) { return part.first == nullptr; })) {
        return;
    }
    auto packed = std::make_shared<std::vector<HalfBits>>();
    const std::size_t tokens = std::size_t{attention.batch} * attention.tokens;
    for (std::size_t token = 0; token < tokens; ++token) {
        for (const auto& [elements, count] : parts) {
            const auto begin = elements->begin() + static_cast<std::ptrdiff_t>(token * count);
            packed->insert(packed->end(), begin, begin + static_cast<std::ptrdiff_t>(count));
        }
    }
    operands[0] = std::move(packed);
}

}  // namespace

PlacedTensor lower_attention(NodeLayers& layers) {
    const network::Node& node = layers.node();
    const network::OperatorCall call = layers.call_of(node);
    const network::Operator& operation = *network::find_operator(node.operation);
    const std::vector<network::TensorType> types = operation.infer(call);
    const network::AttentionSides sides(call);
    LoweredLayer lowered;
    lowered.kind = LoweredLayer::Kind::kAttention;
    AttentionConfig& attention = lowered.attention;
    attention.batch = side_of(sides.batch);
    attention.tokens = side_of(sides.queries);
    attention.context = side_of(sides.keys - sides.queries);
    attention.heads = side_of(sides.heads);
    attention.kv_heads = side_of(sides.kv_heads);
    attention.head_size = side_of(sides.depth);
    attention.causal = sides.is_causal;
    if (call.has(network::kMask)) attention.mask = AttentionMask::kKeys;
    PlacedTensor result;
    result.type = layers.halves();
    if (result.type == TensorType::kBf16) attention.operands = OperandType::kBf16;
    result.shape = types.at(0).shape;
    lowered.bytes = result.bytes();
    const bool turns = network::turns_result(layers.graph(), node);
    if (!sides.is_flat) {
        attention.layout = turns ? AttentionLayout::kHeadsToTokens : AttentionLayout::kHeads;
    } else if (network::packed_operands(layers.graph(), node) != nullptr) {
        attention.layout = AttentionLayout::kPacked;
    }
    bool is_known = layers.is_known(node);
    for (const network::ValueId input : node.inputs) {
        const PlacedTensor operand = in_layout(layers.placed(input), false, layers.sink());
        lowered.given.operands.push_back(operand.elements);
        lowered.bytes += operand.bytes();
        is_known = is_known && operand.elements != nullptr;
    }
    if (attention.layout == AttentionLayout::kPacked) pack(attention, lowered.given.operands);
    lowered.operation = node.operation;
    lowered.shape =
        fmt::format("{}x{}x{}x{}", sides.batch, sides.queries, sides.heads, sides.depth);
    if (sides.keys != sides.queries) lowered.shape += fmt::format(", {} keys", sides.keys);
    lowered.flop = operation.flop(call, types);
    if (is_known) {
        result.elements = layers.result_of(node, result);
        lowered.given.result =
            turns ? permuted(result.elements, result.shape, {0, 2, 1, 3}) : result.elements;
    }
    layers.add(std::move(lowered), result);
    return result;
}

}  // namespace tessera
