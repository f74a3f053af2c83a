#include "sc_models/reproduction/atlas.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>

#include "sc_models/chart/svg_chart.h"
#include "sc_models/common/text_table.h"
#include "sc_models/reproduction/paper_comparison.h"

namespace tessera {
namespace {

constexpr const char* kTowardsPaper = "#3f8cc4";
constexpr const char* kAwayFromPaper = "#c9c9c9";

/// Long lists of settings; they do not fit a column of the chart.
std::string settings_text(const AtlasPoint& point) {
    return fmt::format("{}", fmt::join(point.sets, " "));
}

}  // namespace

Atlas::Atlas(const PaperFigure& figure, const AtlasStudy& study,
             const std::vector<Summary>& summaries)
    : figure_(figure) {
    const std::vector<AtlasPoint> points = points_of(study);
    for (std::size_t i = 0; i < points.size(); ++i) {
        AtlasResult result;
        result.point = points[i];
        for (const PaperAnswer& answer : compare_with_papers({figure}, {summaries[i]}).answers) {
            if (answer.experiment != study.experiment) continue;
            what_ = answer.what;
            result.ours = answer.ours;
            result.verdict = answer.verdict;
        }
        results_.push_back(std::move(result));
    }
    const auto distance = [this](const AtlasResult& r) {
        return std::abs(moved_by(r).value_or(0));
    };
    std::stable_sort(
        results_.begin() + 1, results_.end(),
        [&](const AtlasResult& a, const AtlasResult& b) { return distance(a) > distance(b); });
}

std::optional<double> Atlas::moved_by(const AtlasResult& result) const {
    const auto& shipped = results_.front().ours;
    if (!shipped || !result.ours) return std::nullopt;
    return result.ours->mean - shipped->mean;
}

bool Atlas::carries_claim(const AtlasResult& result) const {
    return std::abs(moved_by(result).value_or(0)) > std::abs(*figure_.value);
}

std::string Atlas::text() const {
    TextTable table({"setting", "ours", "+-", "moved by", "verdict", "carries", "set", "source"});
    table.set_last_are_text(4);
    for (const AtlasResult& r : results_) {
        const auto mean = r.ours ? std::optional(r.ours->mean) : std::nullopt;
        const auto half = r.ours ? r.ours->half_width : std::nullopt;
        table.add({r.point.name, number_cell(mean, 2), half ? number_cell(half, 2) : "",
                   r.point.sets.empty() ? "" : signed_cell(moved_by(r), 2),
                   std::string(verdict_name(r.verdict)), carries_claim(r) ? "the claim" : "",
                   settings_text(r.point), r.point.source});
    }
    return fmt::format("{}: {}; the paper: {} {}\n{}", figure_.id, what_, figure_.stated,
                       figure_.unit, table.str());
}

nlohmann::ordered_json Atlas::json() const {
    nlohmann::ordered_json j;
    j["figure"] = figure_.id;
    j["what"] = what_;
    j["stated"] = figure_.stated;
    j["unit"] = figure_.unit;
    j["points"] = nlohmann::ordered_json::array();
    for (const AtlasResult& r : results_) {
        nlohmann::ordered_json point = {{"name", r.point.name}, {"set", r.point.sets}};
        if (!r.point.source.empty()) point["source"] = r.point.source;
        if (r.ours) point["ours"] = r.ours->mean;
        if (r.ours && r.ours->half_width) point["half_width_95_percent"] = *r.ours->half_width;
        if (const auto moved = moved_by(r)) point["moved_by"] = *moved;
        point["verdict"] = verdict_name(r.verdict);
        point["carries_claim"] = carries_claim(r);
        j["points"].push_back(std::move(point));
    }
    return j;
}

std::string Atlas::svg() const {
    return results_.front().ours ? atlas_svg(json()) : "";
}

std::string atlas_svg(const nlohmann::ordered_json& figure) {
    TornadoChart chart;
    const std::string unit = figure.at("unit");
    chart.unit = unit.rfind("percent", 0) == 0 ? "%" : unit;
    const double stated =
        nlohmann::json::parse(figure.at("stated").get<std::string>()).get<double>();
    chart.paper = stated;
    const auto& points = figure.at("points");
    chart.from = points.at(0).at("ours");
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (!points[i].contains("ours")) continue;
        const double ours = points[i].at("ours");
        const bool towards = (ours - chart.from) * (stated - chart.from) > 0;
        chart.bars.push_back(
            {points[i].at("name"), towards ? kTowardsPaper : kAwayFromPaper, ours});
    }
    return chart.svg();
}

}  // namespace tessera
