#include "sc_models/study/network_study.h"

#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/common/output_file.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/operators.h"
#include "sc_models/run/config_catalog.h"
#include "sc_models/run/config_text.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using network::Graph;
using network::Node;
using network::Tensor;
using network::ValueId;

constexpr std::size_t kLongestName = 48;

/// A name as a folder and a row.
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

/// The configuration of a variant, with a layer or without.
ConfigSource source_of(const std::vector<std::string>& configs,
                       const std::vector<std::string>& sets, const std::string& file) {
    const ConfigCatalog catalog;
    ConfigSource source;
    for (const std::string& config : configs) catalog.add_to(source, config);
    if (!file.empty()) catalog.add_to(source, file);
    for (const std::string& set : sets) source.add_set(set);
    return source;
}

/// Nodes that make no real numbers are what a host does between kernels.
bool is_for_host(const Graph& graph, const Node& node) {
    return std::none_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
        return id.valid() && network::is_real(graph.value(id).type.type);
    });
}

LoweredLayer without_values(LoweredLayer layer) {
    layer.given.activations = layer.given.weights = layer.given.result = nullptr;
    if (layer.given.epilogue != nullptr) {
        std::vector<ProductEpilogue::Operand> operands = layer.given.epilogue->operands();
        for (ProductEpilogue::Operand& operand : operands) operand.values = nullptr;
        layer.given.epilogue = std::make_shared<const ProductEpilogue>(
            std::move(operands), layer.given.epilogue->steps());
    }
    for (GivenLayer::Elements& operand : layer.given.operands) operand = nullptr;
    return layer;
}

}  // namespace

std::string mechanism_of(const std::string& config) {
    ConfigSource source;
    ConfigCatalog().add_to(source, config);
    const ConfigPiece& piece = source.pieces().back();
    return piece.part == ConfigPart::kMechanism ? piece.mechanism : std::string();
}

NetworkStudy::NetworkStudy(std::string name, std::vector<NetworkVariant> variants,
                           const fs::path& out)
    : name_(std::move(name)), variants_(std::move(variants)), out_(fs::absolute(out)) {
    for (const NetworkVariant& variant : variants_) {
        ConfigSource source = source_of(variant.configs, variant.sets, "");
        const Config config = load_config(source);
        Machine machine;
        machine.is_sparse = is_sparse(config.workload.kind);
        machine.wants_values = config.values || machine.is_sparse;
        if (source.where("workload.kernel").source == nullptr && !machine.is_sparse &&
            !has_vector_operations(config.workload.kind)) {
            machine.sets.emplace_back("workload.kernel=auto");
            machine.library = true;
        } else {
            machine.library = config.workload.kernel.peek() != ProductKernel::kFragments;
        }
        wants_values_ = wants_values_ || machine.wants_values;
        for (const std::string& config_name : variant.configs) {
            if (mechanism_of(config_name).empty()) machine.plain.push_back(config_name);
        }
        machine.launch_difference = static_cast<double>(config.gpu.launch_behind()) -
                                    config.gpu.kernel_launch_cycles.peek();
        if (core_clock_mhz_ == 0) core_clock_mhz_ = config.gpu.core_clock_mhz.peek();
        const bool has_epilogues = machine.is_sparse || machine.library;
        if (!has_epilogues) style_ = EpilogueStyle::kApart;
        machines_.push_back(std::move(machine));
    }
}

void NetworkStudy::add_graph(const Graph& graph, std::vector<Tensor> inputs,
                             const LoweringProgress& progress) {
    make_output_folder(out_ / "layers", "--out");
    const Layouts layouts(graph);
    std::size_t done = 0;
    const auto add_node = [&](const Node& node, const network::TensorOf& tensor_of) {
        const std::string base = fmt::format("{:03}_{}", done, plain_name(node.name));
        if (progress) progress(done, graph.nodes.size());
        ++done;
        stop_if_interrupted();
        if (is_for_host(graph, node)) return;
        NetworkLayer layer;
        layer.node = node.name;
        try {
            const std::vector<LoweredLayer> lowered =
                lower(graph, node, layouts, tensor_of, style_);
            for (std::size_t i = 0; i < lowered.size(); ++i) {
                const bool main = lowered[i].kind != LoweredLayer::Kind::kOperator ||
                                  (lowered.size() == 1 && lowered[i].operation == node.operation);
                layer.name =
                    main ? base : fmt::format("{}.{}{}", base, i, plain_name(lowered[i].operation));
                add_layer(layer, lowered[i]);
            }
        } catch (const ConfigError& error) {
            layer.name = base;
            layer.operation = node.operation;
            const network::OperatorCall call = network::call_of(graph, node, tensor_of);
            const network::Operator& operation = *network::find_operator(node.operation);
            if (operation.flop != nullptr) layer.flop = operation.flop(call, operation.infer(call));
            layer.refused = error.what();
            layers_.push_back(layer);
        }
    };
    if (wants_values_) {
        (void)network::execute(
            graph, std::move(inputs),
            [&](const Node& node, const std::vector<Tensor>&, const network::TensorOf& tensor_of) {
                add_node(node, tensor_of);
            });
        return;
    }
    for (const Node& node : graph.nodes) {
        add_node(node, [&](ValueId id) { return graph.value(id).constant.get(); });
    }
}

void NetworkStudy::add_layer(NetworkLayer layer, const LoweredLayer& lowered) {
    layer.operation = lowered.operation;
    layer.shape = lowered.shape;
    layer.is_product = lowered.kind != LoweredLayer::Kind::kOperator;
    layer.flop = lowered.flop;
    layer.bytes = lowered.bytes;
    layer.zeros_a = lowered.zeros_a;
    layer.zeros_b = lowered.zeros_b;
    // By whether values are wanted.
    std::vector<std::string> files(2);
    for (const bool values : {false, true}) {
        if (values && !wants_values_) continue;
        const std::string base = layer.name + (values ? ".values" : "");
        const std::string tensors = base + ".tensors";
        const LoweredLayer& written = values ? lowered : without_values(lowered);
        const std::string digest =
            write_given_layer((out_ / "layers" / tensors).string(), written.given);
        files[values ? 1 : 0] = (out_ / "layers" / (base + ".yaml")).string();
        write_file_atomically(files[values ? 1 : 0],
                              layer_yaml(lowered, layer.name, tensors, digest));
    }
    plan(layer, &lowered, files);
    layers_.push_back(std::move(layer));
}

void NetworkStudy::add_yaml(const std::string& network) {
    const ConfigCatalog catalog;
    for (const std::string& argument : catalog.layers(network)) {
        NetworkLayer layer;
        layer.name = layer_name(argument);
        layer.node = layer.name;
        layer.is_product = true;
        plan(layer, nullptr, {argument, argument});
        layers_.push_back(std::move(layer));
    }
}

std::optional<PlannedRun> NetworkStudy::planned(const NetworkLayer& layer, std::size_t variant,
                                                const LoweredLayer* lowered,
                                                const std::string& file, std::string& key,
                                                std::string& refused) const {
    const Machine& machine = machines_[variant];
    std::vector<std::string> sets = machine.sets;
    const bool is_matrices =
        lowered != nullptr && layer.is_product &&
        (lowered->kind == LoweredLayer::Kind::kProduct || lowered->operation == "MatMul");
    if (is_matrices && machine.library && !machine.is_sparse) {
        // What cuDNN has are convolutions.
        sets.emplace_back("workload.kernel=auto");
        if (lowered->kind == LoweredLayer::Kind::kProduct) {
            for (const char* set : {"workload.gemm.order=rows", "workload.gemm.output=fp16",
                                    "workload.tiling.raster=m_fastest"}) {
                sets.emplace_back(set);
            }
        }
    }
    if (lowered != nullptr && lowered->pass != LayerPass::kForward && machine.library &&
        !machine.is_sparse) {
        sets.emplace_back("workload.kind=convolution");  // passes are direct convolutions else
    }
    PlannedRun run;
    run.variant = variants_[variant].name;
    // Operators that are no products have nothing that a mechanism acts on.
    const std::vector<std::string>& configs =
        layer.is_product ? variants_[variant].configs : machine.plain;
    run.arguments = configs;
    run.arguments.push_back(file);
    sets.insert(sets.end(), variants_[variant].sets.begin(), variants_[variant].sets.end());
    for (const std::string& set : sets) run.arguments.insert(run.arguments.end(), {"--set", set});
    ConfigSource source = source_of(configs, sets, file);
    try {
        Config config = check_run(source, run).config;
        config.workload.layer.name = std::string();
        config.workload.given.file = std::string();
        key = run.variant + config_hash(config);
    } catch (const ConfigError& error) {
        refused = error.what();
        return std::nullopt;
    }
    run.layer = layer.name;
    run.baseline = variants_[0].name;
    run.folder = fs::path("runs") / run.layer / run.variant;
    return run;
}

void NetworkStudy::plan(NetworkLayer& layer, const LoweredLayer* lowered,
                        const std::vector<std::string>& files) {
    layer.runs.resize(variants_.size());
    for (std::size_t v = 0; v < variants_.size(); ++v) {
        if (v > 0 && !layer.is_product) break;
        const std::string& file = files[machines_[v].wants_values ? 1 : 0];
        std::string key, refused;
        std::optional<PlannedRun> run = planned(layer, v, lowered, file, key, refused);
        if (run) layer.runs[v] = add_run(std::move(*run), key);
        if (v == 0 && !run) throw ConfigError(layer.name + ": " + refused);
    }
}

/// Of two layers of one configuration but for their names, one runs.
std::size_t NetworkStudy::add_run(PlannedRun run, const std::string& key) {
    const auto found = std::find(run_keys_.begin(), run_keys_.end(), key);
    if (found != run_keys_.end()) return static_cast<std::size_t>(found - run_keys_.begin());
    runs_.push_back(std::move(run));
    run_keys_.push_back(key);
    return runs_.size() - 1;
}

}  // namespace tessera
