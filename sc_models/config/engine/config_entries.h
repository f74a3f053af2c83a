// Flat list of a configuration struct's keys, for printing, listing and hashing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/engine/config_visitor.h"

namespace tessera {

/// Calls `bind` of a configuration struct.
using ConfigBinder = std::function<void(ConfigVisitor&)>;

/// One key or section, in the order of the struct's `bind`.
struct ConfigEntry {
    std::string path;       ///< dotted, from the root
    std::string key;        ///< last part of the path
    std::size_t depth = 0;  ///< number of enclosing sections
    bool is_section = false;
    std::string value;    ///< YAML text of the current value; empty for sections
    std::string allowed;  ///< range or set of names, for readers
    std::string unit;     ///< from the key's suffix; empty if none
    std::string help;
    std::vector<KeyCondition> conditions;  ///< all must hold for the key to act
};

/// Every section and key with its current value.
[[nodiscard]] std::vector<ConfigEntry> config_entries(const ConfigBinder& bind);

/// config_entries() of a struct, whose values stay unchanged.
template <class Struct>
[[nodiscard]] std::vector<ConfigEntry> config_entries_of(Struct config) {
    return config_entries([&config](ConfigVisitor& v) { config.bind(v); });
}

/// Records all later uses of recorded parameters in `log`, including those of copies. `log` must
/// outlive the configuration and its copies.
void record_uses(const ConfigBinder& bind, UseLog& log);
/// Ends the record, for a copy whose reads are no uses by the machine.
void stop_recording(const ConfigBinder& bind);
/// Unit at the end of a key's name ("hit_latency_cycles": "cycles").
[[nodiscard]] std::string unit_of_key(std::string_view key);

/// Block-style YAML that reads back to the same values.
[[nodiscard]] std::string entries_to_yaml(const std::vector<ConfigEntry>& entries);

/// Formats `rows` in columns; the last column is not padded.
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

/// Aligned text with one key per line: key, value, unit, allowed values, help.
[[nodiscard]] std::string entries_to_table(const std::vector<ConfigEntry>& entries);

/// The same as paragraphs of lines of at most `width` characters, for terminals: the key with
/// default, unit and allowed values, and below it its meaning. Longer words stand alone on a line.
[[nodiscard]] std::string entries_to_paragraphs(const std::vector<ConfigEntry>& entries,
                                                std::size_t width);

/// 16 hex digits of FNV-1a over `text`.
[[nodiscard]] std::string fnv1a_hex(std::string_view text);

}  // namespace tessera
