#include "sc_models/reproduction/reading.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>

#include "sc_models/common/edit_distance.h"
#include "sc_models/config/engine/yaml_reader.h"
#include "sc_models/reproduction/reproduction_plan.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "readings", kAll = "all";

class ReadingReader {
public:
    ReadingReader(const std::string& name, const ConfigCatalog& catalog)
        : catalog_(catalog),
          root_(parse_yaml_file(is_config_path(name)
                                    ? name
                                    : (catalog.root() / kFolder / (name + ".yaml")).string())) {
        reading_.name = fs::path(name).stem().string();
    }

    Reading read() {
        root_.expect_mapping("");
        root_.expect_keys("", {"paper", "title", "why", "source", "replace", "set", "variants"});
        std::vector<std::string_view> papers;
        papers.reserve(kPaperNames.size());
        for (const PaperName& paper : kPaperNames) papers.push_back(paper.name);
        const std::size_t paper = member("paper").as_choice("paper", papers);
        reading_.letter = std::string(kPaperNames[paper].letter);
        reading_.title = member("title").as_text("title");
        reading_.why = member("why").as_text("why");
        reading_.source = member("source").as_text("source");
        if (const ConfigNode* const replace = root_.find("replace")) read_replaced(*replace);
        reading_.set = settings(root_, "set");
        if (const ConfigNode* const variants = root_.find("variants")) read_variants(*variants);
        if (reading_.replace.empty() && reading_.set.empty() && reading_.variants.empty()) {
            root_.fail("", "expected replace, set or variants");
        }
        return std::move(reading_);
    }

private:
    const ConfigNode& member(const char* key) const {
        const ConfigNode* const found = root_.find(key);
        if (found == nullptr) root_.fail(key, "missing");
        return *found;
    }

    [[nodiscard]] std::vector<std::string> configs(const ConfigNode& list,
                                                   const std::string& path) const {
        std::vector<std::string> found;
        list.expect_list(path);
        for (const ConfigNode& item : list.items) {
            found.push_back(item.as_text(path));
            check_known(item, path, found.back());
        }
        return found;
    }

    void check_known(const ConfigNode& node, const std::string& path,
                     const std::string& config) const {
        try {
            ConfigSource source;
            catalog_.add_to(source, config);
        } catch (const ConfigError& error) {
            node.fail(path, error.what());
        }
    }

    void read_replaced(const ConfigNode& replace) {
        replace.expect_mapping("replace");
        for (const ConfigNode::Member& one : replace.members) {
            const std::string path = join_path("replace", one.key);
            check_known(one.value, path, one.key);
            reading_.replace[one.key] = configs(one.value, path);
        }
    }

    static std::vector<ConfigNode::Member> settings(const ConfigNode& parent,
                                                    const std::string& path) {
        const ConfigNode* const set = parent.find("set");
        if (set == nullptr) return {};
        set->expect_mapping(path);
        for (const ConfigNode::Member& one : set->members) {
            (void)one.value.as_text(join_path(path, one.key));
            if (one.key != "seed") continue;
            throw located_error(one.key_location, path, "got seed, which the plan sets");
        }
        return set->members;
    }

    void read_variants(const ConfigNode& variants) {
        variants.expect_mapping("variants");
        for (const ConfigNode::Member& named : variants.members) {
            const std::string path = join_path("variants", named.key);
            named.value.expect_mapping(path);
            const Experiment experiment = [&] {
                try {
                    return read_experiment(catalog_.experiment_file(named.key), catalog_);
                } catch (const ConfigError& error) {
                    throw located_error(named.key_location, path, error.what());
                }
            }();
            std::vector<std::string_view> known;
            known.reserve(experiment.variants.size());
            for (const ExperimentVariant& variant : experiment.variants) {
                known.push_back(variant.name);
            }
            named.value.expect_keys(path, known);
            for (const ConfigNode::Member& one : named.value.members) {
                const std::string where = join_path(path, one.key);
                one.value.expect_mapping(where);
                one.value.expect_keys(where, {"configs", "set"});
                const ConfigNode* const list = one.value.find("configs");
                if (list == nullptr) one.value.fail(where, "configs is missing");
                reading_.variants[named.key][one.key] = {
                    configs(*list, join_path(where, "configs")),
                    settings(one.value, join_path(where, "set"))};
            }
        }
    }

    const ConfigCatalog& catalog_;
    ConfigNode root_;
    Reading reading_;
};

std::vector<std::string> replaced(const std::vector<std::string>& configs, const Reading& reading) {
    std::vector<std::string> result;
    for (const std::string& config : configs) {
        const auto found = reading.replace.find(config);
        if (found == reading.replace.end()) {
            result.push_back(config);
        } else {
            result.insert(result.end(), found->second.begin(), found->second.end());
        }
    }
    return result;
}

}  // namespace

std::vector<Reading> read_readings(const std::vector<std::string>& names,
                                   const ConfigCatalog& catalog) {
    const std::vector<std::string> known = catalog.names(kFolder);
    std::vector<std::string> wanted;
    for (const std::string& name : names) {
        if (name == kAll) {
            wanted = known;
            break;
        }
        const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
        if (!is_known && !is_config_path(name)) {
            std::vector<std::string_view> choices(known.begin(), known.end());
            choices.push_back(kAll);
            throw ConfigError(fmt::format("--reading: got {}, expected a file or one of {}{}",
                                          in_quotes(name), braced_list(choices),
                                          did_you_mean(name, choices)));
        }
        if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) wanted.push_back(name);
    }
    std::vector<Reading> readings;
    readings.reserve(wanted.size());
    for (const std::string& name : wanted) readings.push_back(ReadingReader(name, catalog).read());
    return readings;
}

Experiment under_reading(Experiment experiment, const Reading& reading) {
    experiment.base = replaced(experiment.base, reading);
    const auto others = reading.variants.find(experiment.name);
    for (ExperimentVariant& variant : experiment.variants) {
        variant.configs = replaced(variant.configs, reading);
        variant.set.insert(variant.set.begin(), reading.set.begin(), reading.set.end());
        if (others == reading.variants.end()) continue;
        const auto other = others->second.find(variant.name);
        if (other == others->second.end()) continue;
        variant.configs = other->second.configs;
        variant.set.insert(variant.set.end(), other->second.set.begin(), other->second.set.end());
    }
    return experiment;
}

}  // namespace tessera
