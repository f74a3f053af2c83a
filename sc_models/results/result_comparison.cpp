#include "sc_models/results/result_comparison.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "sc_models/common/text_table.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/results/summary.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
using Numbers = std::vector<std::pair<std::string, double>>;

/// Collects every number in `node` with its dotted path.
void collect(const Json& node, const std::string& path, Numbers& found) {
    if (node.is_number()) found.emplace_back(path, node.get<double>());
    if (!node.is_structured()) return;
    std::size_t index = 0;
    for (const auto& [key, value] : node.items()) {
        collect(value, join_path(path, node.is_array() ? std::to_string(index) : key), found);
        ++index;
    }
}

std::vector<NumberPair> pairs(const Numbers& a, const Numbers& b) {
    std::vector<NumberPair> paired;
    std::map<std::string, std::size_t> place;
    for (const auto& [name, value] : a) {
        place[name] = paired.size();
        paired.push_back({name, value, std::nullopt});
    }
    for (const auto& [name, value] : b) {
        const auto found = place.find(name);
        if (found == place.end()) {
            paired.push_back({name, std::nullopt, value});
        } else {
            paired[found->second].b = value;
        }
    }
    return paired;
}

/// Collects the energy of each event by name; the counts follow from the statistics.
void collect_energy(const Json& energy, const std::string& path, Numbers& found) {
    for (const Json& part : energy.at("parts")) {
        found.emplace_back(fmt::format("{}.{}_uj", path, part.at("event").get<std::string>()),
                           part.at("uj").get<double>());
    }
}

Numbers statistics_of(const Json& result) {
    Numbers found;
    for (const Json& kernel : result.at("kernels")) {
        const std::string name = kernel.at("name");
        for (const auto& [key, value] : kernel.items()) {
            if (key == "energy") {
                collect_energy(value, join_path(name, key), found);
                continue;
            }
            // Both the kernel's own statistics and those of the machine start with the kernel's
            // name.
            collect(value, key == "statistics" ? name : join_path(name, key), found);
        }
    }
    return found;
}

/// Relative difference of two values, the sort key; 0 (last) if only one run has a value.
double weight(const NumberPair& pair) {
    if (!pair.a || !pair.b) return 0;
    return std::abs(*pair.a - *pair.b) / std::max(std::abs(*pair.a), std::abs(*pair.b));
}

std::string value_cell(const std::optional<double>& value) {
    if (!value) return "-";
    const bool whole = *value == std::floor(*value) && std::abs(*value) < 1e15;
    return whole ? fmt::format("{:.0f}", *value) : fmt::format("{:.4f}", *value);
}

Json json_of(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

Json json_of(const std::vector<NumberPair>& pairs) {
    Json json = Json::array();
    for (const NumberPair& pair : pairs) {
        json.push_back({{"name", pair.name},
                        {"a", json_of(pair.a)},
                        {"b", json_of(pair.b)},
                        {"change_percent", json_of(pair.change())}});
    }
    return json;
}

std::vector<std::string> cells(const NumberPair& pair) {
    return {pair.name, value_cell(pair.a), value_cell(pair.b), change_cell(pair)};
}

}  // namespace

std::optional<double> NumberPair::change() const {
    if (!a || !b) return std::nullopt;
    return percent_change(*a, *b);
}

std::string change_cell(const NumberPair& pair) {
    if (pair.a && pair.b && !pair.differs()) return "=";
    return signed_cell(pair.change(), 2);
}

ResultComparison compare_results(const Json& a, const Json& b) {
    ResultComparison comparison;
    for (const auto& [key, value] : a.items()) {
        if (key != "tool" && (!b.contains(key) || b.at(key) != value)) {
            comparison.unequal.push_back(key);
        }
    }
    for (const auto& [key, value] : b.items()) {
        if (!a.contains(key)) comparison.unequal.push_back(key);
    }
    comparison.equal = comparison.unequal.empty();
    comparison.config = config_differences(a.at("config"), b.at("config"));

    Numbers metrics_a;
    Numbers metrics_b;
    collect(a.at("metrics"), "", metrics_a);
    collect(b.at("metrics"), "", metrics_b);
    comparison.metrics = pairs(metrics_a, metrics_b);

    for (NumberPair& pair : pairs(statistics_of(a), statistics_of(b))) {
        if (pair.differs()) comparison.statistics.push_back(std::move(pair));
    }
    std::stable_sort(
        comparison.statistics.begin(), comparison.statistics.end(),
        [](const NumberPair& x, const NumberPair& y) { return weight(x) > weight(y); });
    return comparison;
}

std::string comparison_text(const ResultComparison& comparison, std::size_t statistics) {
    std::string text;
    if (comparison.config.empty()) {
        text += "same configuration\n";
    } else {
        text += "configuration:\n";
        for (const ConfigDifference& difference : comparison.config)
            text += fmt::format("  {}: {}\n", difference.key, difference.text());
        const double clock = core_clock_ratio(comparison.config);
        if (clock != 1) {
            text += fmt::format("a cycle of B takes {:.4g} times as long as one of A\n", 1 / clock);
        }
    }

    TextTable metrics({"metric", "A", "B", "change %"});
    for (const NumberPair& pair : comparison.metrics) metrics.add(cells(pair));
    text += "\n" + metrics.str();

    if (comparison.statistics.empty()) return text + "\nall statistics are equal\n";
    TextTable table({"statistic", "A", "B", "change %"});
    const std::size_t shown = std::min(statistics, comparison.statistics.size());
    for (std::size_t i = 0; i < shown; ++i) table.add(cells(comparison.statistics[i]));
    text += fmt::format("\n{} statistics differ", comparison.statistics.size());
    if (shown < comparison.statistics.size()) {
        text += fmt::format(", the largest {} (--all prints all)", shown);
    }
    return text + ":\n" + table.str();
}

Json comparison_json(const ResultComparison& comparison) {
    Json settings = Json::array();
    for (const ConfigDifference& difference : comparison.config) {
        settings.push_back({{"key", difference.key}, {"a", difference.a}, {"b", difference.b}});
    }
    return {{"equal", comparison.equal},
            {"unequal", comparison.unequal},
            {"core_clock_ratio", core_clock_ratio(comparison.config)},
            {"settings", std::move(settings)},
            {"metrics", json_of(comparison.metrics)},
            {"statistics", json_of(comparison.statistics)}};
}

}  // namespace tessera
