#include "sc_models/report/grid_section.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sc_models/chart/heat_map.h"
#include "sc_models/page/markup.h"
#include "sc_models/report/html_page.h"

namespace tessera {
namespace {

using GridPoint = std::vector<std::pair<std::string, std::string>>;  // keys and values

/// Layers that have panels of their own; further ones count in the mean only.
constexpr std::size_t kLayerPanels = 23;

/// A variant's point of the experiment's grid: the values of its rows that are text.
GridPoint point_of(const Summary& summary, const std::string& variant) {
    const auto& rows = summary.rows();
    const auto row = std::find_if(rows.begin(), rows.end(), [&variant](const SummaryRow& one) {
        return one.variant == variant;
    });
    GridPoint point;
    if (row == rows.end()) return point;
    for (const auto& [key, value] : row->values.items()) {
        if (value.is_string()) point.emplace_back(key, value.get<std::string>());
    }
    return point;
}

/// "duplo" of "duplo-256-4"; the name itself if it does not end in the values of the point.
std::string family_of(const std::string& variant, const GridPoint& point) {
    std::size_t length = 0;  // name_at() gives each value a dash and one character for each
    for (const auto& [key, value] : point) length += 1 + value.size();
    if (length == 0 || length >= variant.size()) return variant;
    const std::size_t end = variant.size() - length;
    return variant[end] == '-' ? variant.substr(0, end) : variant;
}

/// The last `parts` parts of a key.
std::string end_of(const std::string& key, std::size_t parts) {
    std::size_t at = key.size();
    for (; parts > 0 && at != std::string::npos && at != 0; --parts) at = key.rfind('.', at - 1);
    return at == std::string::npos ? key : key.substr(at + (at < key.size() ? 1 : 0));
}

/// Each key without the sections that all of them can do without.
std::map<std::string, std::string> short_keys(const std::vector<std::string>& keys) {
    for (std::size_t parts = 1;; ++parts) {
        std::map<std::string, std::string> names;
        std::map<std::string, int> used;
        bool whole = true;
        for (const std::string& key : keys) {
            names[key] = end_of(key, parts);
            ++used[names[key]];
            whole = whole && names[key] == key;
        }
        const bool differ = std::all_of(used.begin(), used.end(),
                                        [](const auto& name) { return name.second == 1; });
        if (differ || whole) return names;
    }
}

template <class T>
void add_new(std::vector<T>& all, const T& one) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

/// All variants of one name in the experiment, by their points.
struct GridFamily {
    std::string name;
    std::map<GridPoint, std::string> variants;
    std::vector<std::pair<std::string, std::vector<std::string>>> axes;  ///< keys, their values

    void add(const std::string& variant, const GridPoint& point) {
        variants[point] = variant;
        for (const auto& [key, value] : point) {
            const auto same = [&key = key](const auto& axis) { return axis.first == key; };
            auto axis = std::find_if(axes.begin(), axes.end(), same);
            if (axis == axes.end()) axis = axes.insert(axes.end(), {key, {}});
            add_new(axis->second, value);
        }
    }
    /// Keys with several values.
    [[nodiscard]] std::vector<std::string> varied() const {
        std::vector<std::string> keys;
        for (const auto& [key, values] : axes) {
            if (values.size() > 1) keys.push_back(key);
        }
        return keys;
    }
    [[nodiscard]] const std::vector<std::string>& values(const std::string& key) const {
        return std::find_if(axes.begin(), axes.end(),
                            [&key](const auto& axis) { return axis.first == key; })
            ->second;
    }
    /// The variant that has these values; null if it was not run.
    [[nodiscard]] const std::string* at(const GridPoint& wanted) const {
        for (const auto& [point, variant] : variants) {
            const bool fits =
                std::all_of(wanted.begin(), wanted.end(), [&point = point](const auto& member) {
                    return std::find(point.begin(), point.end(), member) != point.end();
                });
            if (fits) return &variant;
        }
        return nullptr;
    }
};

std::vector<GridFamily> families_of(const Summary& summary) {
    std::vector<GridFamily> families;
    for (const SummaryVariant& variant : summary.variants()) {
        if (variant.is_baseline()) continue;
        const GridPoint point = point_of(summary, variant.name);
        if (point.empty()) continue;
        const std::string name = family_of(variant.name, point);
        auto family = std::find_if(families.begin(), families.end(),
                                   [&name](const GridFamily& one) { return one.name == name; });
        if (family == families.end()) family = families.insert(family, {name, {}, {}});
        family->add(variant.name, point);
    }
    return families;
}

/// All combinations of the values of `keys`, the last key fastest.
std::vector<GridPoint> combinations(const GridFamily& family,
                                    const std::vector<std::string>& keys) {
    std::vector<GridPoint> points(1);
    for (const std::string& key : keys) {
        std::vector<GridPoint> longer;
        for (const GridPoint& point : points) {
            for (const std::string& value : family.values(key)) {
                longer.push_back(point);
                longer.back().emplace_back(key, value);
            }
        }
        points = std::move(longer);
    }
    return points;
}

/// Draws the maps of one family.
class GridMaps {
public:
    GridMaps(const Summary& summary, std::string_view column, const GridFamily& family)
        : summary_(summary), column_(column), family_(family) {}

    [[nodiscard]] HeatMap map(const std::string& unit) const {
        const std::vector<std::string> keys = family_.varied();
        const auto names = short_keys(keys);
        HeatMap map;
        map.unit = unit;
        const std::string& across = keys.back();
        map.column_key = names.at(across);
        map.columns = family_.values(across);
        if (keys.size() == 1) {
            map.row_key = "layer";
            map.panels = {layers_down(across, map.rows)};
            return map;
        }
        const std::string& down = keys[keys.size() - 2];
        map.row_key = names.at(down);
        map.rows = family_.values(down);
        const std::vector<std::string> others(keys.begin(), keys.end() - 2);
        for (const GridPoint& at : combinations(family_, others)) {
            std::string title;
            for (const auto& [key, value] : at)
                title += fmt::format("{}{}={}", title.empty() ? "" : ", ", names.at(key), value);
            map.panels.push_back(panel(title.empty() ? mean_name() : title, at, down, across, ""));
        }
        if (!others.empty() || summary_.layers().size() < 2) return map;
        for (const std::string& layer : summary_.layers()) {
            if (map.panels.size() > kLayerPanels) break;
            map.panels.push_back(panel(layer, {}, down, across, layer));
        }
        return map;
    }

private:
    [[nodiscard]] std::string mean_name() const {
        const auto& layers = summary_.layers();
        return layers.size() == 1 ? layers.front() : fmt::format("mean of {}", layers.size());
    }
    /// A number of a layer, or the mean of all if `layer` is empty.
    [[nodiscard]] std::optional<double> number(const GridPoint& at,
                                               const std::string& layer) const {
        const std::string* const variant = family_.at(at);
        if (variant == nullptr) return std::nullopt;
        return layer.empty() ? summary_.mean(*variant, column_)
                             : summary_.value(layer, *variant, column_);
    }
    [[nodiscard]] HeatPanel layers_down(const std::string& across,
                                        std::vector<std::string>& rows) const {
        HeatPanel panel;
        const auto add = [&](const std::string& name, const std::string& layer) {
            rows.push_back(name);
            panel.values.emplace_back();
            for (const std::string& value : family_.values(across))
                panel.values.back().push_back(number({{across, value}}, layer));
        };
        for (const std::string& layer : summary_.layers()) add(layer, layer);
        if (summary_.layers().size() > 1) add(mean_name(), "");
        return panel;
    }
    [[nodiscard]] HeatPanel panel(const std::string& title, const GridPoint& at,
                                  const std::string& down, const std::string& across,
                                  const std::string& layer) const {
        HeatPanel panel{title, {}};
        for (const std::string& row : family_.values(down)) {
            panel.values.emplace_back();
            for (const std::string& column : family_.values(across)) {
                GridPoint point = at;
                point.emplace_back(down, row);
                point.emplace_back(across, column);
                panel.values.back().push_back(number(point, layer));
            }
        }
        return panel;
    }

    const Summary& summary_;
    std::string_view column_;
    const GridFamily& family_;
};

}  // namespace

std::string grid_label(const Summary& summary, const std::string& variant) {
    const GridPoint point = point_of(summary, variant);
    const std::string family = family_of(variant, point);
    if (family == variant) return variant;
    std::vector<std::string> keys;
    for (const auto& [key, value] : point) keys.push_back(key);
    const auto names = short_keys(keys);
    std::string text;
    for (const auto& [key, value] : point)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", names.at(key), value);
    return fmt::format("{} ({})", family, text);
}

std::string grid_charts(const Summary& summary, std::string_view column, const std::string& unit) {
    std::string out;
    for (const GridFamily& family : families_of(summary)) {
        if (family.varied().empty()) continue;
        const std::string chart =
            scrolling_chart(GridMaps(summary, column, family).map(unit).svg());
        if (!chart.empty()) out += markup("<h4>{} over its grid</h4>\n", family.name) + chart;
    }
    return out;
}

}  // namespace tessera
