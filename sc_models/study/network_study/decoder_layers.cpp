#include "sc_models/study/network_study/decoder_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace tessera {

NetworkLayer operator_layer(const DecoderOperator& op) {
    NetworkLayer layer;
    layer.name = layer.node = op.name;
    layer.operation = op.operation;
    layer.shape = op.shape;
    layer.is_product = layer.is_matrices = op.is_product;
    layer.of_decoder = true;
    layer.flop = op.flop;
    layer.bytes = op.bytes;
    return layer;
}

std::string operator_yaml(const DecoderOperator& op) {
    const std::string section = op.section();
    const std::size_t key = ("workload." + section + ".").size();
    std::vector<std::string> members;
    for (const std::string& set : op.sets) {
        const std::size_t equals = set.find('=');
        members.push_back(
            fmt::format("{}: {}", set.substr(key, equals - key), set.substr(equals + 1)));
    }
    return fmt::format("part: workload\nworkload:\n  layer: {{name: {}}}\n  {}: {{{}}}\n", op.name,
                       section, fmt::join(members, ", "));
}

}  // namespace tessera
