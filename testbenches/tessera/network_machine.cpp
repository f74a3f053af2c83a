// tessera network MODEL MACHINE: every layer of a network as a run.
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/config/config_node.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/storage.h"
#include "sc_models/study/network_results.h"
#include "sc_models/study/network_study.h"
#include "sc_models/study/study_set.h"
#include "testbenches/tessera/network_arguments.h"
#include "testbenches/tessera/progress_line.h"
#include "testbenches/tessera/sweep_progress.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// A mechanism takes the place of one that is the same with other values.
void add_config(NetworkVariant& variant, const std::string& config) {
    const std::string mechanism = mechanism_of(config);
    const auto same = [&](const std::string& other) {
        return !mechanism.empty() && mechanism_of(other) == mechanism;
    };
    variant.configs.erase(std::remove_if(variant.configs.begin(), variant.configs.end(), same),
                          variant.configs.end());
    variant.configs.push_back(config);
}

/// "a,b,key=value": configurations and keys, over those of the machine.
NetworkVariant variant_of(const std::string& text, const NetworkVariant* machine) {
    NetworkVariant variant;
    if (machine != nullptr) variant = *machine;
    variant.name.clear();
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        if (part.empty()) continue;
        if (part.find('=') != std::string::npos) {
            variant.sets.push_back(part);
        } else {
            add_config(variant, part);
        }
        if (part.find('/') != std::string::npos) part = fs::path(part).stem().string();
        for (char& c : part) {
            const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                               c == '-' || c == '.' || c == '=';
            if (!plain) c = '_';
        }
        variant.name += (variant.name.empty() ? "" : "+") + part;
    }
    if (variant.name.empty()) {
        throw ConfigError(fmt::format("got {}, expected a configuration, or several with commas",
                                      in_quotes(text)));
    }
    return variant;
}

std::vector<NetworkVariant> variants_of(const NetworkArguments& arguments) {
    std::vector<NetworkVariant> variants = {variant_of(arguments.machine, nullptr)};
    for (const std::string& mechanism : arguments.mechanisms) {
        variants.push_back(variant_of(mechanism, variants.data()));
    }
    std::set<std::string> names;
    for (NetworkVariant& variant : variants) {
        if (!names.insert(variant.name).second) {
            throw ConfigError(fmt::format("got {} twice", in_quotes(variant.name)));
        }
        variant.sets.insert(variant.sets.end(), arguments.sets.begin(), arguments.sets.end());
    }
    return variants;
}

/// A graph of halves with its inputs, if values matter.
struct Model {
    network::Graph graph;
    std::vector<network::Tensor> inputs;
};

Model model_of(const NetworkArguments& arguments, bool values) {
    Model model;
    model.graph = read_model(arguments);
    // Files are looked at in any case.
    if (values || !arguments.inputs.empty()) model.inputs = inputs_of(model.graph, arguments);
    network::store_as_halves(model.graph);
    for (network::Tensor& input : model.inputs) {
        if (input.type.type == network::ElementType::kFloat) {
            input.type.type = network::ElementType::kHalf;
        }
        input.round_to_type();
    }
    if (arguments.fuse) (void)network::fuse(model.graph);
    return model;
}

/// A network in YAML has layers, and no operators.
void refuse_model_options(const NetworkArguments& arguments) {
    const auto refuse = [&](bool given, const char* option) {
        if (!given) return;
        throw ConfigError(fmt::format("{}: got a network in YAML ({}), expected an .onnx file",
                                      option, in_quotes(arguments.model)));
    };
    refuse(!arguments.sides.empty(), "--dim");
    refuse(!arguments.inputs.empty(), "--input");
    refuse(!arguments.fuse, "--no-fuse");
    refuse(arguments.prune != "none", "--prune");
}

void add_model(NetworkStudy& study, Model model) {
    ProgressLine line;
    study.add_graph(model.graph, std::move(model.inputs), [&](std::size_t node, std::size_t nodes) {
        line.show("lowering", static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(nodes),
                  static_cast<double>(node) / static_cast<double>(nodes));
    });
    line.clear();
}

/// What is not simulated: an error, or a warning where the user has said so.
void tell_refused(const NetworkStudy& study, bool skip) {
    double flop = 0;
    double refused_flop = 0;
    std::size_t refused = 0;
    std::string first;
    for (const NetworkLayer& layer : study.layers()) {
        flop += layer.flop;
        if (layer.refused.empty()) continue;
        ++refused;
        refused_flop += layer.flop;
        if (first.empty()) first = layer.refused;
        if (skip) print_error("not simulated: {}\n", layer.refused);
    }
    if (refused == 0) return;
    const std::string text =
        fmt::format("{} of the nodes, {:.2f} % of the network's FLOP, cannot be simulated", refused,
                    flop == 0 ? 0 : 100 * refused_flop / flop);
    if (!skip) {
        throw ConfigError(
            fmt::format("{} (the first: {}); leave them out with --skip-unsupported", text, first));
    }
    print_error("{}\n", text);
}

}  // namespace

int run_on_machine(NetworkArguments arguments) {
    const std::string name = fs::path(arguments.model).stem().string();
    if (arguments.study.out.empty()) arguments.study.out = "results/" + name;
    NetworkStudy study(name, variants_of(arguments), arguments.study.out);
    // What is wrong with the network is said before anything is written.
    const bool is_onnx = fs::path(arguments.model).extension() == ".onnx";
    Model model;
    if (is_onnx) {
        model = model_of(arguments, study.wants_values());
    } else {
        refuse_model_options(arguments);
        study.add_yaml(arguments.model);
    }
    const bool is_new = !fs::exists(arguments.study.out);
    claim_folder(arguments.study.out, arguments.study.keep);
    try {
        if (is_onnx) add_model(study, std::move(model));
        tell_refused(study, arguments.skip_unsupported);
    } catch (const ConfigError&) {
        if (is_new) fs::remove_all(arguments.study.out);
        throw;
    }
    print_error("{}: {} layers, {} runs, {} at a time, into {}\n", name, study.layers().size(),
                study.runs().size(), arguments.study.jobs, arguments.study.out);
    const SweepOutcome outcome =
        arguments.study.run(name, "tessera network " + name, study.runs(), true);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);
    if (!outcome.failed.empty()) {
        print_failures(outcome, study.runs());
        return exit_code_of(outcome);
    }
    const NetworkResults results(study);
    const fs::path out = arguments.study.out;
    const std::string table = results.table();
    write_file_atomically(out / "network.csv", results.csv());
    write_file_atomically(out / "network.txt", table);
    write_file_atomically(out / "network.json", results.json().dump(2) + "\n");
    fmt::print("{}\n{}", table, rate_text(study.runs(), out));
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace tessera
