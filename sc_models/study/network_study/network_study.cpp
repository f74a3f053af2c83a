#include "sc_models/study/network_study/network_study.h"

#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error_kinds.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/output_file.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/configure/workload_kind.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/node_work.h"
#include "sc_models/network/unsupported_operator.h"
#include "sc_models/study/network_study/decoder_layers.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using network::Graph;
using network::Node;
using network::Tensor;
using network::ValueId;

constexpr std::size_t kLongestName = 48;

/// Name made valid as a folder name and a row name.
std::string plain_name(std::string name) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    for (char& c : name) {
        if (kPlain.find(c) == std::string_view::npos) c = '_';
    }
    const std::size_t first = name.find_first_not_of('_');
    name = first == std::string::npos ? "node" : name.substr(first);
    return name.size() <= kLongestName ? name : name.substr(name.size() - kLongestName);
}

/// Up to three known names nearest to an unknown one.
std::string near_names(const std::string& name, std::vector<std::string_view> known) {
    constexpr std::size_t kNames = 3;
    std::string text;
    for (std::size_t i = 0; i < kNames; ++i) {
        const std::string_view nearest = nearest_name(name, known);
        if (nearest.empty()) break;
        text += (text.empty() ? " (near it: " : ", ") + in_quotes(nearest);
        known.erase(std::remove(known.begin(), known.end(), nearest), known.end());
    }
    return text.empty() ? text : text + ")";
}

LoweredLayer without_values(LoweredLayer layer) {
    layer.given.activations = layer.given.weights = layer.given.result = nullptr;
    if (layer.given.epilogue != nullptr) {
        std::vector<ProductEpilogue::Operand> operands = layer.given.epilogue->operands();
        for (ProductEpilogue::Operand& operand : operands) operand.values = nullptr;
        layer.given.epilogue = std::make_shared<const ProductEpilogue>(
            std::move(operands), layer.given.epilogue->steps(), false,
            layer.given.epilogue->format());
    }
    if (layer.given.requantization != nullptr) {
        Requantization rule = *layer.given.requantization;
        std::fill(rule.bias.begin(), rule.bias.end(), 0);
        std::fill(rule.factors.begin(), rule.factors.end(), 1.0F);
        layer.given.requantization = std::make_shared<const Requantization>(std::move(rule));
    }
    for (GivenLayer::Elements& operand : layer.given.operands) operand = nullptr;
    return layer;
}

}  // namespace

NetworkStudy::NetworkStudy(std::string name, std::vector<NetworkVariant> variants,
                           const fs::path& out, NetworkPart part)
    : name_(std::move(name)),
      out_(fs::absolute(out)),
      planner_(std::move(variants), std::move(part)) {}

std::vector<Tensor> NetworkStudy::add_graph(const Graph& graph, std::vector<Tensor> inputs,
                                            const LoweringProgress& progress) {
    check_geometry();
    make_output_folder(out_ / "layers", "--out");
    const Layouts layouts(graph);
    std::size_t done = 0;
    const auto add_node = [&](const Node& node, const network::TensorOf& tensor_of) {
        const std::string base = fmt::format("{:03}_{}", done, plain_name(node.name));
        if (progress) progress(done, graph.nodes.size());
        ++done;
        stop_if_interrupted();
        const bool is_in_node = selected_layer().compare(0, base.size() + 1, base + ".") == 0;
        if (is_for_host(graph, node) || (!is_selected(node.name, base) && !is_in_node)) return;
        NetworkLayer layer;
        layer.node = node.name;
        try {
            const std::vector<LoweredLayer> lowered =
                lower(graph, node, layouts, tensor_of, planner_.epilogue_style());
            for (std::size_t i = 0; i < lowered.size(); ++i) {
                const bool main = lowered[i].is_product() ||
                                  (lowered.size() == 1 && lowered[i].operation == node.operation);
                layer.name =
                    main ? base : fmt::format("{}.{}{}", base, i, plain_name(lowered[i].operation));
                if (is_selected(main ? node.name : "", layer.name)) add_layer(layer, lowered[i]);
            }
        } catch (const NoKernelError& error) {
            if (!selected_layer().empty()) throw;
            layer.name = base;
            const network::NodeWork work = network::work_of(graph, node);
            layer.operation = work.operation;
            layer.flop = work.flop;
            layer.bytes = work.bytes;
            layer.has_unknown_flop = !network::unsupported_operation(node).empty();
            layer.refused = error.what();
            planned_.layers.push_back(layer);
        }
    };
    std::vector<Tensor> outputs;
    if (wants_values()) {
        outputs = network::execute(
            graph, std::move(inputs),
            [&](const Node& node, const std::vector<Tensor>&, const network::TensorOf& tensor_of) {
                add_node(node, tensor_of);
            });
    } else {
        for (const Node& node : graph.nodes) {
            add_node(node, [&](ValueId id) { return graph.value(id).constant.get(); });
        }
    }
    if (!selected_layer().empty() && planned_.layers.empty()) fail_unknown_layer(graph);
    const bool any = std::any_of(planned_.layers.begin(), planned_.layers.end(),
                                 [](const NetworkLayer& layer) { return layer.refused.empty(); });
    if (!any) {
        throw ConfigError(fmt::format(
            "{}: got no node that a kernel here computes, expected at least one", name_));
    }
    return outputs;
}

/// Refuses settings of layer shapes; a model's nodes define them.
void NetworkStudy::check_geometry() const {
    for (const NetworkVariant& variant : variants()) {
        for (const std::string& set : variant.sets) {
            const std::string key = set.substr(0, set.find('='));
            const bool is_shape = key.rfind("workload.layer.", 0) == 0 ||
                                  key == "workload.gemm.m" || key == "workload.gemm.n" ||
                                  key == "workload.gemm.k";
            if (!is_shape) continue;
            throw ConfigError(
                fmt::format("got {}, expected no shapes of layers: the model has them (and --dim "
                            "sets the sides "
                            "that it leaves open)",
                            set));
        }
    }
}

std::vector<std::string> NetworkStudy::of_no_use() const {
    std::vector<std::string> notes;
    for (std::size_t v = 1; v < variants().size(); ++v) {
        std::size_t products = 0;
        bool is_of_use = false;
        const NetworkLayer* first = nullptr;
        for (const NetworkLayer& layer : planned_.layers) {
            if (!layer.is_product || !layer.refused.empty()) continue;
            ++products;
            is_of_use = is_of_use || layer.runs[v];
            if (first == nullptr) first = &layer;
        }
        if (is_of_use || first == nullptr) continue;
        const std::string hint = planner_.machine(v).library
                                     ? fmt::format(
                                           "; {},workload.kernel=fragments has kernels that "
                                           "load fragments, as Duplo's authors multiply",
                                           variants()[0].name)
                                     : "";
        notes.push_back(
            fmt::format("{} runs none of the {} convolutions and products (of {}: {}){}",
                        variants()[v].name, products, first->name, first->reasons[v], hint));
    }
    return notes;
}

bool NetworkStudy::is_selected(const std::string& node, const std::string& name) const {
    return selected_layer().empty() || selected_layer() == name ||
           (!node.empty() && selected_layer() == node);
}

void NetworkStudy::fail_unknown_layer(const Graph& graph) const {
    std::vector<std::string_view> known;
    for (const Node& node : graph.nodes) {
        if (node.name == selected_layer()) {
            throw ConfigError(
                fmt::format("{}: got layer {}, expected a node that a kernel computes ({} is "
                            "done by none)",
                            name_, in_quotes(selected_layer()), node.operation));
        }
        if (!is_for_host(graph, node)) known.emplace_back(node.name);
    }
    throw ConfigError(fmt::format("{}: got layer {}, expected one of its {} nodes{}", name_,
                                  in_quotes(selected_layer()), known.size(),
                                  near_names(selected_layer(), known)));
}

void NetworkStudy::add_layer(NetworkLayer layer, const LoweredLayer& lowered) {
    layer.operation = lowered.operation;
    layer.shape = lowered.shape;
    layer.is_product = lowered.is_product();
    layer.is_matrices = lowered.kind == LoweredLayer::Kind::kProduct || lowered.is_batch;
    layer.flop = lowered.flop;
    layer.bytes = lowered.bytes;
    layer.zeros_a = lowered.zeros_a;
    layer.zeros_b = lowered.zeros_b;
    // Index: whether the file has values.
    std::vector<std::string> files(2);
    for (const bool values : {false, true}) {
        if (values && !wants_values()) continue;
        const std::string base = layer.name + (values ? ".values" : "");
        const std::string tensors = base + ".tensors";
        const LoweredLayer& written = values ? lowered : without_values(lowered);
        const std::string digest =
            write_given_layer((out_ / "layers" / tensors).string(), written.given);
        const std::string file = (fs::path("layers") / (base + ".yaml")).string();
        const std::string text = layer_yaml(lowered, layer.name, tensors, digest);
        files[values ? 1 : 0] = (out_ / file).string();
        write_file_atomically(files[values ? 1 : 0], text);
        planned_.files[file] = text;
    }
    planner_.plan(layer, &lowered, files, planned_.runs);
    planned_.layers.push_back(std::move(layer));
}

void NetworkStudy::take(PlannedNetwork planned) {
    make_output_folder(out_ / "layers", "--out");
    for (const auto& [file, text] : planned.files) {
        write_file_atomically(out_ / file, text, SyncFile::kLater);
    }
    planned_ = std::move(planned);
}

void NetworkStudy::add_yaml(const std::string& network) {
    const ConfigCatalog catalog;
    for (const std::string& argument : catalog.layers(network)) {
        NetworkLayer layer;
        layer.name = layer_name(argument);
        layer.node = layer.name;
        layer.is_product = true;
        layer.is_matrices = is_matrix_product(source_of({}, {}, argument).pieces().back().body);
        planner_.plan(layer, nullptr, {argument, argument}, planned_.runs);
        planned_.layers.push_back(std::move(layer));
    }
    if (planned_.layers.empty()) {
        throw ConfigError(fmt::format("{}: layers: got none, expected at least one", network));
    }
}

NetworkLayer NetworkStudy::plan_operator(const DecoderOperator& op) {
    NetworkLayer layer = operator_layer(op);
    const std::string file = (fs::path("layers") / (op.name + ".yaml")).string();
    const std::string text = operator_yaml(op);
    write_file_atomically(out_ / file, text);
    planned_.files[file] = text;
    const std::string path = (out_ / file).string();
    planner_.plan(layer, nullptr, {path, path}, planned_.runs);
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
