#include "tools/tessera/reproduce_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <filesystem>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/reproduction/reproduction_plan.h"
#include "sc_models/reproduction/reproduction_studies.h"
#include "sc_models/reproduction/setting_search.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// The search of one paper.
class PaperSearch {
public:
    PaperSearch(const PaperName& paper, const std::vector<AtlasStudy>& atlas,
                const StudyArguments& arguments, const ConfigCatalog& catalog)
        : paper_(paper), arguments_(arguments), catalog_(catalog) {
        for (const AtlasStudy& study : atlas) {
            if (study.figures.front().paper() == paper.letter) studies_.push_back(study);
        }
        settings_ = sourced_settings(studies_);
    }

    int run(std::size_t budget) {
        const SearchResult result =
            search_settings(settings_, budget,
                            [this](const std::vector<SearchSet>& sets) { return evaluate(sets); });
        if (result.interrupted) return static_cast<int>(ExitCode::kInterrupted);
        print_text("{}", text(result, budget));
        const SearchSet& best = result.best().set;
        if (!best.empty()) {
            const fs::path file =
                fs::path(arguments_.out) / fmt::format("search_{}.yaml", paper_.name);
            write_file_atomically(file, reading(result));
            print_text("  reading: {}\n", file.string());
        }
        print_text("\n");
        return static_cast<int>(ExitCode::kGood);
    }

    /// Whether the atlas has no figure of the paper.
    [[nodiscard]] bool is_empty() const { return studies_.empty(); }

    [[nodiscard]] std::string list() const {
        std::size_t layers = 0;
        for (const AtlasStudy& study : studies_) layers += study.part.layers.size();
        return fmt::format("{}: {} settings with a source, {} layers a machine\n", paper_.name,
                           settings_.size(), layers);
    }

private:
    [[nodiscard]] std::vector<std::string> sets_of(const SearchSet& set) const {
        std::vector<std::string> sets;
        for (const std::size_t i : set) {
            sets.insert(sets.end(), settings_[i].sets.begin(), settings_[i].sets.end());
        }
        return sets;
    }

    [[nodiscard]] std::string name_of(const SearchSet& set) const {
        std::vector<std::string> names;
        for (const std::size_t i : set) names.push_back(settings_[i].name);
        return names.empty() ? "shipped" : fmt::format("{}", fmt::join(names, "+"));
    }

    /// Studies of the paper on one machine.
    [[nodiscard]] std::vector<Study> plan(const SearchSet& set) const {
        std::vector<Study> planned;
        for (const AtlasStudy& study : studies_) {
            planned.push_back(plan_point(study,
                                         fmt::format("search/{}/{}", study.name, name_of(set)),
                                         sets_of(set), catalog_));
        }
        return planned;
    }

    std::vector<SearchScore> evaluate(const std::vector<SearchSet>& sets) {
        std::vector<std::vector<Study>> planned;
        std::vector<PlannedRun> runs;
        for (const SearchSet& set : sets) {
            planned.push_back(plan(set));
            const std::vector<PlannedRun> more = runs_of(planned.back());
            runs.insert(runs.end(), more.begin(), more.end());
        }
        const SweepOutcome outcome =
            arguments_.run({"reproduction", "Settings under which figures come out", {}}, runs,
                           kAtlasAllowsUnused);
        if (outcome.interrupted) return {};
        if (!outcome.failed.empty()) print_failures(outcome, runs);
        std::vector<SearchScore> scores;
        for (const std::vector<Study>& studies : planned)
            scores.push_back(score_of(answers(studies)));
        return scores;
    }

    [[nodiscard]] std::vector<PaperAnswer> answers(const std::vector<Study>& planned) const {
        const std::vector<Summary> summaries = summaries_of(planned, arguments_.out);
        std::vector<PaperAnswer> found;
        for (std::size_t i = 0; i < studies_.size(); ++i) {
            for (PaperAnswer& answer :
                 compare_with_papers(studies_[i].figures, {summaries[i]}).answers) {
                found.push_back(std::move(answer));
            }
        }
        return found;
    }

    [[nodiscard]] std::string text(const SearchResult& result, std::size_t budget) const {
        std::string text =
            fmt::format("{}: {} machines tried of at most {}, {} settings with a source{}\n",
                        paper_.name, result.tried, budget, settings_.size(),
                        result.budget_spent ? "; the budget ended the search" : "");
        for (const SearchStep& step : result.steps) {
            text += fmt::format("  {}: {}\n", name_of(step.set), step.score.text());
        }
        const std::vector<PaperAnswer> shipped = answers(plan({}));
        for (const PaperAnswer& answer : answers(plan(result.best().set))) {
            const auto before = std::find_if(
                shipped.begin(), shipped.end(),
                [&](const PaperAnswer& other) { return other.paper.id == answer.paper.id; });
            if (before == shipped.end()) continue;
            text +=
                fmt::format("    {}: paper {}, {} {} -> {} {}\n", answer.paper.id,
                            answer.paper.stated, ours_cell(*before), verdict_name(before->verdict),
                            ours_cell(answer), verdict_name(answer.verdict));
        }
        return text;
    }

    /// The best set as a file of configs/readings.
    [[nodiscard]] std::string reading(const SearchResult& result) const {
        const SearchSet& best = result.best().set;
        std::string sources;
        std::string sets;
        for (const std::size_t i : best) {
            sources += fmt::format("#   {}: {}\n", settings_[i].name, settings_[i].source);
            for (const std::string& set : settings_[i].sets) {
                const std::size_t equals = set.find('=');
                sets += fmt::format("  {}: {}\n", set.substr(0, equals), set.substr(equals + 1));
            }
        }
        return fmt::format(
            "# Found by tessera reproduce {0} --search: {1} machines tried.\n{2}"
            "paper: {0}\ntitle: {3}\nwhy: found by a search over settings with a source, on a part "
            "of the layers\nsource: as the lines above say\nset:\n{4}",
            paper_.name, result.tried, sources, name_of(best), sets);
    }

    const PaperName& paper_;
    const StudyArguments& arguments_;
    const ConfigCatalog& catalog_;
    std::vector<AtlasStudy> studies_;
    std::vector<SearchSetting> settings_;
};

}  // namespace

int search_readings(const std::vector<std::string>& papers, const StudyArguments& study,
                    const std::string& atlas, std::size_t budget) {
    std::vector<std::string_view> known;
    known.reserve(kPaperNames.size());
    for (const PaperName& paper : kPaperNames) known.push_back(paper.name);
    for (const std::string& name : papers) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        throw ConfigError(fmt::format("--search: got {}, expected papers of {}{}", in_quotes(name),
                                      braced_list(known), did_you_mean(name, known)));
    }
    const ConfigCatalog catalog;
    const auto figures =
        read_paper_figures((catalog.root() / "reference" / "paper_results.yaml").string());
    const std::vector<AtlasStudy> studies =
        read_atlas(atlas.empty() ? (catalog.root() / "atlas.yaml").string() : atlas, figures);
    int code = static_cast<int>(ExitCode::kGood);
    for (const PaperName& paper : kPaperNames) {
        const bool is_wanted =
            papers.empty() || std::find(papers.begin(), papers.end(), paper.name) != papers.end();
        if (!is_wanted) continue;
        PaperSearch search(paper, studies, study, catalog);
        if (search.is_empty()) continue;
        if (study.list) {
            print_text("{}", search.list());
            continue;
        }
        code = search.run(budget);
        if (code != static_cast<int>(ExitCode::kGood)) break;
    }
    return code;
}

}  // namespace tessera
