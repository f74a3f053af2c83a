#include "sc_models/study/experiment.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/config/yaml_reader.h"
#include "sc_models/gpu/occupancy.h"
#include "sc_models/run/config_text.h"
#include "sc_models/run/equal_runs.h"
#include "sc_models/run/make_workload.h"
#include "sc_models/run/run_cost.h"
#include "sc_models/run/simulation.h"
#include "sc_models/study/experiment_grid.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

void check_name(const ConfigNode& node, const std::string& path, const std::string& name) {
    constexpr std::size_t kMaxLength = 64;
    if (name.empty() || name.size() > kMaxLength ||
        name.find_first_not_of(kNameCharacters) != std::string::npos) {
        node.fail(path,
                  fmt::format("got {}, expected a name of 1..{} letters, digits, '_', '-', '+'",
                              in_quotes(name), kMaxLength));
    }
}

class ExperimentReader {
public:
    ExperimentReader(const std::string& path, const ConfigCatalog& catalog)
        : path_(path), catalog_(catalog), root_(parse_yaml_file(path)) {}

    Experiment read() {
        root_.expect_mapping("");
        root_.expect_keys(
            "", {"name", "title", "base", "layers", "networks", "grid", "variants", "seeds"});
        experiment_.name = fs::path(path_).stem().string();
        if (const ConfigNode* name = root_.find("name")) experiment_.name = name->as_text("name");
        const ConfigNode* named = root_.find("name");
        check_name(named == nullptr ? root_ : *named, "name", experiment_.name);
        experiment_.title = experiment_.name;
        if (const ConfigNode* title = root_.find("title")) {
            experiment_.title = title->as_text("title");
        }
        experiment_.base = configs(root_, "base", "base");
        read_layers();
        read_seeds();
        read_variants();
        cross_with_grids();
        return std::move(experiment_);
    }

private:
    /// A list of configuration names; absent counts as empty.
    std::vector<std::string> configs(const ConfigNode& parent, std::string_view key,
                                     const std::string& path) {
        std::vector<std::string> found;
        const ConfigNode* list = parent.find(key);
        if (list == nullptr) return found;
        list->expect_list(path);
        for (const ConfigNode& item : list->items) {
            std::string name = item.as_text(path);
            name = resolved(name);
            check_known(item, path, name);
            found.push_back(std::move(name));
        }
        return found;
    }

    /// Paths are relative to the experiment.
    [[nodiscard]] std::string resolved(const std::string& name) const {
        if (!is_config_path(name)) return name;
        return (fs::path(path_).parent_path() / name).lexically_normal().string();
    }

    /// Fails, with the place in this file, if the catalog does not know the name.
    void check_known(const ConfigNode& item, const std::string& path, const std::string& name) {
        if (path == "layers" && is_model_path(name)) return;  // known to who reads models
        try {
            ConfigSource source;
            catalog_.add_to(source, name);
        } catch (const ConfigError& error) {
            item.fail(path, error.what());
        }
    }

    void add_layer(const ConfigNode& item, const std::string& path, const std::string& name) {
        const std::string row = layer_name(name);
        if (std::any_of(experiment_.layers.begin(), experiment_.layers.end(),
                        [&row](const std::string& other) { return layer_name(other) == row; })) {
            item.fail(path, fmt::format("layer {} is there twice", in_quotes(row)));
        }
        experiment_.layers.push_back(name);
    }

    void read_layers() {
        const ConfigNode* layers = root_.find("layers");
        const ConfigNode* networks = root_.find("networks");
        if (layers != nullptr && networks != nullptr) {
            networks->fail("networks", "excludes layers, which is there too");
        }
        if (layers != nullptr) {
            layers->expect_list("layers");
            if (layers->items.empty()) layers->fail("layers", "expected at least one layer");
            for (const ConfigNode& item : layers->items) {
                const std::string name = resolved(item.as_text("layers"));
                if (name.find('.') == std::string::npos ||
                    (is_config_path(name) && layer_name(name) == name)) {
                    item.fail_expected("layers",
                                       "the layer of a network, such as resnet.C2 or net.yaml:C2");
                }
                check_known(item, "layers", name);
                add_layer(item, "layers", full_name(name));
            }
        }
        if (networks != nullptr) {
            networks->expect_list("networks");
            if (networks->items.empty())
                networks->fail("networks", "expected at least one network");
            for (const ConfigNode& item : networks->items) {
                for (const std::string& layer : layers_of(item)) {
                    add_layer(item, "networks", layer);
                }
            }
        }
    }

    [[nodiscard]] std::vector<std::string> layers_of(const ConfigNode& item) const {
        const std::string& network = item.as_text("networks");
        if (is_model_path(network)) return {resolved(network)};
        if (is_config_path(network)) return catalog_.layers(resolved(network));
        const std::vector<std::string> known = catalog_.names("networks");
        return catalog_.layers(known.at(item.as_choice("networks", {known.begin(), known.end()})));
    }

    /// The layer as its network spells it, so that one layer has one name.
    [[nodiscard]] std::string full_name(const std::string& name) const {
        if (is_config_path(name)) return name;
        for (const std::string& layer : catalog_.layers(name.substr(0, name.find('.')))) {
            if (edit_distance(layer, name) == 0) return layer;
        }
        return name;
    }

    void read_seeds() {
        const ConfigNode* seeds = root_.find("seeds");
        if (seeds == nullptr) return;
        seeds->expect_list("seeds");
        if (seeds->items.empty()) seeds->fail("seeds", "expected at least one seed");
        for (const ConfigNode& item : seeds->items) {
            const std::uint64_t seed =
                item.as_integer("seeds", 0, std::numeric_limits<std::uint64_t>::max());
            if (std::count(experiment_.seeds.begin(), experiment_.seeds.end(), seed) != 0) {
                item.fail("seeds", fmt::format("seed {} is there twice", seed));
            }
            experiment_.seeds.push_back(seed);
        }
    }

    void read_variants() {
        const ConfigNode* variants = root_.find("variants");
        if (variants == nullptr) root_.fail("variants", "missing, expected a mapping of variants");
        variants->expect_mapping("variants");
        if (variants->members.empty()) {
            variants->fail("variants", "expected at least one variant");
        }
        std::vector<std::string_view> names;
        for (const ConfigNode::Member& member : variants->members) names.push_back(member.key);
        for (const ConfigNode::Member& member : variants->members) {
            experiment_.variants.push_back(variant(member, names));
        }
        for (const ConfigNode::Member& member : variants->members) check_is_baseline(member);
    }

    ExperimentVariant variant(const ConfigNode::Member& member,
                              const std::vector<std::string_view>& names) {
        const std::string path = join_path("variants", member.key);
        const ConfigNode& body = member.value;
        check_name(body, "variants", member.key);
        body.expect_mapping(path);
        body.expect_keys(path, {"configs", "set", "grid", "baseline"});
        ExperimentVariant variant;
        variant.name = member.key;
        variant.configs = configs(body, "configs", join_path(path, "configs"));
        variant.baseline = names.front();
        if (const ConfigNode* baseline = body.find("baseline")) {
            variant.baseline = names[baseline->as_choice(join_path(path, "baseline"), names)];
        }
        if (const ConfigNode* set = body.find("set")) {
            const std::string set_path = join_path(path, "set");
            set->expect_mapping(set_path);
            for (const ConfigNode::Member& assignment : set->members) {
                constexpr std::ptrdiff_t kMaxDots = 16;
                if (std::count(assignment.key.begin(), assignment.key.end(), '.') > kMaxDots) {
                    throw located_error(
                        assignment.key_location, set_path,
                        fmt::format("got key {}, expected key.path", in_quotes(assignment.key)));
                }
                (void)assignment.value.as_text(join_path(set_path, assignment.key));
                variant.set.push_back(assignment);
            }
        }
        return variant;
    }

    /// A variant that others are compared with is compared with itself; chains would mislead.
    void check_is_baseline(const ConfigNode::Member& member) {
        const auto named = [this](const std::string& name) -> ExperimentVariant& {
            return *std::find_if(experiment_.variants.begin(), experiment_.variants.end(),
                                 [&](const ExperimentVariant& v) { return v.name == name; });
        };
        ExperimentVariant& baseline = named(named(member.key).baseline);
        if (baseline.baseline == baseline.name) return;
        const bool chosen =
            root_.find("variants")->find(baseline.name)->find("baseline") != nullptr;
        if (chosen) {
            member.value.fail(join_path(join_path("variants", member.key), "baseline"),
                              fmt::format("got {}, which has the baseline {} itself",
                                          in_quotes(baseline.name), in_quotes(baseline.baseline)));
        }
        baseline.baseline = baseline.name;
    }

    /// Every variant at every point of the experiment's grid and of its own. What it is compared
    /// with is at the same point of the experiment's.
    void cross_with_grids() {
        const ConfigNode* shared = root_.find("grid");
        const auto shared_points =
            points_of(shared == nullptr ? ExperimentGrid() : read_grid(*shared, "grid"));
        std::vector<ExperimentVariant> crossed;
        for (const ExperimentVariant& variant : experiment_.variants) {
            const ConfigNode& body = *root_.find("variants")->find(variant.name);
            const std::string path = join_path("variants", variant.name);
            const ConfigNode* own = body.find("grid");
            if (own != nullptr && variant.baseline == variant.name) {
                own->fail(join_path(path, "grid"),
                          "others are compared with this variant, so that it cannot be several");
            }
            const auto own_points = points_of(
                own == nullptr ? ExperimentGrid() : read_grid(*own, join_path(path, "grid")));
            for (const auto& at : shared_points) {
                for (const auto& own_at : own_points) {
                    ExperimentVariant point = variant;
                    point.point = at;
                    point.point.insert(point.point.end(), own_at.begin(), own_at.end());
                    check_set_once(point);
                    point.name = name_at(variant.name, point.point);
                    point.baseline = name_at(variant.baseline, at);
                    check_name(body, path, point.name);
                    if (std::any_of(crossed.begin(), crossed.end(),
                                    [&](const auto& other) { return other.name == point.name; })) {
                        body.fail(path, fmt::format("the grid makes two variants of the name {}",
                                                    in_quotes(point.name)));
                    }
                    crossed.push_back(std::move(point));
                }
            }
        }
        experiment_.variants = std::move(crossed);
    }

    /// Fails if a key of the grid is set by something else, too, which would not act.
    static void check_set_once(const ExperimentVariant& variant) {
        const auto count = [](const std::vector<ConfigNode::Member>& members,
                              const std::string& key) {
            return std::count_if(members.begin(), members.end(),
                                 [&key](const auto& member) { return member.key == key; });
        };
        for (const ConfigNode::Member& member : variant.point) {
            if (count(variant.point, member.key) + count(variant.set, member.key) == 1) continue;
            throw located_error(
                member.key_location, "grid",
                fmt::format("key {} is set twice in variant {}, expected it in one place",
                            in_quotes(member.key), in_quotes(variant.name)));
        }
    }

    std::string path_;
    const ConfigCatalog& catalog_;
    ConfigNode root_;
    Experiment experiment_;
};

/// What has about the same host seconds for a unit of cost.
std::string kind_of(const Config& config) {
    return fmt::format("{}.{}.{}", static_cast<int>(config.workload.kind.get()),
                       static_cast<int>(config.timing.get()), config.values.get());
}

/// With the level of timing, so that longest runs come first before any rate is known.
double work_of(const Workload& workload, const Config& config) {
    constexpr double kApproximateOverLoose = 8;  // 3 on a mesh of small SMs, 15 for a product
    const bool at = config.timing == Timing::kApproximatelyTimed;
    return workload_cost(workload) * (at ? kApproximateOverLoose : 1.0);
}

/// The name of a workload as a folder and a row.
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
        std::vector<std::string> layers = experiment_.layers;
        if (layers.empty()) layers.emplace_back();
        const std::size_t each = std::max<std::size_t>(1, experiment_.seeds.size());
        const std::size_t runs = layers.size() * experiment_.variants.size() * each;
        if (runs > kMostRuns) {
            throw ConfigError(fmt::format("{}: got {} runs, expected at most {}", experiment_.name,
                                          runs, kMostRuns));
        }
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
                // From the file and not from the command line, so that errors name the line.
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

Experiment read_experiment(const std::string& path, const ConfigCatalog& catalog) {
    return ExperimentReader(path, catalog).read();
}

Experiment narrowed(Experiment experiment, const ExperimentPart& part) {
    const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    // A layer, or a network without a layer.
    const auto is_of = [](const std::string& layer, const std::string& name) {
        return layer == name || layer.substr(0, layer.find('.')) == name;
    };
    if (!part.layers.empty()) {
        auto& layers = experiment.layers;
        for (const std::string& name : part.layers) {
            if (std::none_of(layers.begin(), layers.end(),
                             [&](const auto& layer) { return is_of(layer, name); })) {
                throw ConfigError(
                    fmt::format("{} has no layer {}", experiment.name, in_quotes(name)));
            }
        }
        const auto is_unwanted = [&](const std::string& layer) {
            return std::none_of(part.layers.begin(), part.layers.end(),
                                [&](const auto& name) { return is_of(layer, name); });
        };
        layers.erase(std::remove_if(layers.begin(), layers.end(), is_unwanted), layers.end());
    }
    if (!part.variants.empty()) {
        std::vector<std::string> wanted = part.variants;
        for (const std::string& name : part.variants) {
            const auto found =
                std::find_if(experiment.variants.begin(), experiment.variants.end(),
                             [&](const ExperimentVariant& v) { return v.name == name; });
            if (found == experiment.variants.end()) {
                throw ConfigError(
                    fmt::format("{} has no variant {}", experiment.name, in_quotes(name)));
            }
            wanted.push_back(found->baseline);
        }
        auto& variants = experiment.variants;
        variants.erase(std::remove_if(variants.begin(), variants.end(),
                                      [&](const auto& v) { return !is_in(wanted, v.name); }),
                       variants.end());
    }
    if (!part.seeds.empty()) experiment.seeds = part.seeds;
    return experiment;
}

std::vector<PlannedRun> plan_runs(const Experiment& experiment, const ConfigCatalog& catalog,
                                  const std::vector<std::string>& sets, bool allow_unused) {
    return Planner(experiment, catalog, sets, allow_unused).plan();
}

}  // namespace tessera
