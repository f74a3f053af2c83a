#include "sc_models/report/paper_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>

#include "sc_models/config/yaml_reader.h"
#include "sc_models/report/paper_rules.h"
#include "sc_models/study/text_table.h"

namespace tessera {
namespace {

using Value = std::optional<double>;

std::optional<PaperAnswer> answer(const PaperFigure& figure,
                                  const std::vector<Summary>& summaries) {
    for (const auto* rules : {&duplo_rules(), &dual_side_rules(), &opportunistic_rules()}) {
        for (const PaperRule& rule : *rules) {
            if (figure.id != rule.id) continue;
            for (const Summary& summary : summaries) {
                if (summary.name() != rule.experiment) continue;
                const PaperMeasurement measured = rule.measure(summary);
                if (!measured.mean) continue;
                return PaperAnswer{
                    figure,          rule.what,      measured.mean,          measured.total,
                    measured.remark, summary.name(), summary.layers().size()};
            }
        }
    }
    return std::nullopt;
}

/// The number a scalar is, if it is one.
Value number_of(const ConfigNode& node) {
    if (node.kind != ConfigNode::Kind::kScalar) return std::nullopt;
    double value = 0;
    const char* end = node.scalar.data() + node.scalar.size();
    const auto [stop, error] = std::from_chars(node.scalar.data(), end, value);
    return error == std::errc() && stop == end ? Value(value) : std::nullopt;
}

bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// The numbers of a figure, with what tells them apart in its id: pairs of opportunistic computing
/// are its configurations C1 and C2, of a range the least and the most, of a table its columns.
/// Nothing for other lists and words.
std::vector<std::pair<std::string, double>> values_of(const ConfigNode& entry,
                                                      const std::string& id) {
    const ConfigNode* const stated = entry.find("value");
    if (stated == nullptr) return {};
    if (const Value one = number_of(*stated)) return {{"", *one}};
    std::vector<std::pair<std::string, double>> found;
    const auto add = [&found](const std::string& name, const ConfigNode& node) {
        if (const Value value = number_of(node)) found.emplace_back("." + name, *value);
    };
    for (const ConfigNode::Member& member : stated->members) add(member.key, member.value);
    const ConfigNode* const columns = entry.find("at_sparsity");
    const std::vector<std::string> pair =
        id.rfind("O.", 0) == 0    ? std::vector<std::string>{"c1", "c2"}
        : ends_with(id, ".range") ? std::vector<std::string>{"least", "most"}
                                  : std::vector<std::string>{};
    for (std::size_t i = 0; i < stated->items.size(); ++i) {
        if (columns != nullptr && columns->items.size() == stated->items.size()) {
            add(columns->items[i].scalar, stated->items[i]);
        } else if (pair.size() == stated->items.size()) {
            add(pair[i], stated->items[i]);
        }
    }
    return found;
}

std::string text_of(const ConfigNode& entry, std::string_view key) {
    const ConfigNode* node = entry.find(key);
    return node == nullptr ? "" : node->as_text(key);
}

}  // namespace

std::optional<double> PaperAnswer::difference() const {
    return mean ? std::optional(*mean - paper.value) : std::nullopt;
}

std::vector<PaperFigure> read_paper_figures(const std::string& path) {
    std::vector<PaperFigure> figures;
    const ConfigNode root = parse_yaml_file(path);
    root.expect_mapping("");
    for (const ConfigNode::Member& paper : root.members) {
        const ConfigNode* results = paper.value.find("results");
        if (results == nullptr) continue;
        results->expect_list(join_path(paper.key, "results"));
        for (const ConfigNode& entry : results->items) {
            const PaperFigure figure = {text_of(entry, "id"), text_of(entry, "kind"),
                                        text_of(entry, "unit"), text_of(entry, "note"), 0};
            for (const auto& [suffix, value] : values_of(entry, figure.id)) {
                figures.push_back(figure);
                figures.back().id += suffix;
                figures.back().value = value;
            }
        }
    }
    return figures;
}

PaperComparison compare_with_papers(const std::vector<PaperFigure>& figures,
                                    const std::vector<Summary>& summaries) {
    PaperComparison comparison;
    for (const PaperFigure& figure : figures) {
        if (auto found = answer(figure, summaries)) {
            comparison.answers.push_back(std::move(*found));
        } else if (figure.kind == "measured") {
            comparison.unanswered.push_back(figure);
        }
    }
    // Only of papers that these sweeps are about; of Duplo if they are about none.
    const auto about = [&comparison](const PaperFigure& figure) {
        const std::string paper = figure.id.substr(0, 2);
        const auto& all = comparison.answers;
        return std::any_of(all.begin(), all.end(),
                           [&](const PaperAnswer& a) { return a.paper.id.rfind(paper, 0) == 0; }) ||
               (all.empty() && paper == "D.");
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

std::string paper_table(const PaperComparison& comparison) {
    if (comparison.answers.empty()) {
        return "no figure of a paper can be read off these results\n";
    }
    TextTable table(
        {"figure", "what", "paper", "ours", "difference", "ours, total", "layers", "remark"});
    table.set_text_columns(2);
    for (const PaperAnswer& a : comparison.answers) {
        table.add({a.paper.id, a.what, number_cell(a.paper.value), number_cell(a.mean),
                   signed_cell(a.difference()), number_cell(a.total), std::to_string(a.layers),
                   a.remark});
    }
    table.set_last_are_text(1);
    std::string text =
        "the paper beside ours [%; ours: mean of the layers; total: from the sums over all "
        "layers]\n" +
        table.str();
    for (const std::string& note : comparison.notes) text += "  note: " + note + "\n";
    return text;
}

}  // namespace tessera
