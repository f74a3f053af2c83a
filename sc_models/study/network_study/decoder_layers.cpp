#include <fmt/format.h>
#include <fmt/ranges.h>
#include <filesystem>
#include <utility>

#include "sc_models/common/output_file.h"
#include "sc_models/study/network_study/network_study.h"

// Layers of a network that is a decoder.

namespace tessera {
namespace {

/// Configuration of an operator: its keys, all of one section of workload.
std::string operator_yaml(const DecoderOperator& op) {
    const std::string& first = op.sets.front();
    const std::string section = first.substr(0, first.rfind('.', first.find('=')));
    const std::string name = section.substr(section.find('.') + 1);
    std::vector<std::string> members;
    for (const std::string& set : op.sets) {
        const std::size_t equals = set.find('=');
        members.push_back(fmt::format("{}: {}",
                                      set.substr(section.size() + 1, equals - section.size() - 1),
                                      set.substr(equals + 1)));
    }
    return fmt::format("part: workload\nworkload:\n  layer: {{name: {}}}\n  {}: {{{}}}\n", op.name,
                       name, fmt::join(members, ", "));
}

}  // namespace

NetworkLayer NetworkStudy::plan_operator(const DecoderOperator& op) {
    NetworkLayer layer;
    layer.name = layer.node = op.name;
    layer.operation = op.operation;
    layer.shape = op.shape;
    layer.is_product = layer.is_matrices = op.is_product;
    layer.of_decoder = true;
    layer.flop = op.flop;
    layer.bytes = op.bytes;
    const std::string file = (std::filesystem::path("layers") / (op.name + ".yaml")).string();
    const std::string text = operator_yaml(op);
    write_file_atomically(out_ / file, text);
    planned_.files[file] = text;
    const std::string path = (out_ / file).string();
    plan(layer, nullptr, {path, path});
    return layer;
}

void NetworkStudy::add_decoder(const Decoder& decoder, const DecoderLoad& load) {
    const DecoderPass pass = pass_of(decoder, load);
    make_output_folder(out_ / "layers", "--out");
    for (const DecoderOperator& op : pass.before) planned_.layers.push_back(plan_operator(op));
    std::vector<NetworkLayer> operators;
    for (const DecoderOperator& op : pass.layer) operators.push_back(plan_operator(op));
    for (std::uint32_t i = 0; i < decoder.hidden_layers; ++i) {
        for (const NetworkLayer& of_layer : operators) {
            NetworkLayer layer = of_layer;
            layer.name = layer.node = fmt::format("layer{}.{}", i, of_layer.name);
            planned_.layers.push_back(std::move(layer));
        }
    }
    for (const DecoderOperator& op : pass.after) planned_.layers.push_back(plan_operator(op));
}

}  // namespace tessera
