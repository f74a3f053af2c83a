#include "sc_models/configure/value_sources.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "sc_models/config/engine/config_entries.h"

namespace tessera {
namespace {

constexpr std::string_view kDefaults = "duplo_titan_v";
constexpr std::array<std::string_view, 8> kMachine = {"gpu", "sm",  "tensor_core", "ldst",
                                                      "l1",  "noc", "l2",          "dram"};

bool is_of_machine(const std::string& key) {
    const std::string_view section = std::string_view(key).substr(0, key.find('.'));
    return std::find(kMachine.begin(), kMachine.end(), section) != kMachine.end();
}

/// Comments of configuration files, loaded on demand.
class Comments {
public:
    /// Comment after the value at `place`; empty if `place` is not a line of a file.
    std::string at(const SourceLocation& place) {
        if (place.source == nullptr || place.line == 0) return {};
        const std::vector<std::string>& lines = lines_of(*place.source);
        std::string text;
        std::size_t column = 0;
        for (std::size_t i = place.line - 1; i < lines.size(); ++i) {
            const std::size_t hash = lines[i].find(" #");
            if (hash == std::string::npos) break;
            const bool first = i + 1 == place.line;
            // A comment continues on lines without other content.
            if (!first && (hash != column || lines[i].find_first_not_of(' ') != hash + 1)) break;
            column = hash;
            if (!first) text += ' ';
            const std::size_t begin = lines[i].find_first_not_of(' ', hash + 2);
            if (begin != std::string::npos) text += lines[i].substr(begin);
        }
        return text;
    }

private:
    const std::vector<std::string>& lines_of(const std::string& path) {
        const auto [entry, is_new] = files_.try_emplace(path);
        if (is_new) {
            std::ifstream file(path);
            for (std::string line; std::getline(file, line);) entry->second.push_back(line);
        }
        return entry->second;
    }

    std::map<std::string, std::vector<std::string>> files_;
};

std::string name_of(const SourceLocation& place, const std::filesystem::path& root) {
    if (place.source == nullptr) return "default";
    if (place.line == 0) return "--set";
    const std::filesystem::path file = *place.source;
    const bool shipped = file.lexically_normal().string().rfind(root.string(), 0) == 0;
    return shipped ? file.stem().string() : file.string();
}

}  // namespace

std::vector<ValueSource> value_sources(const Config& config, const ConfigSource& source,
                                       const ConfigCatalog& catalog) {
    ConfigSource defaults;
    catalog.add_to(defaults, std::string(kDefaults));
    (void)defaults.load<Config>();
    Comments comments;
    std::vector<ValueSource> values;
    for (const ConfigEntry& entry : config_entries_of(config)) {
        if (entry.is_section || !is_of_machine(entry.path)) continue;
        const SourceLocation place = source.where(entry.path);
        const bool is_default = place.source == nullptr;
        values.push_back({entry.path, entry.value, name_of(place, catalog.root()),
                          comments.at(is_default ? defaults.where(entry.path) : place)});
    }
    return values;
}

std::string value_sources_text(const std::vector<ValueSource>& values) {
    std::vector<std::array<std::string, 4>> rows = {{"KEY", "VALUE", "FROM", "SOURCE"}};
    for (const ValueSource& value : values) {
        rows.push_back({value.key, value.value, value.from,
                        value.source.empty() ? "(none given)" : value.source});
    }
    return aligned(rows);
}

}  // namespace tessera
