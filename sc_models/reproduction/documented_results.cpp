#include "sc_models/reproduction/documented_results.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "sc_models/reproduction/verdict.h"

namespace tessera {
namespace {

constexpr std::string_view kMean = "mean";
constexpr std::string_view kTimes = "times:";

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

bool begins_with(const std::string& text, std::string_view beginning) {
    return text.rfind(beginning, 0) == 0;
}

bool matches(const std::string& name, const std::string& pattern) {
    if (pattern.empty() || pattern.back() != '*') return name == pattern;
    return begins_with(name, std::string_view(pattern).substr(0, pattern.size() - 1));
}

/// Whether a cell's `layer` covers the layer `name`.
bool covers(const std::string& layer, const std::string& name) {
    if (layer == kMean) return true;
    const std::string prefix = std::string(kMean) + ":";
    if (!begins_with(layer, prefix)) return layer == name;
    const std::vector<std::string> patterns = split(layer.substr(prefix.size()), '+');
    return std::any_of(patterns.begin(), patterns.end(),
                       [&name](const std::string& pattern) { return matches(name, pattern); });
}

/// Sums by layer.
struct Sum {
    double value = 0;
    std::size_t count = 0;
    [[nodiscard]] double mean() const { return value / static_cast<double>(count); }
};

}  // namespace

const std::vector<DocumentedResults::Row>& DocumentedResults::table(
    const std::string& experiment) const {
    const auto [found, is_new] = tables_.try_emplace(experiment);
    if (!is_new) return found->second;
    std::ifstream in(folder_ / (experiment + ".csv"));
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> columns = split(line, ',');
    while (std::getline(in, line)) {
        const std::vector<std::string> cells = split(line, ',');
        Row row;
        for (std::size_t i = 0; i < std::min(columns.size(), cells.size()); ++i) {
            row[columns[i]] = cells[i];
        }
        found->second.push_back(std::move(row));
    }
    return found->second;
}

const nlohmann::ordered_json& DocumentedResults::json(const std::string& name) const {
    const auto [found, is_new] = files_.try_emplace(name);
    if (!is_new) return found->second;
    std::ifstream in(folder_ / name);
    found->second = nlohmann::ordered_json::parse(in, nullptr, false);
    return found->second;
}

std::optional<double> DocumentedResults::cell(const std::string& experiment,
                                              const std::string& layer, const std::string& variant,
                                              const std::string& column) const {
    const bool is_ratio = begins_with(column, kTimes);
    const std::string name = is_ratio ? column.substr(kTimes.size()) : column;
    std::string baseline;
    std::map<std::string, Sum> ours, base;
    for (const bool of_baseline : {false, true}) {
        for (const Row& row : table(experiment)) {
            const auto value = row.find(name);
            if (row.at("variant") != (of_baseline ? baseline : variant) || value == row.end() ||
                value->second.empty() || !covers(layer, row.at("layer"))) {
                continue;
            }
            if (!of_baseline) baseline = row.at("baseline");
            Sum& sum = (of_baseline ? base : ours)[row.at("layer")];
            sum.value += std::stod(value->second);
            ++sum.count;
        }
    }
    Sum all;
    for (const auto& [of, sum] : ours) {
        if (is_ratio && base.count(of) == 0) continue;
        all.value += is_ratio ? base.at(of).mean() / sum.mean() : sum.mean();
        ++all.count;
    }
    return all.count == 0 ? std::nullopt : std::optional<double>(all.mean());
}

std::optional<double> DocumentedResults::atlas(const std::string& figure,
                                               const std::string& point) const {
    const auto& studies = json("atlas.json");
    if (!studies.is_array()) return std::nullopt;
    for (const auto& study : studies) {
        if (study.value("figure", "") != figure) continue;
        for (const auto& found : study.at("points")) {
            if (found.at("name") == point && found.contains("ours")) return found.at("ours");
        }
    }
    return std::nullopt;
}

std::optional<PaperAnswer> DocumentedResults::answer(const PaperFigure& figure,
                                                     const std::string& experiment,
                                                     const std::string& what) const {
    const auto& stored = json("reproduction.json");
    if (!stored.is_object()) return std::nullopt;
    for (const auto& row : stored.at("figures")) {
        if (row.at("id") != figure.id || row.at("stated") != figure.stated ||
            row.value("experiment", "") != experiment || row.value("what", "") != what ||
            !row.contains("ours") || !row.at("ours").is_number()) {
            continue;
        }
        PaperAnswer answer;
        answer.paper = figure;
        answer.what = what;
        answer.ours = Estimate{row.at("ours"), std::nullopt, row.value("seeds", std::size_t{1})};
        if (row.contains("half_width_95_percent")) {
            answer.ours->half_width = row.at("half_width_95_percent").get<double>();
        }
        if (row.contains("median")) answer.median = row.at("median").get<double>();
        answer.layers = row.value("layers", std::size_t{0});
        answer.remark = row.value("remark", "");
        answer.experiment = experiment;
        answer.is_other_reading = row.value("other_reading", false);
        answer.is_stored = true;
        answer.verdict = verdict_of(figure, *answer.ours);
        return answer;
    }
    return std::nullopt;
}

}  // namespace tessera
