// tessera network: a whole network from an ONNX file.
#include <fmt/format.h>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/common/text_table.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/node_work.h"
#include "sc_models/network/onnx_reader.h"
#include "sc_models/network/random_inputs.h"
#include "sc_models/network/storage.h"
#include "sc_models/network/tensor_files.h"
#include "sc_models/study/network_study/network_study.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/decoder_load.h"
#include "tools/tessera/network_arguments.h"

namespace tessera {
namespace {

using network::Graph;
using network::Node;
using network::NodeWork;
using network::Tensor;
using network::ValueId;

/// NAME and VALUE of "NAME=VALUE", the last '=' counting.
std::pair<std::string, std::string> halves_of(const std::string& option, const std::string& text) {
    const std::size_t at = text.rfind('=');
    if (at == std::string::npos || at == 0) {
        throw ConfigError(fmt::format("{}: got {}, expected NAME=VALUE", option, in_quotes(text)));
    }
    return {text.substr(0, at), text.substr(at + 1)};
}

network::OnnxOptions options_of(const NetworkArguments& arguments) {
    network::OnnxOptions options;
    options.keep_unsupported = arguments.skip_unsupported;
    for (const std::string& text : arguments.sides) {
        const auto [name, value] = halves_of("--dim", text);
        std::int64_t side = 0;
        const char* end = value.data() + value.size();
        const auto [rest, error] = std::from_chars(value.data(), end, side);
        constexpr std::int64_t kMost = std::int64_t{1} << 31;
        if (error != std::errc() || rest != end || side < 1 || side > kMost) {
            throw ConfigError(fmt::format("--dim {}: got {}, expected an integer from 1 to {}",
                                          name, in_quotes(value), kMost));
        }
        if (!options.sides.emplace(name, side).second) {
            throw ConfigError(fmt::format("--dim: got {} twice", name));
        }
    }
    for (const std::string& text : arguments.inputs) {
        const auto [name, file] = halves_of("--input", text);
        options.input_shapes[name] = network::read_tensor_file(file).type.shape;
    }
    return options;
}

std::string percent(double part, double whole) {
    return whole == 0 ? "-" : number_cell(100 * part / whole);
}

std::string shapes_of(const Graph& graph, const Node& node) {
    std::string text;
    for (const ValueId id : node.inputs) {
        if (!id.valid()) continue;
        text += (text.empty() ? "" : ", ") + network::shape_text(graph.value(id).type.shape);
    }
    return text;
}

void write_tensors(const std::string& folder, const Graph& graph, const std::vector<ValueId>& ids,
                   const std::vector<Tensor>& tensors) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::string name = network::npy_file_name(graph.value(ids[i]).name);
        write_file_atomically(std::filesystem::path(folder) / name, network::npy_bytes(tensors[i]));
    }
}

/// Percentage of zeros in each node's outputs, from an execution on the host; inputs and outputs
/// are written to a folder if one is given.
std::vector<std::string> zeros_of_results(const Graph& as_written, const Graph& graph,
                                          const NetworkArguments& arguments) {
    std::vector<Tensor> inputs = inputs_of(graph, arguments);
    if (!arguments.outputs.empty()) {
        make_output_folder(arguments.outputs, "--outputs");
        write_tensors(arguments.outputs, graph, graph.inputs, inputs);
    }
    (void)check_against_file(as_written, graph, inputs);
    std::vector<std::string> cells;
    const std::vector<Tensor> outputs = network::execute(
        graph, std::move(inputs),
        [&](const Node&, const std::vector<Tensor>& made, const network::TensorOf&) {
            cells.push_back(percent(static_cast<double>(made[0].zeros()),
                                    static_cast<double>(made[0].elements())));
        });
    if (!arguments.outputs.empty()) {
        write_tensors(arguments.outputs, graph, graph.outputs, outputs);
    }
    return cells;
}

std::string table_of(const Graph& as_written, const Graph& graph,
                     const NetworkArguments& arguments) {
    std::vector<std::string> header = {"node",  "operator", "inputs",  "output",
                                       "MFLOP", "KiB",      "weights", "zeros [%]"};
    std::vector<std::string> results;
    if (arguments.values) {
        header.emplace_back("zeros of output [%]");
        results = zeros_of_results(as_written, graph, arguments);
    }
    TextTable table(header);
    table.set_text_columns(4);
    NodeWork sum;
    const std::vector<NodeWork> all = network::work_of(graph);
    const auto row = [](const std::string& name, const std::string& inputs,
                        const std::string& output, const NodeWork& work) {
        return std::vector<std::string>{
            name,
            work.operation,
            inputs,
            output,
            number_cell(work.flop / 1e6, 3),
            number_cell(static_cast<double>(work.bytes) / 1024),
            std::to_string(work.weights),
            percent(static_cast<double>(work.zero_weights), static_cast<double>(work.weights))};
    };
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        const ValueId output = node.outputs[0];
        std::vector<std::string> cells =
            row(node.name, shapes_of(graph, node),
                output.valid() ? network::shape_text(graph.value(output).type.shape) : "-", all[i]);
        if (arguments.values) cells.push_back(results[i]);
        table.add(std::move(cells));
        sum.flop += all[i].flop;
        sum.bytes += all[i].bytes;
        sum.weights += all[i].weights;
        sum.zero_weights += all[i].zero_weights;
    }
    table.add_rule();
    table.add(row(fmt::format("{} nodes", graph.nodes.size()), "", "", sum));
    return table.str(0);
}

/// Layers of a network in YAML, or one layer of a decoder with what is before and behind all.
std::vector<NetworkLayer> layers_of(const NetworkArguments& arguments) {
    const ConfigCatalog catalog;
    if (!is_decoder(arguments.model, catalog)) {
        refuse_model_options(arguments);
        NetworkStudy study(arguments.model, {{"machine", {"v100"}, {}}}, ".");  // writes nothing
        study.add_yaml(arguments.model);
        return study.layers();
    }
    const DecoderPass pass = pass_of(read_decoder(arguments.model, catalog), load_of(arguments));
    std::vector<NetworkLayer> layers;
    for (const auto* part : {&pass.before, &pass.layer, &pass.after}) {
        for (const DecoderOperator& op : *part) {
            NetworkLayer& layer = layers.emplace_back();
            layer.name = op.name;
            layer.operation = op.operation;
            layer.shape = op.shape;
            layer.flop = op.flop;
            layer.bytes = op.bytes;
        }
    }
    return layers;
}

/// Table of a YAML network's layers, which are independent of the machine.
std::string table_of_layers(const NetworkArguments& arguments) {
    if (arguments.values) {
        throw ConfigError(
            fmt::format("--values: got a network in YAML ({}), expected an .onnx file",
                        in_quotes(arguments.model)));
    }
    const std::vector<NetworkLayer> layers = layers_of(arguments);
    TextTable table({"layer", "kind", "shape", "MFLOP", "KiB"});
    table.set_text_columns(3);
    double flop = 0;
    std::uint64_t bytes = 0;
    const auto cells = [](double operations, std::uint64_t moved) {
        return std::array<std::string, 2>{number_cell(operations / 1e6, 3),
                                          number_cell(static_cast<double>(moved) / 1024)};
    };
    for (const NetworkLayer& layer : layers) {
        const auto [mflop, kib] = cells(layer.flop, layer.bytes);
        table.add({layer.name, layer.operation, layer.shape, mflop, kib});
        flop += layer.flop;
        bytes += layer.bytes;
    }
    table.add_rule();
    const auto [mflop, kib] = cells(flop, bytes);
    table.add({fmt::format("{} layers", layers.size()), "", "", mflop, kib});
    return table.str(0);
}

int list_network(const NetworkArguments& arguments) {
    if (std::filesystem::path(arguments.model).extension() != ".onnx") {
        print_text("{}", table_of_layers(arguments));
        return static_cast<int>(ExitCode::kGood);
    }
    Graph as_written;
    Graph graph = read_model(arguments, &as_written);
    if (arguments.fuse) (void)network::fuse(graph);
    print_text("{}", table_of(as_written, graph, arguments));
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace

Graph read_model(const NetworkArguments& arguments, Graph* as_written) {
    Graph graph = network::read_onnx(arguments.model, options_of(arguments), as_written);
    if (const auto pruning = network::pruning_of(arguments.prune, "--prune")) {
        for (const ValueId id : network::prune(graph, *pruning)) {
            if (as_written != nullptr) as_written->value(id).constant = graph.value(id).constant;
        }
    }
    return graph;
}

std::vector<Tensor> inputs_of(const Graph& graph, const NetworkArguments& arguments) {
    std::map<std::string, std::string> files;
    for (const std::string& text : arguments.inputs) files.insert(halves_of("--input", text));
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
        const network::Value& value = graph.value(graph.inputs[i]);
        const auto file = files.find(value.name);
        if (file == files.end()) {
            inputs.push_back(network::random_input(graph, i, arguments.seed));
            continue;
        }
        inputs.push_back(network::read_tensor_file(file->second));
        network::TensorType& type = inputs.back().type;
        if (value.type.type == network::ElementType::kBf16 &&
            type.type == network::ElementType::kFloat) {  // NumPy has no BFLOAT16
            type.type = network::ElementType::kBf16;
            inputs.back().round_to_type();
        }
        if (inputs.back().type != value.type) {
            throw ConfigError(fmt::format("--input {}: got {}, expected {}", value.name,
                                          inputs.back().type.str(), value.type.str()));
        }
        files.erase(file);
    }
    if (!files.empty()) {
        std::string known;
        for (const ValueId id : graph.inputs) {
            known += (known.empty() ? "" : ", ") + graph.value(id).name;
        }
        throw ConfigError(fmt::format("--input: got {}, expected one of {{{}}}",
                                      in_quotes(files.begin()->first), known));
    }
    return inputs;
}

void add_model_options(CLI::App& command, NetworkArguments& arguments) {
    command
        .add_option(
            "--dim", arguments.sides,
            "size of a side that an ONNX model leaves open, by its name or as input.number; of an "
            "input from a file it is the file's; tokens, batch, context or tensor_parallel of a "
            "decoder")
        ->type_name("NAME=SIZE")
        ->allow_extra_args(false);
    command.add_flag_callback(
        "--no-fuse", [&arguments] { arguments.fuse = false; },
        "leave a model's BatchNormalization, activations and additions nodes of their own");
    command
        .add_option("--prune", arguments.prune,
                    "make the smallest weights of a model's convolutions and products zero: a "
                    "fraction of each tensor (0.8), or all but N of M inputs in a row (2:4)")
        ->capture_default_str()
        ->type_name("HOW");
    command
        .add_option(
            "--type", arguments.type,
            "type of real numbers on the machine: fp16, bf16, or auto, which is bf16 if the "
            "model has BFLOAT16 tensors and the machine multiplies it")
        ->check(CLI::IsMember({"auto", "fp16", "bf16"}))
        ->capture_default_str()
        ->type_name("TYPE");
    command
        .add_option("--input", arguments.inputs,
                    "a model's input from a .npy or .pb file; others are drawn")
        ->type_name("NAME=FILE")
        ->allow_extra_args(false);
}

void add_network_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "network",
        "A whole network on a machine and with mechanisms, layer by layer; or its work and zeros");
    auto arguments = std::make_shared<NetworkArguments>();
    command->add_option("MODEL", arguments->model, "an .onnx file, a network in YAML, or a decoder")
        ->required()
        ->type_name("");
    command
        ->add_option("MACHINE", arguments->machine,
                     "the machine: a configuration, or several and keys with commas (v100 or "
                     "v100,workload.repeat=2)")
        ->type_name("");
    command
        ->add_option("MECHANISM", arguments->mechanisms,
                     "mechanisms that the machine is compared with, likewise (duplo_staged, "
                     "dual_implicit_paper)")
        ->type_name("");
    auto* list =
        command->add_flag("--list", arguments->list, "print a table of the nodes, run nothing");
    add_model_options(*command, *arguments);
    auto* values = command->add_flag("--values", arguments->values,
                                     "with --list: execute the model on the host, count zeros");
    values->needs(list);
    command
        ->add_option("--outputs", arguments->outputs,
                     "write each input and output of the network into this folder, as NAME.npy")
        ->needs(values)
        ->type_name("FOLDER");
    command->add_option("--seed", arguments->seed, "of inputs that are drawn (default 1)")
        ->check([](const std::string& text) {
            return text.find('-') == std::string::npos
                       ? std::string()
                       : fmt::format("got {}, expected an integer from 0", in_quotes(text));
        })
        ->type_name("NUMBER");
    command
        ->add_option("--seeds", arguments->seeds,
                     "run every layer so many times with launches drawn at random; results are "
                     "then means with their 95 % intervals")
        ->check(CLI::Range(2, 1000))
        ->type_name("N");
    command->add_option("--set", arguments->sets, "set one key of every run: key.path=value")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command->add_flag_callback(
        "--sample", [arguments] { arguments->sets.emplace_back("sample.enabled=on"); },
        "simulate some waves of the CTAs of large kernels: short for --set sample.enabled=on");
    command->add_flag("--skip-unsupported", arguments->skip_unsupported,
                      "leave out nodes that no kernel here computes, or whose operator is unknown "
                      "and whose results' shapes the file states; say which, and their share");
    command->add_option("-j,--jobs", arguments->study.jobs, "runs at a time; default: one a core")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    command
        ->add_option("--out", arguments->study.out,
                     "folder of the results, resumed if it is there; default: results/MODEL")
        ->type_name("DIR");
    command->add_flag("--keep", arguments->study.keep,
                      "take results of another git revision over instead of refusing them");
    command->add_flag("--no-cache", arguments->study.no_cache, kNoCacheHelp);
    add_progress_option(*command, arguments->study.progress);
    command->callback([arguments, &code] {
        if (arguments->list != arguments->machine.empty()) {
            throw ConfigError(arguments->list
                                  ? "--list: got a machine, expected none: nothing runs"
                                  : "network: got no machine, expected one (v100), or --list");
        }
        if (arguments->list && !arguments->values && !arguments->inputs.empty()) {
            throw ConfigError("--input: got a file, expected --values with --list");
        }
        if (arguments->list && arguments->type != "auto") {
            throw ConfigError("--type: got " + arguments->type +
                              ", expected a machine: --list shows the types of the file");
        }
        code = arguments->list ? list_network(*arguments) : run_on_machine(*arguments);
    });
}

}  // namespace tessera
