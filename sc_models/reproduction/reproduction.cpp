#include "sc_models/reproduction/reproduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>

#include "sc_models/common/text_table.h"
#include "sc_models/reproduction/documented_results.h"
#include "sc_models/reproduction/paper_rules.h"
#include "sc_models/reproduction/reason.h"
#include "sc_models/reproduction/worked_examples.h"

namespace tessera {
namespace {

/// Wider statements in words do not fit a column.
constexpr std::size_t kWidestCell = 24;

std::string paper_text(const PaperFigure& paper) {
    const std::string cell = with_unit(paper.stated, paper);
    return cell.size() > kWidestCell ? "in words" : cell;
}

std::string ours_text(const PaperAnswer& answer) {
    if (!answer.words.empty() && answer.words.size() > kWidestCell) {
        return answer.words == answer.paper.stated ? "the same" : "other words";
    }
    std::string cell = with_unit(ours_cell(answer), answer.paper);
    if (answer.median) {
        cell += fmt::format(" (median {})", with_unit(median_cell(answer), answer.paper));
    }
    return cell;
}

std::string seeds_cell(const PaperAnswer& answer) {
    return answer.ours && answer.ours->samples > 1 ? std::to_string(answer.ours->samples) : "";
}

std::string layers_cell(const PaperAnswer& answer) {
    return answer.layers > 1 ? std::to_string(answer.layers) : "";
}

Explanation explanation_of(const ReproductionPlan& plan, const PaperAnswer& answer,
                           const std::vector<Summary>& summaries) {
    if (answer.verdict == Verdict::kReproduced || answer.is_other_reading) return {};
    const std::vector<std::string> experiments = experiments_for(answer.paper);
    if (answer.verdict == Verdict::kNotMeasured && !experiments.empty()) {
        const bool any =
            std::any_of(summaries.begin(), summaries.end(), [&](const Summary& summary) {
                return summary.name() == experiments.front() && !summary.rows().empty();
            });
        return {
            any ? fmt::format("needs more of the experiment {} than was run", experiments.front())
                : fmt::format("needs the experiment {}, which was not run", experiments.front()),
            ""};
    }
    const Explanation* const explanation = plan.explanation(answer.paper);
    return explanation == nullptr ? Explanation() : *explanation;
}

/// Texts for the places of a reason: results of this reproduction first, then stored ones.
class ReasonNumbers {
public:
    ReasonNumbers(const std::vector<ReproducedFigure>& figures, const DocumentedResults& stored)
        : figures_(figures), stored_(stored) {}

    [[nodiscard]] std::string operator()(const ReasonPlace& place) const {
        const auto& arguments = place.arguments;
        if (place.kind == "atlas") return number_cell(stored_.atlas(arguments[0], arguments[1]));
        if (place.kind == "cell") {
            return number_cell(
                stored_.cell(arguments[0], arguments[1], arguments[2], arguments[3]));
        }
        const PaperAnswer* const answer = answer_of(arguments[0]);
        if (answer == nullptr) return "-";
        if (place.kind == "paper") return answer->paper.stated;
        return place.kind == "remark" ? answer->remark : ours_cell(*answer);
    }

private:
    [[nodiscard]] const PaperAnswer* answer_of(const std::string& id) const {
        for (const ReproducedFigure& figure : figures_) {
            if (figure.answer.paper.id == id && !figure.answer.is_other_reading) {
                return &figure.answer;
            }
        }
        return nullptr;
    }

    const std::vector<ReproducedFigure>& figures_;
    const DocumentedResults& stored_;
};

/// Result of each rule, run here or stored, whichever covers more; run results win a tie.
std::vector<PaperAnswer> with_stored_answers(const std::vector<PaperFigure>& figures,
                                             std::vector<PaperAnswer> run,
                                             const DocumentedResults& stored) {
    std::vector<PaperAnswer> answers;
    for (const PaperFigure& figure : figures) {
        const std::vector<const PaperRule*> rules = rules_of(figure);
        for (const PaperRule* const rule : rules) {
            const auto found = std::find_if(run.begin(), run.end(), [&](const PaperAnswer& a) {
                return a.paper.id == figure.id && a.experiment == rule->experiment &&
                       a.what == rule->what;
            });
            auto old = stored.answer(figure, rule->experiment, rule->what);
            if (old) old->is_other_reading = rule != rules.front();
            const bool covers =
                found != run.end() && (!old || (found->ours->samples >= old->ours->samples &&
                                                found->layers >= old->layers));
            if (covers) {
                answers.push_back(std::move(*found));
            } else if (old) {
                answers.push_back(std::move(*old));
            }
        }
    }
    return answers;
}

/// One line per explanation, with the figures it applies to.
std::string reasons_text(const std::vector<ReproducedFigure>& figures) {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // text, ids
    for (const auto& [answer, explanation] : figures) {
        if (explanation.why.empty()) continue;
        const std::string text =
            explanation.why + (explanation.see.empty() ? "" : " (" + explanation.see + ")");
        auto found = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const auto& reason) { return reason.first == text; });
        if (found == reasons.end()) found = reasons.insert(reasons.end(), {text, {}});
        found->second.push_back(answer.paper.id);
    }
    std::string lines;
    for (const auto& [text, ids] : reasons) {
        lines += fmt::format("  {}:\n    {}\n", fmt::join(ids, ", "), text);
    }
    return lines;
}

}  // namespace

std::string with_unit(const std::string& number, const PaperFigure& paper) {
    if (!paper.value || number == "-") return number;
    const std::string_view unit = unit_text(paper);
    return number.empty() || unit.empty() ? number : fmt::format("{} {}", number, unit);
}

std::string_view unit_text(const PaperFigure& paper) {
    static const std::map<std::string_view, std::string_view> kUnits = {
        {"percent", "%"}, {"percent_points", "points"}, {"percent_sparsity", "% zeros"},
        {"x", "x"},       {"x_of_dense_time", "x"},     {"bytes", "B"},
    };
    const auto found = kUnits.find(paper.unit);
    return found == kUnits.end() ? std::string_view() : found->second;
}

bool is_marked(const PaperAnswer& answer) {
    return !answer.paper.repeats.empty();
}

std::string verdict_cell(const PaperAnswer& answer) {
    return std::string(verdict_name(answer.verdict)) + (is_marked(answer) ? " *" : "");
}

std::string short_note(const PaperFigure& paper) {
    return paper.note.size() > 2 * kWidestCell ? "" : paper.note;
}

std::string what_of(const PaperAnswer& answer) {
    if (!answer.what.empty()) return answer.what;
    if (const std::string note = short_note(answer.paper); !note.empty()) return note;
    const std::string caption = caption_of(answer);  // figure without a result
    return caption == answer.paper.id ? "" : caption;
}

std::size_t VerdictCounts::total(Verdict verdict) const {
    std::size_t sum = 0;
    for (const ByVerdict& by_verdict : of) sum += by_verdict[static_cast<std::size_t>(verdict)];
    return sum;
}

std::size_t VerdictCounts::times(Verdict verdict) const {
    return of[static_cast<std::size_t>(Measure::kTime)][static_cast<std::size_t>(verdict)];
}

std::size_t VerdictCounts::simulated_times() const {
    return times(Verdict::kReproduced) + times(Verdict::kPartly) + times(Verdict::kNot);
}

std::string VerdictCounts::headline(std::string_view where) const {
    const std::size_t reproduced = times(Verdict::kReproduced);
    const std::size_t simulated = simulated_times();
    if (simulated == 0) return "no speedup or time was simulated";
    std::string text =
        fmt::format("{} of {} simulated speedups and times come out {} ({} partly, {} not)",
                    reproduced, simulated, where, times(Verdict::kPartly), times(Verdict::kNot));
    if (of_one_layer > 0) {
        text += fmt::format("; {} of the {} {} a mean of which one layer is more than half",
                            of_one_layer, reproduced, of_one_layer == 1 ? "is" : "are");
    }
    return text;
}

std::string VerdictCounts::text() const {
    std::string parts;
    for (std::size_t m = 0; m < of.size(); ++m) {
        std::string verdicts;
        for (std::size_t v = 0; v < of[m].size(); ++v) {
            if (of[m][v] == 0) continue;
            verdicts += fmt::format("{}{} {}", verdicts.empty() ? "" : ", ", of[m][v],
                                    kVerdictText[v].name);
        }
        if (verdicts.empty()) continue;
        parts +=
            fmt::format("{}{} {}", parts.empty() ? ": " : "; ", kMeasureText[m].name, verdicts);
    }
    const std::string once =
        repeated == 0 ? "" : fmt::format(", {} of them measured by another", repeated);
    return fmt::format("{} figure{}{}{}", entries, entries == 1 ? "" : "s", once, parts);
}

Reproduction::Reproduction(const ReproductionPlan& plan, const std::vector<PaperFigure>& figures,
                           const std::vector<Summary>& summaries, const ConfigCatalog& catalog,
                           bool with_stored) {
    const DocumentedResults stored(catalog.root() / "reference" / "results");
    std::vector<PaperAnswer> run = compare_with_papers(figures, summaries).answers;
    if (with_stored) run = with_stored_answers(figures, std::move(run), stored);
    std::multimap<std::string, PaperAnswer> answers;  // by figure id; the shipped preset's first
    for (PaperAnswer& answer : run) answers.emplace(answer.paper.id, std::move(answer));
    for (PaperAnswer& answer : worked_examples(figures, catalog)) {
        answers.emplace(answer.paper.id, std::move(answer));
    }
    for (const PaperFigure& figure : figures) {
        const auto [first, last] = answers.equal_range(figure.id);
        if (first == last || first->second.is_other_reading) {
            PaperAnswer none;
            none.paper = figure;
            figures_.push_back({none, explanation_of(plan, none, summaries)});
        }
        for (auto found = first; found != last; ++found) {
            const PaperAnswer& answer = found->second;
            figures_.push_back({answer, explanation_of(plan, answer, summaries)});
        }
    }
    const ReasonNumbers numbers(figures_, stored);
    for (ReproducedFigure& figure : figures_) {
        figure.explanation.why = filled_reason(figure.explanation.why, numbers);
    }
}

std::size_t Reproduction::stored_rows() const {
    return static_cast<std::size_t>(
        std::count_if(figures_.begin(), figures_.end(),
                      [](const ReproducedFigure& f) { return f.answer.is_stored; }));
}

VerdictCounts counts_of(const std::vector<PaperAnswer>& answers) {
    struct Entry {
        const PaperFigure* paper = nullptr;
        Verdict worst = Verdict::kReproduced;
        bool any = false, of_one_layer = false;
    };
    std::map<std::string, Entry> entries;
    for (const PaperAnswer& answer : answers) {
        if (answer.is_other_reading) continue;
        Entry& entry = entries[answer.paper.entry];
        entry.paper = &answer.paper;
        entry.worst = std::max(entry.worst, answer.verdict);
        entry.any = entry.any || answer.verdict != Verdict::kNotMeasured;
        entry.of_one_layer = entry.of_one_layer || answer.median.has_value();
    }
    VerdictCounts counts;
    counts.entries = entries.size();
    for (const auto& [id, entry] : entries) {
        counts.with_ours += entry.any ? 1 : 0;
        if (!entry.paper->repeats.empty()) {
            ++counts.repeated;
            continue;
        }
        ++counts.of[static_cast<std::size_t>(entry.paper->measure)]
                   [static_cast<std::size_t>(entry.worst)];
        const bool is_reproduced_time =
            entry.paper->measure == Measure::kTime && entry.worst == Verdict::kReproduced;
        counts.of_one_layer += is_reproduced_time && entry.of_one_layer ? 1 : 0;
    }
    return counts;
}

VerdictCounts Reproduction::counts() const {
    std::vector<PaperAnswer> answers;
    answers.reserve(figures_.size());
    for (const ReproducedFigure& figure : figures_) answers.push_back(figure.answer);
    return counts_of(answers);
}

std::string Reproduction::text() const {
    TextTable table({"figure", "what", "paper", "ours", "+-", "seeds", "layers", "verdict"});
    table.set_text_columns(2);
    table.set_last_are_text(1);
    std::string_view paper;
    bool any_repeated = false;
    for (const auto& [answer, explanation] : figures_) {
        if (!paper.empty() && paper != answer.paper.paper()) table.add_rule();
        paper = answer.paper.paper();
        any_repeated = any_repeated || is_marked(answer);
        table.add({answer.paper.id, what_of(answer), paper_text(answer.paper), ours_text(answer),
                   interval_cell(answer), seeds_cell(answer), layers_cell(answer),
                   verdict_cell(answer)});
    }
    const std::string reasons = reasons_text(figures_);
    const VerdictCounts counts = this->counts();
    std::string text = counts.headline() + "\n\n" + table.str();
    text += "  +-: half of the 95 % interval of our mean over seeds (launch jitter)\n";
    if (any_repeated) text += fmt::format("  {}\n", kRepeated);
    if (const std::size_t rows = stored_rows(); rows > 0) {
        text +=
            fmt::format("  rows of configs/reference/results, of more runs than here: {}\n", rows);
    }
    if (!reasons.empty()) text += "\nwhy\n" + reasons;
    return text + "\n" + counts.text() + "\n";
}

std::string Reproduction::markdown() const {
    const VerdictCounts counts = this->counts();
    std::string text = "**" + counts.headline() +
                       ".**\n\n"
                       "| figure | what | paper | ours | ± | seeds | layers | verdict | why |\n"
                       "|---|---|---|---|---|---|---|---|---|\n";
    bool any_repeated = false;
    for (const auto& [answer, explanation] : figures_) {
        any_repeated = any_repeated || is_marked(answer);
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n", answer.paper.id,
                            what_of(answer), paper_text(answer.paper), ours_text(answer),
                            interval_cell(answer), seeds_cell(answer), layers_cell(answer),
                            verdict_cell(answer), explanation.why);
    }
    text += "\n" + counts.text() + ".\n";
    if (any_repeated) text += fmt::format("\n\\{}.\n", kRepeated);
    return text;
}

nlohmann::ordered_json Reproduction::json() const {
    nlohmann::ordered_json j;
    j["figures"] = nlohmann::ordered_json::array();
    for (const auto& [answer, explanation] : figures_) {
        nlohmann::ordered_json row;
        row["id"] = answer.paper.id;
        row["kind"] = kind_name(answer.paper.kind);
        row["measure"] = kMeasureText[static_cast<std::size_t>(answer.paper.measure)].key;
        row["unit"] = answer.paper.unit;
        row["what"] = what_of(answer);
        row["stated"] = answer.paper.stated;
        row["paper"] = answer.paper.value ? nlohmann::ordered_json(*answer.paper.value)
                                          : nlohmann::ordered_json(answer.paper.stated);
        if (answer.ours) row["ours"] = answer.ours->mean;
        if (!answer.words.empty()) row["ours"] = answer.words;
        if (answer.ours && answer.ours->half_width) {
            row["half_width_95_percent"] = *answer.ours->half_width;
        }
        if (answer.median) row["median"] = *answer.median;
        if (answer.ours) row["seeds"] = answer.ours->samples;
        if (answer.layers != 0) row["layers"] = answer.layers;
        if (!answer.experiment.empty()) row["experiment"] = answer.experiment;
        if (answer.is_other_reading) row["other_reading"] = true;
        row["verdict"] = verdict_name(answer.verdict);
        if (is_marked(answer)) row["repeats"] = answer.paper.repeats;
        if (!answer.remark.empty()) row["remark"] = answer.remark;
        if (!explanation.why.empty()) row["why"] = explanation.why;
        if (!explanation.see.empty()) row["see"] = explanation.see;
        j["figures"].push_back(std::move(row));
    }
    const VerdictCounts counts = this->counts();
    for (const VerdictText& verdict : kVerdictText) {
        j["rule"].push_back({{"verdict", verdict.name}, {"when", verdict.rule}});
    }
    j["headline"] = counts.headline();
    j["summary"] = counts.text();
    j["counts"] = {{"entries", counts.entries},
                   {"with_ours", counts.with_ours},
                   {"repeated", counts.repeated}};
    for (std::size_t v = 0; v < kVerdictText.size(); ++v) {
        const std::string verdict(kVerdictText[v].name);
        j["counts"][verdict] = counts.total(static_cast<Verdict>(v));
        for (std::size_t m = 0; m < kMeasureText.size(); ++m) {
            j["counts"]["by_measure"][std::string(kMeasureText[m].name)][verdict] = counts.of[m][v];
        }
    }
    return j;
}

}  // namespace tessera
