#include "sc_models/results/config_differences.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "sc_models/config/engine/config_node.h"
#include "sc_models/config/engine/yaml_reader.h"

namespace tessera {
namespace {

const std::string kTo = " -> ";

std::map<std::string, std::string> flat(const ConfigNode& node, const std::string& path,
                                        std::map<std::string, std::string> found = {}) {
    for (const ConfigNode::Member& member : node.members) {
        found = flat(member.value, join_path(path, member.key), std::move(found));
    }
    if (node.kind == ConfigNode::Kind::kScalar) found[path] = node.scalar;
    return found;
}

}  // namespace

std::string ConfigDifference::text() const {
    return a + kTo + b;
}

std::optional<ConfigDifference> ConfigDifference::of_text(const std::string& key,
                                                          const std::string& text) {
    const std::size_t end = text.find(kTo);
    if (end == std::string::npos) return std::nullopt;
    return ConfigDifference{key, text.substr(0, end), text.substr(end + kTo.size())};
}

std::vector<ConfigDifference> config_differences(const std::string& a, const std::string& b) {
    const auto before = flat(parse_yaml(a, "a"), "");
    const auto after = flat(parse_yaml(b, "b"), "");
    std::vector<ConfigDifference> differences;
    const auto text = [](const std::map<std::string, std::string>& in, const std::string& key) {
        const auto found = in.find(key);
        return found == in.end() ? std::string("-") : found->second;
    };
    for (const auto& [key, value] : before) {
        if (text(after, key) != value) differences.push_back({key, value, text(after, key)});
    }
    for (const auto& [key, value] : after) {
        if (before.count(key) == 0) differences.push_back({key, "-", value});
    }
    std::sort(differences.begin(), differences.end(),
              [](const auto& x, const auto& y) { return x.key < y.key; });
    return differences;
}

double core_clock_ratio(const std::vector<ConfigDifference>& differences) {
    for (const ConfigDifference& difference : differences) {
        if (difference.key != "gpu.core_clock_mhz") continue;
        const double a = std::strtod(difference.a.c_str(), nullptr);
        const double b = std::strtod(difference.b.c_str(), nullptr);
        if (a > 0 && b > 0) return b / a;
    }
    return 1;
}

}  // namespace tessera
