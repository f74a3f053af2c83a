// A configuration struct as a flat list of its keys: what printing, listing and hashing work on.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config_visitor.h"

namespace tessera {

/// `bind` of some configuration struct.
using ConfigBinder = std::function<void(ConfigVisitor&)>;

/// One key or section, in the order of the struct's `bind`.
struct ConfigEntry {
    std::string path;       ///< dotted, from the top
    std::string key;        ///< the last part of it
    std::size_t depth = 0;  ///< sections around it
    bool is_section = false;
    std::string value;    ///< YAML text of the current value; empty for sections
    std::string allowed;  ///< range or set of names, for people
    std::string unit;     ///< from the key's suffix; empty if it has none
    std::string help;
};

/// Every section and key with its current value.
[[nodiscard]] std::vector<ConfigEntry> config_entries(const ConfigBinder& bind);

/// The same for a struct; its values are not changed.
template <class Struct>
[[nodiscard]] std::vector<ConfigEntry> config_entries_of(Struct config) {
    return config_entries([&config](ConfigVisitor& v) { config.bind(v); });
}

/// Notes in `log` whatever of the configuration is read from now on, also through copies. It must
/// outlive the configuration and its copies.
void track_reads(const ConfigBinder& bind, ReadLog& log);
/// Marks all knobs of a section as read: by a block that keeps the whole section and will read it
/// while the machine runs.
void note_all_read(const ConfigBinder& bind);
/// The section for such a block: a copy that no longer notes reads, after noting all of them.
template <class Struct>
[[nodiscard]] Struct taken(Struct section) {
    note_all_read([&section](ConfigVisitor& v) { section.bind(v); });
    return section;
}

/// The unit that a key's name ends with ("hit_latency_cycles": "cycles").
[[nodiscard]] std::string unit_of_key(std::string_view key);

/// Block-style YAML that reads back to the same values.
[[nodiscard]] std::string entries_to_yaml(const std::vector<ConfigEntry>& entries);

/// Lines of `rows` in columns; the last is not filled up.
template <std::size_t kColumns>
[[nodiscard]] std::string aligned(const std::vector<std::array<std::string, kColumns>>& rows) {
    std::array<std::size_t, kColumns> widths{};
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i + 1 < kColumns; ++i) {
            out += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        }
        out += row.back() + '\n';
    }
    return out;
}

/// Aligned text, one key a line: key, value, unit, what is allowed, help.
[[nodiscard]] std::string entries_to_table(const std::vector<ConfigEntry>& entries);

/// 16 hex digits of FNV-1a over `text`.
[[nodiscard]] std::string fnv1a_hex(std::string_view text);

}  // namespace tessera
