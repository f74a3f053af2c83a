#include "sc_models/reproduction/stored_charts.h"

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/error.h"
#include "sc_models/report/correlation.h"
#include "sc_models/reproduction/atlas.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

std::vector<CorrelatedRow> correlated_rows(const Json& rows) {
    std::vector<CorrelatedRow> found;
    for (const Json& row : rows) {
        CorrelatedRow one;
        one.measured.name = row.at("name");
        one.measured.microseconds = row.at("card_us");
        if (row.contains("model_us")) one.microseconds = row.at("model_us").get<double>();
        found.push_back(std::move(one));
    }
    return found;
}

/// All of a file. Throws ConfigError.
std::string text_of(const std::filesystem::path& file) {
    const std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file)) {
        throw ConfigError(fmt::format("{}: cannot be read", file.string()));
    }
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string chart_of(const Json& json, const std::string& figure) {
    if (json.is_object()) return correlation_svg(correlated_rows(json.at("rows")));
    std::string known;
    for (const Json& atlas : json) {
        const std::string id = atlas.at("figure");
        if (figure.empty() || id == figure) return atlas_svg(atlas);
        known += (known.empty() ? "" : ", ") + id;
    }
    throw ConfigError(fmt::format("--figure: got '{}', expected one of {{{}}}", figure, known));
}

}  // namespace

std::string stored_chart(const std::filesystem::path& file, const std::string& figure) {
    try {
        const std::string svg = chart_of(Json::parse(text_of(file)), figure);
        if (!svg.empty()) return standalone(svg);
    } catch (const Json::exception&) {
        // The next error says what is expected.
    }
    throw ConfigError(fmt::format(
        "{}: got no chart, expected the rows of a correlation.json or the figures of an atlas.json",
        file.string()));
}

}  // namespace tessera
