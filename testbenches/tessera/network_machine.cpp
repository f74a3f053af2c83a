// tessera network MODEL MACHINE: every layer of a network as a run.
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/config/config_node.h"
#include "sc_models/network/fusion.h"
#include "sc_models/network/storage.h"
#include "sc_models/report/network_page.h"
#include "sc_models/report/reproduction_plan.h"
#include "sc_models/run/config_catalog.h"
#include "sc_models/study/backend/captured_process.h"
#include "sc_models/study/host_figures.h"
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
    const auto found = std::remove_if(variant.configs.begin(), variant.configs.end(), same);
    if (found != variant.configs.end()) {
        // With it go the values that the machine gave it.
        const auto is_its = [&](const std::string& set) {
            return set.rfind(mechanism + ".", 0) == 0;
        };
        variant.sets.erase(std::remove_if(variant.sets.begin(), variant.sets.end(), is_its),
                           variant.sets.end());
    }
    variant.configs.erase(found, variant.configs.end());
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

/// That of the papers' figures, where these have several seeds.
std::uint64_t launch_jitter_cycles() {
    const fs::path root = ConfigCatalog().root();
    const auto figures = read_paper_figures((root / "reference" / "paper_results.yaml").string());
    const fs::path plan = root / "reproduction.yaml";
    return read_reproduction_plan(plan.string(), figures).launch_jitter_cycles;
}

std::vector<std::uint64_t> seeds_of(const NetworkArguments& arguments) {
    for (const std::string& set : arguments.sets) {
        if (arguments.seeds == 0 || set.rfind("seed=", 0) != 0) continue;
        throw ConfigError(fmt::format("--seeds: got --set {} too, expected one of the two", set));
    }
    std::vector<std::uint64_t> seeds(arguments.seeds);
    std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
    return seeds;
}

/// Whether a configuration is neither a mechanism nor what runs.
bool may_hold_machine(const std::string& config) {
    ConfigSource source;
    ConfigCatalog().add_to(source, config);
    const ConfigPart part = source.pieces().back().part;
    return part != ConfigPart::kMechanism && part != ConfigPart::kWorkload;
}

std::vector<NetworkVariant> variants_of(const NetworkArguments& arguments) {
    std::vector<NetworkVariant> variants = {variant_of(arguments.machine, nullptr)};
    const std::vector<std::string>& parts = variants[0].configs;
    if (std::none_of(parts.begin(), parts.end(), may_hold_machine)) {
        throw ConfigError(
            fmt::format("got machine {}, expected the description of one (v100, duplo_titan_v, or "
                        "another of the gpus in tessera config --names)",
                        in_quotes(arguments.machine)));
    }
    for (const std::string& mechanism : arguments.mechanisms) {
        variants.push_back(variant_of(mechanism, variants.data()));
    }
    std::set<std::string> names;
    for (NetworkVariant& variant : variants) {
        if (!names.insert(variant.name).second) {
            throw ConfigError(fmt::format("got {} twice", in_quotes(variant.name)));
        }
        variant.sets.insert(variant.sets.end(), arguments.sets.begin(), arguments.sets.end());
        if (arguments.seeds == 0) continue;
        // Before all others, so that a user's own holds.
        variant.sets.insert(variant.sets.begin(),
                            fmt::format("gpu.cta_launch_jitter_cycles={}", launch_jitter_cycles()));
    }
    return variants;
}

void add_model(NetworkStudy& study, Model model) {
    ProgressLine line;
    study.add_graph(model.graph, std::move(model.inputs), [&](std::size_t node, std::size_t nodes) {
        line.show("lowering", static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(nodes),
                  static_cast<double>(node) / static_cast<double>(nodes));
    });
    line.clear();
}

/// The command line again, without what results do not depend on.
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

/// What is made of the results.
constexpr const char* kTable = "network.csv";
constexpr const char* kText = "network.txt";
constexpr const char* kJson = "network.json";
constexpr const char* kPage = "network.html";

}  // namespace

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

void add_model_options(const NetworkArguments& arguments, std::vector<std::string>& argv) {
    const auto add = [&argv](const char* option, const std::vector<std::string>& values) {
        for (const std::string& value : values) argv.insert(argv.end(), {option, value});
    };
    add("--dim", arguments.sides);
    add("--input", arguments.inputs);
    if (arguments.prune != "none") add("--prune", {arguments.prune});
    if (!arguments.fuse) argv.emplace_back("--no-fuse");
}

std::string first_model_option(const NetworkArguments& arguments) {
    if (!arguments.sides.empty()) return "--dim";
    if (!arguments.inputs.empty()) return "--input";
    if (!arguments.fuse) return "--no-fuse";
    return arguments.prune != "none" ? "--prune" : "";
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
    // What is wrong with the network is said before anything is written.
    const bool is_onnx = fs::path(arguments.model).extension() == ".onnx";
    Model model;
    if (is_onnx) {
        model = model_of(arguments, study.wants_values());
    } else {
        refuse_model_options(arguments);
        study.add_yaml(arguments.model);
    }
    // Models of one name have the same folder of results if none is given, and must not share it.
    const std::string file =
        fs::exists(arguments.model) ? fs::canonical(arguments.model).string() : "";
    SweepFolder folder = arguments.study.take_folder(name, file);
    try {
        if (is_onnx) add_model(study, std::move(model));
        tell_refused(study, arguments.skip_unsupported);
    } catch (const ConfigError&) {
        folder.give_up();
        throw;
    }
    print_error("{}: {} layers, {} runs, {} at a time, into {}\n", name, study.layers().size(),
                study.runs().size(), arguments.study.jobs, arguments.study.out);
    const SweepOutcome outcome = arguments.study.run(
        std::move(folder), {name, "tessera network " + name, {kTable, kText, kJson, kPage}},
        study.runs(), true);
    if (outcome.interrupted) return static_cast<int>(ExitCode::kInterrupted);
    if (!outcome.failed.empty()) {
        print_failures(outcome, study.runs(), "there are no tables without them");
        return exit_code_of(outcome);
    }
    const NetworkResults results(study);
    const fs::path out = arguments.study.out;
    std::string table = results.table();
    for (const std::string& note : study.of_no_use()) table += "\n" + note + "\n";
    write_file_atomically(out / kTable, results.csv());
    write_file_atomically(out / kText, table);
    const nlohmann::ordered_json json = results.json(command_of(arguments));
    write_file_atomically(out / kJson, json.dump(2) + "\n");
    write_file_atomically(out / kPage, network_page(json));
    fmt::print("{}\n{}page: {}\n", table, rate_text(study.runs(), out), (out / kPage).string());
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace tessera
