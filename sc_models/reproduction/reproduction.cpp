#include "sc_models/reproduction/reproduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>

#include "sc_models/common/text_table.h"
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
    return with_unit(ours_cell(answer), answer.paper);
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
    return answer.verdict == Verdict::kReproduced && is_below_tolerance(answer.paper);
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

std::string VerdictCounts::text() const {
    std::string parts;
    for (std::size_t i = 0; i < of.size(); ++i) {
        if (of[i] == 0) continue;
        parts += fmt::format("{}{} {}", parts.empty() ? ": " : ", ", of[i], kVerdictText[i].name);
    }
    return fmt::format("{} figure{}{}", entries, entries == 1 ? "" : "s", parts);
}

Reproduction::Reproduction(const ReproductionPlan& plan, const std::vector<PaperFigure>& figures,
                           const std::vector<Summary>& summaries, const ConfigCatalog& catalog) {
    std::multimap<std::string, PaperAnswer> answers;  // by figure id; the shipped preset's first
    for (PaperAnswer& answer : compare_with_papers(figures, summaries).answers) {
        answers.emplace(answer.paper.id, std::move(answer));
    }
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
}

VerdictCounts Reproduction::counts() const {
    std::map<std::string, std::pair<Verdict, bool>> entries;  // worst class; whether any number is
                                                              // ours
    for (const ReproducedFigure& figure : figures_) {
        if (figure.answer.is_other_reading) continue;
        const Verdict verdict = figure.answer.verdict;
        auto& [worst, any] =
            entries.try_emplace(figure.answer.paper.entry, verdict, false).first->second;
        worst = std::max(worst, verdict);
        any = any || verdict != Verdict::kNotMeasured;
    }
    VerdictCounts counts;
    counts.entries = entries.size();
    for (const auto& [entry, result] : entries) {
        ++counts.of[static_cast<std::size_t>(result.first)];
        counts.with_ours += result.second ? 1 : 0;
    }
    return counts;
}

std::string Reproduction::text() const {
    TextTable table({"figure", "what", "paper", "ours", "+-", "seeds", "layers", "verdict"});
    table.set_text_columns(2);
    table.set_last_are_text(1);
    std::string_view paper;
    bool any_below = false;
    for (const auto& [answer, explanation] : figures_) {
        if (!paper.empty() && paper != answer.paper.paper()) table.add_rule();
        paper = answer.paper.paper();
        any_below = any_below || is_marked(answer);
        table.add({answer.paper.id, what_of(answer), paper_text(answer.paper), ours_text(answer),
                   interval_cell(answer), seeds_cell(answer), layers_cell(answer),
                   verdict_cell(answer)});
    }
    const std::string reasons = reasons_text(figures_);
    std::string text = table.str();
    text += "  +-: half of the 95 % interval of our mean over seeds (launch jitter)\n";
    if (any_below) text += fmt::format("  {}\n", kBelowTolerance);
    if (!reasons.empty()) text += "\nwhy\n" + reasons;
    return text + "\n" + counts().text() + "\n";
}

std::string Reproduction::markdown() const {
    std::string text =
        "| figure | what | paper | ours | ± | seeds | layers | verdict | why |\n"
        "|---|---|---|---|---|---|---|---|---|\n";
    bool any_below = false;
    for (const auto& [answer, explanation] : figures_) {
        any_below = any_below || is_marked(answer);
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n", answer.paper.id,
                            what_of(answer), paper_text(answer.paper), ours_text(answer),
                            interval_cell(answer), seeds_cell(answer), layers_cell(answer),
                            verdict_cell(answer), explanation.why);
    }
    text += "\n" + counts().text() + ".\n";
    if (any_below) text += fmt::format("\n\\{}.\n", kBelowTolerance);
    return text;
}

nlohmann::ordered_json Reproduction::json() const {
    nlohmann::ordered_json j;
    j["figures"] = nlohmann::ordered_json::array();
    for (const auto& [answer, explanation] : figures_) {
        nlohmann::ordered_json row;
        row["id"] = answer.paper.id;
        row["kind"] = kind_name(answer.paper.kind);
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
        if (answer.ours) row["seeds"] = answer.ours->samples;
        if (answer.layers != 0) row["layers"] = answer.layers;
        if (!answer.experiment.empty()) row["experiment"] = answer.experiment;
        if (answer.is_other_reading) row["other_reading"] = true;
        row["verdict"] = verdict_name(answer.verdict);
        if (is_marked(answer)) row["below_tolerance"] = true;
        if (!answer.remark.empty()) row["remark"] = answer.remark;
        if (!explanation.why.empty()) row["why"] = explanation.why;
        if (!explanation.see.empty()) row["see"] = explanation.see;
        j["figures"].push_back(std::move(row));
    }
    const VerdictCounts counts = this->counts();
    j["summary"] = counts.text();
    j["counts"] = {{"entries", counts.entries}, {"with_ours", counts.with_ours}};
    for (std::size_t i = 0; i < counts.of.size(); ++i) {
        j["counts"][std::string(kVerdictText[i].name)] = counts.of[i];
    }
    return j;
}

}  // namespace tessera
