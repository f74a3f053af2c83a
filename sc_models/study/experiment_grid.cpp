#include "sc_models/study/experiment_grid.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera {

ExperimentGrid read_grid(const ConfigNode& node, const std::string& path) {
    node.expect_mapping(path);
    ExperimentGrid grid;
    for (const ConfigNode::Member& member : node.members) {
        const std::string at = join_path(path, member.key);
        member.value.expect_list(at);
        if (member.value.items.empty()) member.value.fail(at, "expected at least one value");
        GridAxis axis{member.key, member.key_location, {}};
        for (const ConfigNode& item : member.value.items) {
            const std::string& text = item.as_text(at);
            if (std::any_of(axis.values.begin(), axis.values.end(),
                            [&text](const ConfigNode& other) { return other.scalar == text; })) {
                item.fail(at, fmt::format("value {} is there twice", in_quotes(text)));
            }
            axis.values.push_back(item);
        }
        grid.push_back(std::move(axis));
    }
    return grid;
}

double points_in(const ExperimentGrid& grid) {
    double points = 1;
    for (const GridAxis& axis : grid) points *= static_cast<double>(axis.values.size());
    return points;
}

std::vector<std::vector<ConfigNode::Member>> points_of(const ExperimentGrid& grid) {
    std::vector<std::vector<ConfigNode::Member>> points(1);
    for (const GridAxis& axis : grid) {
        std::vector<std::vector<ConfigNode::Member>> longer;
        for (const auto& point : points) {
            for (const ConfigNode& value : axis.values) {
                longer.push_back(point);
                longer.back().push_back({axis.key, axis.location, value});
            }
        }
        points = std::move(longer);
    }
    return points;
}

std::string name_at(const std::string& variant, const std::vector<ConfigNode::Member>& point) {
    std::string name = variant;
    for (const ConfigNode::Member& member : point) {
        name += '-';
        for (const char c : member.value.scalar) {
            name += kNameCharacters.find(c) == std::string_view::npos ? '_' : c;
        }
    }
    return name;
}

}  // namespace tessera
