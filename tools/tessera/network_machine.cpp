// tessera network MODEL MACHINE: every layer of a network as a run.
#include <fmt/format.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/network/executor.h"
#include "sc_models/network/external_files.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/storage.h"
#include "sc_models/network/transformation_check.h"
#include "sc_models/network/unsupported_operator.h"
#include "sc_models/report/network_page.h"
#include "sc_models/results/network_results.h"
#include "sc_models/results/study_set.h"
#include "sc_models/store/result_store.h"
#include "sc_models/study/network_study/network_store.h"
#include "sc_models/study/network_study/network_study.h"
#include "sc_models/study/sweep/host_figures.h"
#include "sc_models/study/sweep/unread_keys.h"
#include "tools/tessera/commands.h"
#include "tools/tessera/decoder_load.h"
#include "tools/tessera/network_arguments.h"
#include "tools/tessera/network_variants.h"
#include "tools/tessera/progress_line.h"
#include "tools/tessera/sweep_progress.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Displays the number of finished nodes.
network::CheckProgress shown_as(ProgressLine& line, const char* what) {
    return [&line, what](std::size_t node, std::size_t nodes) {
        line.show(what, static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(nodes),
                  static_cast<double>(node) / static_cast<double>(nodes));
    };
}

/// The command line without options that do not affect results.
std::string command_of(const NetworkArguments& arguments) {
    std::vector<std::string> argv = {"tessera", "network", arguments.model, arguments.machine};
    argv.insert(argv.end(), arguments.mechanisms.begin(), arguments.mechanisms.end());
    const auto add = [&argv](const char* option, const std::vector<std::string>& values) {
        for (const std::string& value : values) argv.insert(argv.end(), {option, value});
    };
    add_model_options(arguments, argv);
    if (arguments.seed != 1) add("--seed", {std::to_string(arguments.seed)});
    if (arguments.seeds != 0) add("--seeds", {std::to_string(arguments.seeds)});
    if (arguments.skip_unsupported) argv.emplace_back("--skip-unsupported");
    add("--set", arguments.sets);
    return shell_quoted(argv);
}

/// Reports layers that are not simulated: throws an error, or prints a warning with `skip`.
void tell_refused(const NetworkStudy& study, bool skip) {
    double flop = 0, refused_flop = 0, bytes = 0, refused_bytes = 0;
    std::size_t refused = 0, unknown = 0;
    std::string first;
    for (const NetworkLayer& layer : study.layers()) {
        flop += layer.flop;
        bytes += static_cast<double>(layer.bytes);
        if (layer.refused.empty()) continue;
        ++refused;
        unknown += layer.has_unknown_flop ? 1 : 0;
        refused_flop += layer.flop;
        refused_bytes += static_cast<double>(layer.bytes);
        if (first.empty()) first = layer.refused;
        if (skip) print_error("not simulated: {}\n", layer.refused);
    }
    if (refused == 0) return;
    const auto share = [](double part, double whole) {
        return whole == 0 ? 0 : 100 * part / whole;
    };
    std::string text = fmt::format(
        "{} of the nodes, {:.2f} % of the network's FLOP and {:.2f} % of its bytes, cannot be "
        "simulated",
        refused, share(refused_flop, flop), share(refused_bytes, bytes));
    if (unknown > 0) {
        text += fmt::format("; the FLOP of {} of them are unknown and not counted", unknown);
    }
    if (!skip) {
        throw ConfigError(
            fmt::format("{} (the first: {}); leave them out with --skip-unsupported", text, first));
    }
    print_error("{}\n", text);
}

/// Throws ConfigError if the values of a tensor cannot be computed.
void expect_known_values(const network::Graph& graph) {
    for (const network::Node& node : graph.nodes) {
        if (network::unsupported_operation(node).empty()) continue;
        network::refuse_values(
            network::call_of(graph, node, [](network::ValueId) { return nullptr; }));
    }
}

/// Entry of the network in the user's store; empty if it must be lowered.
std::optional<NetworkStore> store_of(const NetworkArguments& arguments, const NetworkStudy& study) {
    std::optional<ResultStore> store;
    if (!arguments.study.no_cache) store = ResultStore::of_user();
    if (!store) return std::nullopt;
    NetworkOrigin origin;
    origin.model = arguments.model;
    add_model_options(arguments, origin.options);
    origin.options.push_back(std::to_string(arguments.seed));
    if (arguments.skip_unsupported) origin.options.emplace_back("--skip-unsupported");
    for (const std::string& input : arguments.inputs) {
        origin.files.push_back(input.substr(input.rfind('=') + 1));
    }
    return NetworkStore::of(*std::move(store), study, origin);
}

/// Takes the layers and the results of an equal network.
void take_stored(NetworkStudy& study, const StoredNetwork& stored) {
    for (const std::string& note : stored.notes) {
        if (!note.empty()) print_error("{}\n", note);
    }
    study.take(stored.planned);
    write_stored_runs(study.out(), stored);
    print_error("stored: an equal network was lowered and run before (--no-cache does it again)\n");
}

/// Files that the command writes.
constexpr const char* kTable = "network.csv";
constexpr const char* kText = "network.txt";
constexpr const char* kNetworkJson = "network.json";
constexpr const char* kPage = "network.html";

/// Type of 16 bits in which the machine computes the network.
network::ElementType type_on_machine(const NetworkArguments& arguments, const network::Graph& graph,
                                     const network::MachineKernels& kernels) {
    if (arguments.type == "auto") return network::half_type_of(graph, kernels);
    if (arguments.type == "fp16") return network::ElementType::kHalf;
    if (kernels.bf16) return network::ElementType::kBf16;
    throw ConfigError(
        "--type: got bf16, expected fp16 or auto: not all machines of the line multiply BF16, "
        "which "
        "takes a rate in sm.tensor_rates.hmma_16816_bf16, workload.kernel multistage, dense "
        "products and no table of energy");
}

}  // namespace

network::TransformationReport check_against_file(const network::Graph& as_written,
                                                 const network::Graph& graph,
                                                 std::vector<network::Tensor> inputs) {
    ProgressLine line;
    network::TransformationReport report = network::check_transformation(
        as_written, graph, std::move(inputs), shown_as(line, "checking"));
    line.clear();
    print_error("{}\n", report.text());
    return report;
}

std::string add_model(NetworkStudy& study, Model model, const LoweringProgress& progress) {
    const std::vector<network::Tensor> outputs =
        study.add_graph(model.graph, std::move(model.inputs), progress);
    if (model.file_outputs.empty()) return "";
    const std::string text = network::compare_outputs(model.graph, model.file_outputs, outputs);
    if (!text.empty()) print_error("{}\n", text);
    return text;
}

Model model_of(const NetworkArguments& arguments, const network::MachineKernels& kernels,
               bool values) {
    Model model;
    network::Graph as_written;
    model.graph = read_model(arguments, &as_written);
    if (values) expect_known_values(model.graph);
    // Files are looked at in any case.
    if (values || !arguments.inputs.empty()) model.inputs = inputs_of(model.graph, arguments);
    const network::ElementType halves = type_on_machine(arguments, model.graph, kernels);
    // Both graphs have the inputs that the machine has.
    for (network::Tensor& input : model.inputs) {
        const network::ElementType type = input.type.type;
        if (!network::is_real(type)) continue;
        input.type.type = halves;
        input.round_to_type();
        input.type.type = type;
    }
    (void)network::rewrite(model.graph, arguments.fuse, kernels, &as_written);
    if (values) {
        network::TransformationReport report =
            check_against_file(as_written, model.graph, model.inputs);
        model.check = report.text();
        model.file_outputs = std::move(report.outputs);
    }
    network::store_as_halves(model.graph, kernels, halves);
    for (network::Tensor& input : model.inputs) {
        if (network::is_real(input.type.type)) input.type.type = halves;
    }
    return model;
}

void add_model_options(const NetworkArguments& arguments, std::vector<std::string>& argv) {
    const auto add = [&argv](const char* option, const std::vector<std::string>& values) {
        for (const std::string& value : values) argv.insert(argv.end(), {option, value});
    };
    add("--dim", arguments.sides);
    add("--input", arguments.inputs);
    if (arguments.prune != "none") add("--prune", {arguments.prune});
    if (arguments.type != "auto") add("--type", {arguments.type});
    if (!arguments.fuse) argv.emplace_back("--no-fuse");
}

std::string first_model_option(const NetworkArguments& arguments) {
    if (!arguments.sides.empty()) return "--dim";
    if (!arguments.inputs.empty()) return "--input";
    if (!arguments.fuse) return "--no-fuse";
    if (arguments.type != "auto") return "--type";
    return arguments.prune != "none" ? "--prune" : "";
}

void add_layers(const NetworkArguments& arguments, NetworkStudy& study) {
    const ConfigCatalog catalog;
    if (!is_decoder(arguments.model, catalog)) {
        refuse_model_options(arguments);
        return study.add_yaml(arguments.model);
    }
    study.add_decoder(read_decoder(arguments.model, catalog), load_of(arguments));
}

void refuse_model_options(const NetworkArguments& arguments) {
    const std::string option = first_model_option(arguments);
    if (option.empty()) return;
    throw ConfigError(fmt::format("{}: got a network in YAML ({}), expected an .onnx file", option,
                                  in_quotes(arguments.model)));
}

int run_on_machine(NetworkArguments arguments) {
    const std::string name = fs::path(arguments.model).stem().string();
    if (arguments.study.out.empty()) arguments.study.out = "results/" + name;
    NetworkStudy study(name, variants_of(arguments), arguments.study.out,
                       {seeds_of(arguments), ""});
    // Errors of the network are reported before anything is written.
    const bool is_onnx = fs::path(arguments.model).extension() == ".onnx";
    const std::optional<NetworkStore> store =
        is_onnx ? store_of(arguments, study) : std::optional<NetworkStore>();
    std::optional<StoredNetwork> stored;
    if (store) stored = store->find();
    Model model;
    if (!is_onnx) {
        add_layers(arguments, study);
    } else if (!stored) {
        model = model_of(arguments, study.machine_kernels(), study.wants_values());
    }
    // Models of one name have the same folder of results if none is given, and must not share it.
    const std::string file =
        fs::exists(arguments.model) ? fs::canonical(arguments.model).string() : "";
    SweepFolder folder = arguments.study.take_folder(name, file);
    std::vector<std::string> notes;
    try {
        if (stored) {
            take_stored(study, *stored);
        } else if (is_onnx) {
            ProgressLine line;
            notes.push_back(model.check);
            notes.push_back(add_model(study, std::move(model), shown_as(line, "lowering")));
            line.clear();
        }
        tell_refused(study, arguments.skip_unsupported);
    } catch (const ConfigError&) {
        folder.give_up();
        throw;
    }
    print_error("{}: {} layers\n", name, study.layers().size());
    const SweepOutcome outcome = arguments.study.run(
        std::move(folder), {name, "tessera network " + name, {kTable, kText, kNetworkJson, kPage}},
        study.runs(), true);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);
    if (!outcome.failed.empty()) {
        print_failures(outcome, study.runs(), "there are no tables without them");
        return exit_code_of(outcome);
    }
    for (const NetworkVariant& variant : study.variants()) {
        refuse_unread(variant.sets, study.runs(), arguments.study.out);
    }
    const NetworkResults results(study);
    const fs::path out = arguments.study.out;
    const std::string table = results.table();
    write_file_atomically(out / kTable, results.csv());
    write_file_atomically(out / kText, table);
    const nlohmann::ordered_json json = results.json(command_of(arguments));
    write_file_atomically(out / kNetworkJson, json.dump(2) + "\n");
    write_file_atomically(out / kPage, network_page(json));
    if (store && !stored) {
        keep_for_later(
            [&] { store->keep(study.planned(), network::external_files(arguments.model), notes); });
    }
    print_text("{}\n{}page: {}\n", table, rate_text(study.runs(), out), (out / kPage).string());
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace tessera
