#include "tools/tessera/model_layers.h"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/study/network_study/network_study.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Adds the model to the study: all of it, or the one layer that the study selects.
void add_model_to(NetworkStudy& study, const NetworkArguments& arguments) {
    (void)add_model(study, model_of(arguments, study.machine_kernels(), study.wants_values()), {});
}

/// Takes configurations and --set from a planned run.
void take_arguments(const PlannedRun& run, ConfigArguments& config) {
    config.configs.clear();
    config.sets.clear();
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
        if (run.arguments[i] == "--set") {
            config.sets.push_back(run.arguments[++i]);
        } else {
            config.configs.push_back(run.arguments[i]);
        }
    }
}

/// Value of an experiment's key, with paths resolved as on the command line.
std::string value_of(const ConfigNode::Member& member) {
    return is_path_key(member.key)
               ? resolved_path(member.key, member.value.scalar, member.value.location)
               : member.value.scalar;
}

/// Runs of one model's layers: those that an experiment names, or all convolutions and products.
class ModelPlan {
public:
    ModelPlan(const Experiment& experiment, const std::vector<std::string>& sets,
              const NetworkArguments& model, const fs::path& folder)
        : experiment_(experiment), model_(model), folder_(folder) {
        for (const ExperimentVariant& variant : experiment.variants) {
            NetworkVariant as_network;
            as_network.name = variant.name;
            as_network.configs = experiment.base;
            as_network.configs.insert(as_network.configs.end(), variant.configs.begin(),
                                      variant.configs.end());
            for (const auto& members : {variant.set, variant.point}) {
                for (const ConfigNode::Member& member : members) {
                    as_network.sets.push_back(member.key + "=" + value_of(member));
                }
            }
            as_network.sets.insert(as_network.sets.end(), sets.begin(), sets.end());
            variants_.push_back(std::move(as_network));
        }
    }

    void add(const std::string& argument, std::vector<PlannedRun>& runs) {
        const auto [path, name] = split_layer(argument);
        NetworkPart part;
        part.seeds = experiment_.seeds;
        part.layer = name;
        part.share_runs = false;
        const std::string stem = fs::path(path).stem().string();
        const auto [known, is_new] = paths_.emplace(stem, path);
        if (!is_new && known->second != path) {
            throw ConfigError(fmt::format(
                "layers: got models {} and {}, expected names that differ: rows and folders of "
                "results are named after them",
                in_quotes(known->second), in_quotes(path)));
        }
        NetworkStudy study(stem, variants_, folder_ / "models" / stem, part);
        NetworkArguments arguments = model_;
        arguments.model = path;
        add_model_to(study, arguments);
        for (const NetworkLayer& layer : study.layers()) {
            if (!layer.is_product && name.empty()) continue;  // nothing that mechanisms act on
            if (!layer.is_product) {
                throw ConfigError(
                    fmt::format("{}: got layer {}, a {}, expected a convolution or product", path,
                                in_quotes(name), layer.operation));
            }
            add_layer(study, layer, stem + "." + layer.name, runs);
        }
    }

private:
    void add_layer(const NetworkStudy& study, const NetworkLayer& layer, const std::string& row,
                   std::vector<PlannedRun>& runs) const {
        for (std::size_t v = 0; v < variants_.size(); ++v) {
            if (!layer.runs[v]) {
                throw ConfigError(
                    fmt::format("{} {}: {}", row, variants_[v].name, layer.reasons[v]));
            }
            for (std::size_t i = 0; i < study.runs_each(); ++i) {
                PlannedRun run = study.runs()[*layer.runs[v] + i];
                run.layer = row;
                run.baseline = experiment_.variants[v].baseline;
                for (const ConfigNode::Member& member : experiment_.variants[v].point) {
                    run.point.emplace_back(member.key, value_of(member));
                }
                const fs::path seed = study.seeds().empty() ? fs::path() : run.folder.filename();
                run.folder = fs::path("runs") / row / run.variant;
                if (!seed.empty()) run.folder /= seed;
                runs.push_back(std::move(run));
            }
        }
    }

    const Experiment& experiment_;
    const NetworkArguments& model_;
    fs::path folder_;
    std::vector<NetworkVariant> variants_;
    std::map<std::string, std::string> paths_;  ///< of models, by name
};

}  // namespace

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

const fs::path& TemporaryFolder::path() {
    if (!path_.empty()) return path_;
    std::string pattern = (fs::temp_directory_path() / "tessera_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw ConfigError(
            fmt::format("cannot make a folder {}: {}", pattern, std::strerror(errno)));
    }
    path_ = pattern;
    return path_;
}

bool resolve_model_layer(ConfigArguments& config, NetworkArguments model, const fs::path& folder,
                         TemporaryFolder& temporary) {
    const auto found = std::find_if(config.configs.begin(), config.configs.end(), is_model_path);
    if (found == config.configs.end()) {
        if (const std::string option = first_model_option(model); !option.empty()) {
            throw ConfigError(option + ": got no ONNX model, expected model.onnx:LAYER");
        }
        return false;
    }
    const std::string argument = *found;
    auto [path, layer] = split_layer(argument);
    if (layer.empty()) {
        throw ConfigError(
            fmt::format("{}: got no layer, expected {}:LAYER (tessera network {} "
                        "--list names them)",
                        path, path, path));
    }
    NetworkVariant variant;
    variant.name = "run";
    variant.sets = config.sets;
    for (const std::string& other : config.configs) {
        if (other != argument) variant.configs.push_back(other);
    }
    const auto more = std::find_if(variant.configs.begin(), variant.configs.end(), is_model_path);
    if (more != variant.configs.end() || variant.configs.size() + 1 != config.configs.size()) {
        throw ConfigError(fmt::format("got {} and {}, expected one layer", argument,
                                      more == variant.configs.end() ? argument : *more));
    }
    NetworkPart part;
    part.layer = layer;
    NetworkStudy study(path, {variant}, folder.empty() ? temporary.path() : folder, part);
    model.model = path;
    add_model_to(study, model);
    const NetworkLayer& lowered = study.layers().front();
    for (const std::string& other : variant.configs) {
        if (lowered.is_product || mechanism_of(other).empty()) continue;
        throw ConfigError(fmt::format("{}: got {} for layer {}, a {}, expected a machine alone",
                                      path, other, in_quotes(layer), lowered.operation));
    }
    take_arguments(study.runs().at(*lowered.runs[0]), config);
    return true;
}

std::vector<PlannedRun> plan_with_models(const Experiment& experiment, const ConfigCatalog& catalog,
                                         const std::vector<std::string>& sets,
                                         const NetworkArguments& model, const fs::path& folder,
                                         bool allow_unused) {
    Experiment others = experiment;
    std::vector<std::string> models;
    for (const std::string& layer : experiment.layers) {
        if (is_model_path(layer)) models.push_back(layer);
    }
    if (models.empty()) {
        if (const std::string option = first_model_option(model); !option.empty()) {
            throw ConfigError(option + ": got an experiment without ONNX models");
        }
        return plan_runs(experiment, catalog, sets, allow_unused);
    }
    others.layers.erase(std::remove_if(others.layers.begin(), others.layers.end(), is_model_path),
                        others.layers.end());
    // Without a layer the experiment would be of the workload that its configurations set.
    std::vector<PlannedRun> runs;
    if (!others.layers.empty()) runs = plan_runs(others, catalog, sets, allow_unused);
    ModelPlan plan(experiment, sets, model, folder);
    for (const std::string& argument : models) plan.add(argument, runs);
    return runs;
}

}  // namespace tessera
