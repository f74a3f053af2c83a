#include "sc_models/study/experiment.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <set>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/interrupt.h"
#include "sc_models/config/engine/yaml_reader.h"
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
    /// A list of configuration names; an absent key gives an empty one.
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

    /// Resolves a path relative to the experiment's file; names stay unchanged.
    [[nodiscard]] std::string resolved(const std::string& name) const {
        if (!is_config_path(name)) return name;
        return (fs::path(path_).parent_path() / name).lexically_normal().string();
    }

    /// Fails at this place of the file if the catalog does not have the name.
    void check_known(const ConfigNode& item, const std::string& path, const std::string& name) {
        if (path == "layers" && is_model_path(name))
            return;  // resolved by commands that read
                     // models
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

    /// A layer's name in the spelling of its network, so that a layer has one name.
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
                const std::string at = join_path(set_path, assignment.key);
                if (assignment.value.kind == ConfigNode::Kind::kMapping) {
                    assignment.value.fail(at, fmt::format("got a mapping, expected whole keys: "
                                                          "{}.KEY: VALUE",
                                                          assignment.key));
                }
                (void)assignment.value.as_text(at);
                variant.set.push_back(assignment);
            }
        }
        return variant;
    }

    /// Checks that a variant's baseline is its own baseline; chains would mislead.
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

    /// Expands every variant to all points of the experiment's grid and of its own. Its baseline is
    /// at the same point of the experiment's grid.
    void cross_with_grids() {
        const ExperimentGrid shared = grid_of(root_, "grid");
        check_size(shared);
        std::vector<ExperimentVariant> crossed;
        std::set<std::string> names;
        for (const ExperimentVariant& variant : experiment_.variants) {
            const ConfigNode& body = *root_.find("variants")->find(variant.name);
            const std::string path = join_path("variants", variant.name);
            if (variant.baseline == variant.name && body.find("grid") != nullptr) {
                body.find("grid")->fail(
                    join_path(path, "grid"),
                    "others are compared with this variant, so that it cannot be several (a grid "
                    "of the experiment crosses all variants)");
            }
            const auto own_points = points_of(grid_of(body, join_path(path, "grid")));
            for (const auto& at : points_of(shared)) {
                for (const auto& own_at : own_points) {
                    stop_if_interrupted();
                    ExperimentVariant point = variant;
                    point.point = at;
                    point.point.insert(point.point.end(), own_at.begin(), own_at.end());
                    check_set_once(point);
                    point.name = name_at(variant.name, point.point);
                    point.baseline = name_at(variant.baseline, at);
                    check_name(body, path, point.name);
                    if (!names.insert(point.name).second) {
                        body.fail(path, fmt::format("the grid makes two variants of the name {}",
                                                    in_quotes(point.name)));
                    }
                    crossed.push_back(std::move(point));
                }
            }
        }
        experiment_.variants = std::move(crossed);
    }

    [[nodiscard]] static ExperimentGrid grid_of(const ConfigNode& parent, const std::string& path) {
        const ConfigNode* grid = parent.find("grid");
        return grid == nullptr ? ExperimentGrid() : read_grid(*grid, path);
    }

    /// Limits the number of runs: planning takes time for each, and a grid grows quickly.
    void check_size(const ExperimentGrid& shared) const {
        constexpr double kMostRuns = 100'000;  // chosen: planning takes minutes
        double variants = 0;
        for (const ExperimentVariant& variant : experiment_.variants) {
            const ConfigNode& body = *root_.find("variants")->find(variant.name);
            const std::string path = join_path(join_path("variants", variant.name), "grid");
            variants += points_in(shared) * points_in(grid_of(body, path));
        }
        const auto at_least_one = [](std::size_t count) {
            return static_cast<double>(std::max<std::size_t>(1, count));
        };
        const double runs = variants * at_least_one(experiment_.layers.size()) *
                            at_least_one(experiment_.seeds.size());
        if (runs <= kMostRuns) return;
        root_.fail("", fmt::format("got {:.0f} runs, expected at most {:.0f}", runs, kMostRuns));
    }

    /// Fails if a key of the grid is also set elsewhere; that value would have no effect.
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

}  // namespace

Experiment read_experiment(const std::string& path, const ConfigCatalog& catalog) {
    return ExperimentReader(path, catalog).read();
}

Experiment narrowed(Experiment experiment, const ExperimentPart& part) {
    const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    // Whether `name` is the layer or its network.
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

}  // namespace tessera
