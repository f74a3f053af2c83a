#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/interrupt.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/configure/equal_runs.h"
#include "sc_models/gpu/occupancy.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/run/run_cost.h"
#include "sc_models/run/simulation.h"
#include "sc_models/study/experiment.h"
#include "sc_models/study/experiment_grid.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Key of runs with similar host seconds per unit of cost.
std::string kind_of(const Config& config) {
    return fmt::format("{}.{}.{}", static_cast<int>(config.workload.kind),
                       static_cast<int>(config.timing), config.values);
}

/// Workload cost weighted by the level of timing, so that the longest runs start first even before
/// any rate is measured.
double work_of(const Workload& workload, const Config& config) {
    constexpr double kApproximateOverLoose = 8;  // 3 on a mesh of small SMs, 15 for a product
    const bool at = config.timing == Timing::kApproximatelyTimed;
    return workload_cost(workload) * (at ? kApproximateOverLoose : 1.0);
}

/// Workload name made valid as a folder name and a row name.
std::string row_name(std::string name) {
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool dot = i > 0 && name[i] == '.';
        if (!dot && kNameCharacters.find(name[i]) == std::string_view::npos) name[i] = '_';
    }
    return name.empty() ? "workload" : name;
}

class Planner {
public:
    Planner(const Experiment& experiment, const ConfigCatalog& catalog,
            const std::vector<std::string>& sets, bool allow_unused)
        : experiment_(experiment), catalog_(catalog), sets_(sets), allow_unused_(allow_unused) {}

    std::vector<PlannedRun> plan() {
        check_sets();
        std::vector<std::string> layers = experiment_.layers;
        if (layers.empty()) layers.emplace_back();
        for (const std::string& layer : layers) {
            std::string row = layer_name(layer);
            for (const ExperimentVariant& variant : experiment_.variants) {
                if (experiment_.seeds.empty()) add_run(layer, variant, nullptr, row);
                for (const std::uint64_t& seed : experiment_.seeds) {
                    add_run(layer, variant, &seed, row);
                }
            }
        }
        return std::move(runs_);
    }

private:
    /// Refuses --set of keys that the experiment varies: all runs would be equal, and the tables
    /// would not show it.
    void check_sets() const {
        const auto refuse = [](const std::string& key, const char* what) {
            throw ConfigError(fmt::format("--set: got {}, expected another key, as {}", key, what));
        };
        for (const std::string& set : sets_) {
            const std::string key = set.substr(0, set.find('='));
            if (key == "seed" && !experiment_.seeds.empty()) {
                refuse(key, "the experiment has seeds");
            }
            for (const ExperimentVariant& variant : experiment_.variants) {
                for (const ConfigNode::Member& member : variant.point) {
                    if (member.key == key) refuse(key, "a grid of the experiment varies it");
                }
            }
        }
    }

    void add_run(const std::string& layer, const ExperimentVariant& variant,
                 const std::uint64_t* seed, std::string& row) {
        stop_if_interrupted();
        PlannedRun run;
        ConfigSource source;
        const auto use = [&](const std::string& config) {
            catalog_.add_to(source, config);
            run.arguments.push_back(config);
        };
        const auto assign = [&](const std::string& assignment) {
            source.add_set(assignment);
            run.arguments.insert(run.arguments.end(), {"--set", assignment});
        };
        try {
            for (const std::string& config : experiment_.base) use(config);
            if (!layer.empty()) use(layer);
            for (const std::string& config : variant.configs) use(config);
            const auto set_member = [&](const ConfigNode::Member& member) {
                // Add the value as file content, not as --set, so that errors name its line.
                source.add_node(nested_under(member.key, member.value));
                std::string value =
                    is_path_key(member.key)
                        ? resolved_path(member.key, member.value.scalar, member.value.location)
                        : member.value.scalar;
                run.arguments.insert(run.arguments.end(), {"--set", member.key + "=" + value});
                return value;
            };
            for (const ConfigNode::Member& member : variant.set) (void)set_member(member);
            for (const ConfigNode::Member& member : variant.point) {
                run.point.emplace_back(member.key, set_member(member));
            }
            if (seed != nullptr) {
                const auto sets_it = [](const ConfigNode::Member& m) { return m.key == "seed"; };
                if (std::any_of(variant.set.begin(), variant.set.end(), sets_it)) {
                    throw ConfigError("set: got seed, and the experiment has seeds, expected one");
                }
                if (std::any_of(variant.point.begin(), variant.point.end(), sets_it)) {
                    throw ConfigError("grid: got seed, and the experiment has seeds, expected one");
                }
                assign(fmt::format("seed={}", *seed));
            }
            for (const std::string& set : sets_) assign(set);
            const CheckedRun checked = check_run(source, run, allow_unused_);
            if (row.empty()) row = row_name(checked.workload);
        } catch (const ConfigError& error) {
            throw ConfigError(
                fmt::format("{}{}{}: {}", row, row.empty() ? "" : " ", variant.name, error.what()));
        }
        run.layer = row;
        run.variant = variant.name;
        run.baseline = variant.baseline;
        run.folder = fs::path("runs") / row / variant.name;
        if (seed != nullptr) run.folder /= fmt::format("seed{}", *seed);
        runs_.push_back(std::move(run));
    }

    const Experiment& experiment_;
    const ConfigCatalog& catalog_;
    const std::vector<std::string>& sets_;
    bool allow_unused_;
    std::vector<PlannedRun> runs_;
};

}  // namespace

CheckedRun check_run(ConfigSource& source, PlannedRun& run, bool allow_unused) {
    CheckedRun checked{load_config(source), {}};
    const Config& config = checked.config;
    try {
        const auto workload =
            make_workload(config.workload, config.seed, config.values, {}, target_machine(config));
        for (const auto& kernel : workload->kernels()) {
            (void)occupancy_of(kernel->info(), config.sm);
        }
        checked.workload = workload->name();
        run.work = work_of(*workload, config);
        run.kind = kind_of(config);
    } catch (const ConfigError& error) {
        throw source.located(error);
    }
    run.seed = config.seed;
    run.has_threads = source.where("host.threads").source != nullptr;
    run.hash = config_hash(config);
    run.acting =
        acting_hash(config, allow_unused ? std::vector<std::string>() : source.user_keys());
    return checked;
}

Config config_of(const PlannedRun& run, const ConfigCatalog& catalog) {
    ConfigSource source;
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
        if (run.arguments[i] == "--set") {
            source.add_set(run.arguments[++i]);
        } else {
            catalog.add_to(source, run.arguments[i]);
        }
    }
    return load_config(source);
}

std::vector<PlannedRun> plan_runs(const Experiment& experiment, const ConfigCatalog& catalog,
                                  const std::vector<std::string>& sets, bool allow_unused) {
    return Planner(experiment, catalog, sets, allow_unused).plan();
}

}  // namespace tessera
