#include "sc_models/lowering/layouts.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "sc_models/network/operators.h"

namespace tessera {
namespace {

using network::Graph;
using network::Node;
using network::Shape;
using network::ValueId;
using network::WorkKind;

constexpr std::array<std::string_view, 11> kOfImages = {
    "Conv",        "QLinearConv",        "ConvTranspose",        "MaxPool",
    "AveragePool", "GlobalAveragePool",  "GlobalMaxPool",        "Resize",
    "Upsample",    "BatchNormalization", "InstanceNormalization"};
constexpr std::array<std::string_view, 5> kAxisByAxis = {"Concat", "Split", "Slice", "Pad", "LRN"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool has_two_layouts(const Shape& shape) {
    if (shape.size() < 3) return false;
    const std::int64_t pixels = std::accumulate(shape.begin() + 2, shape.end(), std::int64_t{1},
                                                [](auto a, auto b) { return a * b; });
    return shape[1] > 1 && pixels > 1;
}

std::vector<std::size_t> channels_last_order(std::size_t sides) {
    std::vector<std::size_t> order = {0};
    for (std::size_t i = 2; i < sides; ++i) order.push_back(i);
    order.push_back(1);
    return order;
}

PreferredLayout preferred_layout(const Graph& graph, const Node& node) {
    const std::size_t sides = graph.value(node.inputs.at(0)).type.shape.size();
    if (is_one_of(kOfImages, node.operation)) {
        return sides >= 3 ? PreferredLayout::kChannelsLast : PreferredLayout::kAsInFile;
    }
    if (is_one_of(kAxisByAxis, node.operation)) return PreferredLayout::kAsTheyCome;
    const WorkKind kind = network::find_operator(node.operation)->kind;
    if (kind == WorkKind::kElementwise) return PreferredLayout::kAsTheyCome;
    const bool keeps_sides =
        node.operation.rfind("Reduce", 0) == 0 && node.attributes.integer("keepdims", 1) != 0;
    return keeps_sides ? PreferredLayout::kAsTheyCome : PreferredLayout::kAsInFile;
}

Layouts::Layouts(const Graph& graph) : last_(graph.values.size()) {
    const auto sides = [&](ValueId id) { return graph.value(id).type.shape.size(); };
    for (const Node& node : graph.nodes) {
        if (node.inputs.empty() || !node.inputs[0].valid()) continue;
        if (preferred_layout(graph, node) != PreferredLayout::kChannelsLast) continue;
        const ValueId read = node.inputs[0];
        const bool is_input =
            std::find(graph.inputs.begin(), graph.inputs.end(), read) != graph.inputs.end();
        if (is_input) last_[read.value()] = true;
    }
    for (const Node& node : graph.nodes) {
        if (node.inputs.empty() || !node.inputs[0].valid()) continue;
        const PreferredLayout preferred = preferred_layout(graph, node);
        for (const ValueId output : node.outputs) {
            if (!output.valid() || sides(output) < 3) continue;
            const bool follows =
                std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
                    return input.valid() && sides(input) == sides(output) && last_[input.value()];
                });
            last_[output.value()] = preferred == PreferredLayout::kChannelsLast ||
                                    (preferred == PreferredLayout::kAsTheyCome && follows);
        }
    }
}

}  // namespace tessera
