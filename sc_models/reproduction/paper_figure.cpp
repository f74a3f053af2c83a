#include "sc_models/reproduction/paper_figure.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "sc_models/config/engine/yaml_reader.h"

namespace tessera {
namespace {

/// Names by FigureKind.
constexpr std::array<std::string_view, 4> kKindNames = {"measured", "exact", "hardware", "limit"};

/// One number or sentence of an entry, with the suffix that distinguishes its id.
struct Statement {
    std::string suffix;
    const ConfigNode* value = nullptr;
};

/// Parses a scalar as a number; empty if it is none.
std::optional<double> number_of(const ConfigNode& node) {
    if (node.kind != ConfigNode::Kind::kScalar) return std::nullopt;
    double value = 0;
    const char* end = node.scalar.data() + node.scalar.size();
    const auto [stop, error] = std::from_chars(node.scalar.data(), end, value);
    return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

bool ends_with(const std::string& text, std::string_view end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Splits an entry into its statements. Lists are named after the columns of a table
/// (`at_sparsity`), "least" and "most" of a range, or the configurations C1 and C2 of opportunistic
/// computing.
std::vector<Statement> statements_of(const ConfigNode& entry, const std::string& id) {
    const ConfigNode* const stated = entry.find("value");
    if (stated == nullptr) entry.fail(id, "no value");
    if (stated->kind == ConfigNode::Kind::kScalar) return {{"", stated}};
    std::vector<Statement> found;
    for (const ConfigNode::Member& member : stated->members) {
        found.push_back({"." + member.key, &member.value});
    }
    std::vector<std::string> names;
    if (const ConfigNode* const columns = entry.find("at_sparsity")) {
        for (const ConfigNode& column : columns->items) names.push_back(column.scalar);
    } else if (ends_with(id, ".range")) {
        names = {"least", "most"};
    } else {
        names = {"c1", "c2"};
    }
    if (!stated->items.empty() && names.size() != stated->items.size()) {
        stated->fail(id, "its numbers have no names: expected at_sparsity or a pair");
    }
    for (std::size_t i = 0; i < stated->items.size(); ++i) {
        found.push_back({"." + names[i], &stated->items[i]});
    }
    return found;
}

std::string text_of(const ConfigNode& entry, std::string_view key) {
    const ConfigNode* node = entry.find(key);
    return node == nullptr ? "" : node->as_text(key);
}

Measure measure_of(const ConfigNode& entry, const std::string& id) {
    const ConfigNode* const measure = entry.find("measure");
    if (measure == nullptr) entry.fail(join_path(id, "measure"), "missing");
    std::vector<std::string_view> keys;
    for (const MeasureText& text : kMeasureText) keys.push_back(text.key);
    return static_cast<Measure>(measure->as_choice(join_path(id, "measure"), keys));
}

/// Value that means no effect. Ratios of times have 1, everything else 0, unless the entry says.
double nothing_of(const ConfigNode& entry, const PaperFigure& figure) {
    const ConfigNode* const nothing = entry.find("nothing");
    if (nothing == nullptr) return figure.measure == Measure::kTime && figure.unit == "x" ? 1 : 0;
    const std::optional<double> value = number_of(*nothing);
    if (!value) nothing->fail(join_path(figure.entry, "nothing"), "expected a number");
    return *value;
}

FigureKind kind_of(const ConfigNode& entry) {
    const ConfigNode* const kind = entry.find("kind");
    if (kind == nullptr) entry.fail("kind", "missing");
    return static_cast<FigureKind>(kind->as_choice("kind", {kKindNames.begin(), kKindNames.end()}));
}

}  // namespace

std::string_view kind_name(FigureKind kind) {
    return kKindNames[static_cast<std::size_t>(kind)];
}

bool PaperFigure::is_percentage() const {
    return unit.rfind("percent", 0) == 0;
}

std::string_view PaperFigure::paper() const {
    return std::string_view(entry).substr(0, entry.find('.'));
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
            PaperFigure figure;
            figure.entry = text_of(entry, "id");
            figure.kind = kind_of(entry);
            figure.unit = text_of(entry, "unit");
            figure.note = text_of(entry, "note");
            figure.measure = measure_of(entry, figure.entry);
            figure.nothing = nothing_of(entry, figure);
            figure.repeats = text_of(entry, "repeats");
            const bool is_known =
                std::any_of(figures.begin(), figures.end(),
                            [&](const PaperFigure& f) { return f.entry == figure.repeats; });
            if (!figure.repeats.empty() && !is_known) {
                entry.fail(join_path(figure.entry, "repeats"), "no such entry above");
            }
            for (const Statement& statement : statements_of(entry, figure.entry)) {
                figure.id = figure.entry + statement.suffix;
                figure.value = number_of(*statement.value);
                figure.stated = statement.value->as_text(figure.id);
                figures.push_back(figure);
            }
        }
    }
    return figures;
}

}  // namespace tessera
