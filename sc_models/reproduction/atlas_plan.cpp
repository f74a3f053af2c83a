#include "sc_models/reproduction/atlas_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include "sc_models/common/edit_distance.h"
#include "sc_models/config/engine/yaml_reader.h"
#include "sc_models/reproduction/paper_comparison.h"

namespace tessera {
namespace {

constexpr std::uint64_t kMaxSeeds = 1000;

KeyValues key_values(const ConfigNode& parent, std::string_view key, const std::string& path) {
    KeyValues found;
    const ConfigNode* const node = parent.find(key);
    if (node == nullptr) return found;
    node->expect_mapping(path);
    for (const ConfigNode::Member& member : node->members) {
        found.emplace_back(member.key, member.value.as_text(join_path(path, member.key)));
    }
    return found;
}

AtlasSetting read_setting(const ConfigNode::Member& member, const std::string& path) {
    member.value.expect_mapping(path);
    member.value.expect_keys(path, {"source", "low", "high"});
    AtlasSetting setting;
    setting.name = member.key;
    const ConfigNode* const source = member.value.find("source");
    if (source == nullptr) {
        member.value.fail(join_path(path, "source"), "missing, expected a source or 'chosen'");
    }
    setting.source = source->as_text(join_path(path, "source"));
    setting.low = key_values(member.value, "low", join_path(path, "low"));
    setting.high = key_values(member.value, "high", join_path(path, "high"));
    if (setting.low.empty() && setting.high.empty()) {
        member.value.fail(path, "expected low or high");
    }
    return setting;
}

std::vector<std::string> sets_of(const KeyValues& values) {
    std::vector<std::string> sets;
    sets.reserve(values.size());
    for (const auto& [key, value] : values) sets.push_back(fmt::format("{}={}", key, value));
    return sets;
}

std::vector<AtlasPoint> single_points(const std::vector<AtlasSetting>& settings) {
    std::vector<AtlasPoint> points;
    for (const AtlasSetting& setting : settings) {
        const auto add = [&](const char* side, const KeyValues& values) {
            if (values.empty()) return;
            points.push_back({setting.name + side, setting.source, sets_of(values)});
        };
        add(".low", setting.low);
        add(".high", setting.high);
    }
    return points;
}

class AtlasStudyReader {
public:
    AtlasStudyReader(const ConfigNode::Member& member, const std::vector<PaperFigure>& figures)
        : body_(member.value), path_(member.key), figures_(figures) {
        study_.name = member.key;
    }

    AtlasStudy read() {
        body_.expect_mapping(path_);
        body_.expect_keys(path_, {"figures", "experiment", "layers", "variants", "seeds",
                                  "settings", "together"});
        const ConfigNode* const experiment = body_.find("experiment");
        if (experiment == nullptr) body_.fail(path("experiment"), "missing");
        study_.experiment = experiment->as_text(path("experiment"));
        read_figures();
        study_.part.layers = texts("layers");
        study_.part.variants = texts("variants");
        const ConfigNode* const seeds = body_.find("seeds");
        const std::uint64_t count =
            seeds == nullptr ? 1 : seeds->as_integer(path("seeds"), 1, kMaxSeeds);
        for (std::uint64_t seed = 1; seed <= count; ++seed) study_.part.seeds.push_back(seed);
        const ConfigNode* const settings = body_.find("settings");
        if (settings == nullptr) body_.fail(path("settings"), "missing");
        settings->expect_mapping(path("settings"));
        for (const ConfigNode::Member& setting : settings->members) {
            study_.settings.push_back(
                read_setting(setting, join_path(path("settings"), setting.key)));
        }
        read_together();
        return std::move(study_);
    }

private:
    [[nodiscard]] std::string path(std::string_view key) const { return join_path(path_, key); }

    std::vector<std::string> texts(std::string_view key) {
        std::vector<std::string> found;
        const ConfigNode* const list = body_.find(key);
        if (list == nullptr) return found;
        list->expect_list(path(key));
        for (const ConfigNode& item : list->items) found.push_back(item.as_text(path(key)));
        return found;
    }

    void read_figures() {
        const ConfigNode* const list = body_.find("figures");
        if (list == nullptr) body_.fail(path("figures"), "missing");
        list->expect_list(path("figures"));
        for (const ConfigNode& item : list->items) {
            const std::string& id = item.as_text(path("figures"));
            const auto found = std::find_if(figures_.begin(), figures_.end(),
                                            [&](const PaperFigure& f) { return f.id == id; });
            if (found == figures_.end()) {
                item.fail(path("figures"), fmt::format("no figure {}", in_quotes(id)));
            }
            const std::vector<std::string> known = experiments_for(*found);
            if (std::find(known.begin(), known.end(), study_.experiment) == known.end()) {
                item.fail(path("figures"), fmt::format("{} cannot be read off {}, but off {}", id,
                                                       study_.experiment, fmt::join(known, ", ")));
            }
            study_.figures.push_back(*found);
        }
    }

    void read_together() {
        const ConfigNode* const together = body_.find("together");
        if (together == nullptr) return;
        together->expect_list(path("together"));
        const std::vector<AtlasPoint> points = single_points(study_.settings);
        for (const ConfigNode& group : together->items) {
            group.expect_list(path("together"));
            std::vector<std::string> names;
            for (const ConfigNode& item : group.items) {
                const std::string& name = item.as_text(path("together"));
                if (std::none_of(points.begin(), points.end(),
                                 [&](const AtlasPoint& point) { return point.name == name; })) {
                    std::vector<std::string_view> known;
                    known.reserve(points.size());
                    for (const AtlasPoint& point : points) known.push_back(point.name);
                    item.fail(path("together"), fmt::format("no setting {}{}", in_quotes(name),
                                                            did_you_mean(name, known)));
                }
                names.push_back(name);
            }
            study_.together.push_back(std::move(names));
        }
    }

    const ConfigNode& body_;
    std::string path_;
    const std::vector<PaperFigure>& figures_;
    AtlasStudy study_;
};

}  // namespace

std::vector<AtlasStudy> read_atlas(const std::string& path,
                                   const std::vector<PaperFigure>& figures) {
    const ConfigNode root = parse_yaml_file(path);
    root.expect_mapping("");
    if (root.members.empty()) root.fail("", "got no studies, expected at least one");
    std::vector<AtlasStudy> studies;
    for (const ConfigNode::Member& member : root.members) {
        studies.push_back(AtlasStudyReader(member, figures).read());
    }
    return studies;
}

std::vector<AtlasPoint> points_of(const AtlasStudy& study) {
    std::vector<AtlasPoint> points = {{"shipped", "", {}}};
    const std::vector<AtlasPoint> singles = single_points(study.settings);
    points.insert(points.end(), singles.begin(), singles.end());
    for (const std::vector<std::string>& names : study.together) {
        AtlasPoint point;
        point.name = fmt::format("{}", fmt::join(names, "+"));
        for (const std::string& name : names) {
            const auto single =
                std::find_if(singles.begin(), singles.end(),
                             [&](const AtlasPoint& candidate) { return candidate.name == name; });
            point.sets.insert(point.sets.end(), single->sets.begin(), single->sets.end());
        }
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace tessera
