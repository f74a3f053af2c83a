#include "sc_models/reproduction/reproduction_plan.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/edit_distance.h"
#include "sc_models/config/engine/yaml_reader.h"
#include "sc_models/reproduction/reason.h"

namespace tessera {
namespace {

constexpr std::uint64_t kMaxSeeds = 1000;
constexpr std::uint64_t kMaxJitter = 1'000'000;

std::vector<std::string> texts(const ConfigNode& parent, std::string_view key,
                               const std::string& path) {
    std::vector<std::string> found;
    const ConfigNode* const list = parent.find(key);
    if (list == nullptr) return found;
    list->expect_list(path);
    for (const ConfigNode& item : list->items) found.push_back(item.as_text(path));
    return found;
}

ReproductionPart read_part(const ConfigNode& node, const std::string& path) {
    node.expect_mapping(path);
    node.expect_keys(path, {"layers", "variants", "seeds", "once"});
    const ConfigNode* const seeds = node.find("seeds");
    if (seeds == nullptr) node.fail(join_path(path, "seeds"), "missing, expected their number");
    ReproductionPart read;
    read.once = texts(node, "once", join_path(path, "once"));
    ExperimentPart& part = read.part;
    part.layers = texts(node, "layers", join_path(path, "layers"));
    part.variants = texts(node, "variants", join_path(path, "variants"));
    const std::uint64_t count = seeds->as_integer(join_path(path, "seeds"), 1, kMaxSeeds);
    if (count == 1 && !read.once.empty()) {
        node.fail(join_path(path, "once"), "got layers, expected none with one seed");
    }
    for (std::uint64_t seed = 1; seed <= count; ++seed) part.seeds.push_back(seed);
    return read;
}

ReproductionStudy read_study(const ConfigNode& node, const std::string& path) {
    node.expect_mapping(path);
    node.expect_keys(path, {"experiment", "full", "quick"});
    const ConfigNode* const experiment = node.find("experiment");
    const ConfigNode* const full = node.find("full");
    if (experiment == nullptr) node.fail(join_path(path, "experiment"), "missing");
    if (full == nullptr) node.fail(join_path(path, "full"), "missing");
    ReproductionStudy study;
    study.experiment = experiment->as_text(join_path(path, "experiment"));
    study.full = read_part(*full, join_path(path, "full"));
    if (const ConfigNode* const quick = node.find("quick")) {
        study.quick = read_part(*quick, join_path(path, "quick"));
    }
    return study;
}

/// Whether `id` is `name` or continues it after a dot.
bool is_of(const std::string& id, const std::string& name) {
    return id == name || (id.rfind(name, 0) == 0 && id[name.size()] == '.');
}

}  // namespace

std::string_view paper_name(std::string_view letter) {
    const auto found = std::find_if(kPaperNames.begin(), kPaperNames.end(),
                                    [&](const PaperName& paper) { return paper.letter == letter; });
    return found->name;
}

std::vector<Experiment> ReproductionPart::layers_of(const Experiment& experiment) const {
    const Experiment whole = narrowed(experiment, part);
    if (whole.layers.empty()) return {whole};
    std::vector<std::string> single;
    if (!once.empty()) single = narrowed(experiment, {once, {}, {}}).layers;
    std::vector<Experiment> layers;
    for (const std::string& layer : whole.layers) {
        layers.push_back(whole);
        layers.back().layers = {layer};
        const bool is_once = std::find(single.begin(), single.end(), layer) != single.end();
        if (is_once) layers.back().seeds.resize(1);
    }
    return layers;
}

const Explanation* ReproductionPlan::explanation(const PaperFigure& figure) const {
    auto found = explanations.find(figure.id);
    if (found == explanations.end()) found = explanations.find(figure.entry);
    return found == explanations.end() ? nullptr : &found->second;
}

ReproductionPlan read_reproduction_plan(const std::string& path,
                                        const std::vector<PaperFigure>& figures) {
    const ConfigNode root = parse_yaml_file(path);
    root.expect_mapping("");
    root.expect_keys("", {"launch_jitter_cycles", "studies", "explanations"});
    ReproductionPlan plan;
    if (const ConfigNode* const jitter = root.find("launch_jitter_cycles")) {
        plan.launch_jitter_cycles =
            static_cast<std::uint32_t>(jitter->as_integer("launch_jitter_cycles", 0, kMaxJitter));
    }
    const ConfigNode* const studies = root.find("studies");
    if (studies == nullptr) root.fail("studies", "missing");
    studies->expect_list("studies");
    for (const ConfigNode& study : studies->items) {
        plan.studies.push_back(read_study(study, "studies"));
    }
    const ConfigNode* const explanations = root.find("explanations");
    if (explanations == nullptr) return plan;
    explanations->expect_mapping("explanations");
    for (const ConfigNode::Member& member : explanations->members) {
        const std::string where = join_path("explanations", member.key);
        const bool known = std::any_of(figures.begin(), figures.end(), [&](const PaperFigure& f) {
            return f.id == member.key || f.entry == member.key;
        });
        if (!known) throw located_error(member.key_location, where, "no such figure");
        member.value.expect_mapping(where);
        member.value.expect_keys(where, {"why", "see"});
        Explanation explanation;
        const ConfigNode* const why = member.value.find("why");
        if (why == nullptr) member.value.fail(join_path(where, "why"), "missing");
        explanation.why = why->as_text(join_path(where, "why"));
        const std::string mistake = mistake_in_reason(explanation.why);
        if (!mistake.empty()) why->fail(join_path(where, "why"), mistake);
        if (const ConfigNode* const see = member.value.find("see")) {
            explanation.see = see->as_text(join_path(where, "see"));
        }
        plan.explanations[member.key] = std::move(explanation);
    }
    return plan;
}

std::vector<PaperFigure> selected_figures(const std::vector<PaperFigure>& figures,
                                          const std::vector<std::string>& names) {
    if (names.empty()) return figures;
    std::vector<std::string> wanted;
    for (const std::string& name : names) {
        std::string id = name;
        for (const PaperName& paper : kPaperNames) {
            if (name == paper.name) id = paper.letter;
        }
        const bool means_any = std::any_of(figures.begin(), figures.end(),
                                           [&](const PaperFigure& f) { return is_of(f.id, id); });
        if (!means_any) {
            std::vector<std::string_view> known;
            known.reserve(kPaperNames.size() + figures.size());
            for (const PaperName& paper : kPaperNames) known.push_back(paper.name);
            for (const PaperFigure& figure : figures) known.push_back(figure.entry);
            const std::vector<std::string_view> papers(known.begin(),
                                                       known.begin() + kPaperNames.size());
            throw ConfigError(fmt::format(
                "got {}, expected one of {}, a figure of the table, or the beginning of its id{}",
                in_quotes(name), braced_list(papers), did_you_mean(name, known)));
        }
        wanted.push_back(std::move(id));
    }
    std::vector<PaperFigure> found;
    for (const PaperFigure& figure : figures) {
        const bool is_selected = std::any_of(wanted.begin(), wanted.end(),
                                             [&](const auto& id) { return is_of(figure.id, id); });
        if (is_selected) found.push_back(figure);
    }
    return found;
}

}  // namespace tessera
