#include "sc_models/reproduction/paper_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>

#include "sc_models/common/text_table.h"
#include "sc_models/reproduction/paper_rules.h"

namespace tessera {
namespace {

/// Result of a rule over the seeds of a sweep: their mean with its interval.
std::optional<Estimate> estimate_by_seed(const PaperRule& rule, const Summary& summary) {
    std::vector<double> samples;
    for (const std::uint64_t seed : summary.whole_seeds()) {
        if (const auto mean = rule.measure(summary.of_seed(seed)).mean) samples.push_back(*mean);
    }
    return estimate_of(samples);
}

/// Answer of one rule; empty if no sweep has results for it.
std::optional<PaperAnswer> answer(const PaperFigure& figure, const PaperRule& rule,
                                  const std::vector<Summary>& summaries) {
    for (const Summary& summary : summaries) {
        if (summary.name() != rule.experiment) continue;
        const auto ours = estimate_by_seed(rule, summary);
        if (!ours) continue;
        const PaperMeasurement whole = rule.measure(summary);
        PaperAnswer found;
        found.paper = figure;
        found.what = rule.what;
        found.ours = ours;
        found.total = whole.total;
        found.remark = whole.remark;
        found.median = median_beside_mean(whole.by_layer);
        found.experiment = summary.name();
        found.is_other_reading = &rule != rules_of(figure).front();
        found.layers = summary.layers().size();
        found.verdict = verdict_of(figure, *ours);
        return found;
    }
    return std::nullopt;
}

/// Decimals that the paper prints; at least one for figures that are not exact.
int decimals_of(const PaperFigure& paper) {
    const std::size_t point = paper.stated.find('.');
    if (point != std::string::npos) return static_cast<int>(paper.stated.size() - point - 1);
    return paper.kind == FigureKind::kExact ? 0 : 1;
}

}  // namespace

PaperComparison compare_with_papers(const std::vector<PaperFigure>& figures,
                                    const std::vector<Summary>& summaries) {
    PaperComparison comparison;
    for (const PaperFigure& figure : figures) {
        const std::size_t before = comparison.answers.size();
        for (const PaperRule* const rule : rules_of(figure)) {
            auto found = answer(figure, *rule, summaries);
            if (found) comparison.answers.push_back(std::move(*found));
        }
        if (comparison.answers.size() == before && figure.kind == FigureKind::kMeasured) {
            comparison.unanswered.push_back(figure);
        }
    }
    // Lists only figures of papers that these sweeps cover; figures of Duplo if they cover none.
    const auto about = [&comparison](const PaperFigure& figure) {
        const auto& all = comparison.answers;
        const auto same = [&](const PaperAnswer& a) { return a.paper.paper() == figure.paper(); };
        return all.empty() ? figure.paper() == "D" : std::any_of(all.begin(), all.end(), same);
    };
    auto& unanswered = comparison.unanswered;
    unanswered.erase(std::remove_if(unanswered.begin(), unanswered.end(),
                                    [&](const PaperFigure& f) { return !about(f); }),
                     unanswered.end());
    for (const Summary& summary : summaries) {
        const bool used =
            std::any_of(comparison.answers.begin(), comparison.answers.end(),
                        [&](const PaperAnswer& a) { return a.experiment == summary.name(); });
        if (!used || summary.sets().empty()) continue;
        comparison.notes.push_back(
            fmt::format("{} was run with --set {}, so that it may not compare", summary.name(),
                        fmt::join(summary.sets(), " --set ")));
    }
    return comparison;
}

std::vector<std::string> experiments_for(const PaperFigure& figure) {
    std::vector<std::string> experiments;
    for (const PaperRule* const rule : rules_of(figure)) experiments.emplace_back(rule->experiment);
    return experiments;
}

std::optional<double> median_beside_mean(std::vector<double> by_layer) {
    constexpr std::size_t kFewest = 3;
    if (by_layer.size() < kFewest) return std::nullopt;
    double sum = 0;
    double largest = 0;
    for (const double value : by_layer) {
        sum += value;
        largest = std::max(largest, std::abs(value));
    }
    if (2 * largest <= std::abs(sum)) return std::nullopt;
    std::sort(by_layer.begin(), by_layer.end());
    const std::size_t middle = by_layer.size() / 2;
    return by_layer.size() % 2 == 1 ? by_layer[middle]
                                    : (by_layer[middle - 1] + by_layer[middle]) / 2;
}

std::string ours_cell(const PaperAnswer& answer) {
    if (!answer.words.empty()) return answer.words;
    if (!answer.ours) return "-";
    return number_cell(answer.ours->mean, decimals_of(answer.paper));
}

std::string interval_cell(const PaperAnswer& answer) {
    if (!answer.ours || !answer.ours->half_width) return "";
    return number_cell(answer.ours->half_width, decimals_of(answer.paper));
}

std::string median_cell(const PaperAnswer& answer) {
    return answer.median ? number_cell(answer.median, decimals_of(answer.paper)) : "";
}

std::string paper_table(const PaperComparison& comparison) {
    if (comparison.answers.empty()) {
        return "no figure of a paper can be read off these results\n";
    }
    TextTable table(
        {"figure", "what", "paper", "ours", "+-", "verdict", "ours, total", "layers", "remark"});
    table.set_text_columns(2);
    for (const PaperAnswer& a : comparison.answers) {
        table.add({a.paper.id, a.what, a.paper.stated, ours_cell(a), interval_cell(a),
                   std::string(verdict_name(a.verdict)), number_cell(a.total),
                   std::to_string(a.layers), a.remark});
    }
    table.set_last_are_text(1);
    std::string text =
        "the paper beside ours [%; ours: mean of the layers; +-: half of its 95 % interval over "
        "seeds; total: from the sums over all layers]\n" +
        table.str();
    for (const std::string& note : comparison.notes) text += "  note: " + note + "\n";
    return text;
}

}  // namespace tessera
