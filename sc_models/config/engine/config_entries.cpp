#include "sc_models/config/engine/config_entries.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sc_models/common/edit_distance.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera {

namespace {

/// A double-quoted YAML scalar.
std::string yaml_text(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            out += "\\x";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string integer_range(std::uint64_t min, std::uint64_t max) {
    if (max == std::numeric_limits<std::uint64_t>::max()) return std::to_string(min) + "..2^64-1";
    return std::to_string(min) + ".." + std::to_string(max);
}

class EntryCollector final : public ConfigVisitor {
public:
    std::vector<ConfigEntry> entries;

private:
    void begin_section(std::string_view key, std::string_view help) override {
        ConfigEntry& entry = add(key, {}, {}, help);
        entry.is_section = true;
        entry.unit.clear();
        sections_.push_back({entry.path, entry.conditions});
    }
    void end_section() override { sections_.pop_back(); }
    void visit_condition(const KeyCondition& condition) override { next_.push_back(condition); }
    void visit_integer(std::string_view key, std::uint64_t& value, std::uint64_t min,
                       std::uint64_t max, std::string_view help) override {
        add(key, std::to_string(value), integer_range(min, max), help);
    }
    void visit_integer_or(std::string_view key, std::uint64_t& value, std::uint64_t min,
                          std::uint64_t max, std::string_view word, std::uint64_t stand_for,
                          std::string_view help) override {
        add(key, value == stand_for ? std::string(word) : std::to_string(value),
            integer_range(min, max) + " or " + std::string(word), help);
    }
    void visit_real(std::string_view key, double& value, double min, double max,
                    std::string_view help) override {
        add(key, real_text(value), real_text(min) + ".." + real_text(max), help);
    }
    void visit_real_or(std::string_view key, double& value, double min, double max,
                       std::string_view word, double stand_for, std::string_view help) override {
        add(key, value == stand_for ? std::string(word) : real_text(value),
            real_text(min) + ".." + real_text(max) + " or " + std::string(word), help);
    }
    void visit_boolean(std::string_view key, bool& value, std::string_view help) override {
        add(key, value ? "on" : "off", "{on, off}", help);
    }
    void visit_choice(std::string_view key, std::size_t& index,
                      const std::vector<std::string_view>& labels, std::string_view help) override {
        add(key, std::string(labels.at(index)), braced_list(labels), help);
    }
    void visit_text(std::string_view key, std::string& value, std::string_view help) override {
        add(key, yaml_text(value), "text", help);
    }
    void visit_text_map(std::string_view key,
                        std::vector<std::pair<std::string, std::string>>& value,
                        std::string_view help) override {
        std::string text = "{";
        for (const auto& [name, content] : value) {
            if (text.size() > 1) text += ", ";
            text += yaml_text(name) + ": " + yaml_text(content);
        }
        add(key, text + "}", "{name: text, ...}", help);
    }

    ConfigEntry& add(std::string_view key, std::string value, std::string allowed,
                     std::string_view help) {
        ConfigEntry entry;
        if (!sections_.empty()) {
            entry.path = sections_.back().path;
            entry.conditions = sections_.back().conditions;
        }
        entry.path = join_path(entry.path, key);
        entry.conditions.insert(entry.conditions.end(), next_.begin(), next_.end());
        next_.clear();
        entry.key = key;
        entry.depth = sections_.size();
        entry.value = std::move(value);
        entry.allowed = std::move(allowed);
        entry.unit = unit_of_key(key);
        entry.help = help;
        entries.push_back(std::move(entry));
        return entries.back();
    }

    struct OpenSection {
        std::string path;
        std::vector<KeyCondition> conditions;
    };
    std::vector<OpenSection> sections_;  ///< outermost first
    std::vector<KeyCondition> next_;     ///< of the next key or section
};

/// Visits every recorded parameter.
class RecordedVisitor final : public ConfigVisitor {
public:
    explicit RecordedVisitor(std::function<void(const std::string&, RecordedParameterBase&)> visit)
        : visit_(std::move(visit)) {}

private:
    void visit_recorded(std::string_view key, RecordedParameterBase& parameter) override {
        visit_(join_path(section_, key), parameter);
    }
    void begin_section(std::string_view key, std::string_view) override {
        section_ = join_path(section_, key);
    }
    void end_section() override {
        const std::size_t dot = section_.rfind('.');
        section_.resize(dot == std::string::npos ? 0 : dot);
    }
    void visit_integer(std::string_view, std::uint64_t&, std::uint64_t, std::uint64_t,
                       std::string_view) override {}
    void visit_integer_or(std::string_view, std::uint64_t&, std::uint64_t, std::uint64_t,
                          std::string_view, std::uint64_t, std::string_view) override {}
    void visit_real(std::string_view, double&, double, double, std::string_view) override {}
    void visit_real_or(std::string_view, double&, double, double, std::string_view, double,
                       std::string_view) override {}
    void visit_boolean(std::string_view, bool&, std::string_view) override {}
    void visit_choice(std::string_view, std::size_t&, const std::vector<std::string_view>&,
                      std::string_view) override {}
    void visit_text(std::string_view, std::string&, std::string_view) override {}
    void visit_text_map(std::string_view, std::vector<std::pair<std::string, std::string>>&,
                        std::string_view) override {}

    std::function<void(const std::string&, RecordedParameterBase&)> visit_;
    std::string section_;
};

}  // namespace

std::vector<ConfigEntry> config_entries(const ConfigBinder& bind) {
    EntryCollector collector;
    bind(collector);
    return std::move(collector.entries);
}

void record_uses(const ConfigBinder& bind, UseLog& log) {
    RecordedVisitor visitor([&log](const std::string& key, RecordedParameterBase& parameter) {
        parameter.record_in(log.record(key));
    });
    bind(visitor);
}

void stop_recording(const ConfigBinder& bind) {
    RecordedVisitor visitor(
        [](const std::string&, RecordedParameterBase& parameter) { parameter.record_in(nullptr); });
    bind(visitor);
}

std::string unit_of_key(std::string_view key) {
    // Longer suffixes precede those they end with.
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kUnits = {{
        {"bytes_per_cycle", "bytes/cycle"},
        {"bytes_per_clock", "bytes/clock"},
        {"sectors_per_cycle", "sectors/cycle"},
        {"cycles", "cycles"},
        {"bytes", "bytes"},
        {"kib", "KiB"},
        {"mhz", "MHz"},
        {"entries", "entries"},
        {"bits", "bits"},
        {"registers", "registers"},
        {"instructions", "instructions"},
        {"ways", "ways"},
        {"banks", "banks"},
    }};
    for (const auto& [suffix, unit] : kUnits) {
        if (key.size() < suffix.size()) continue;
        const std::size_t start = key.size() - suffix.size();
        const bool whole_words = start == 0 || key[start - 1] == '_';
        if (whole_words && key.substr(start) == suffix) return std::string(unit);
    }
    return {};
}

std::string entries_to_yaml(const std::vector<ConfigEntry>& entries) {
    std::string out;
    for (const ConfigEntry& entry : entries) {
        out.append(2 * entry.depth, ' ');
        out += entry.key + ':';
        if (!entry.is_section) out += ' ' + entry.value;
        out += '\n';
    }
    return out;
}

std::string entries_to_table(const std::vector<ConfigEntry>& entries) {
    std::vector<std::array<std::string, 5>> rows = {
        {"KEY", "DEFAULT", "UNIT", "ALLOWED", "MEANING"}};
    for (const ConfigEntry& entry : entries) {
        if (entry.is_section) continue;
        rows.push_back({entry.path, entry.value, entry.unit, entry.allowed, entry.help});
    }
    return aligned(rows);
}

/// `text` in lines of at most `width` characters, each but the first with `indent` blanks in front.
static std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        if (column != 0 && column + 1 + word.size() > width) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (column != 0) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out + '\n';
}

std::string entries_to_paragraphs(const std::vector<ConfigEntry>& entries, std::size_t width) {
    constexpr std::size_t kIndent = 4;
    std::string out;
    for (const ConfigEntry& entry : entries) {
        if (entry.is_section) continue;
        std::string head = entry.path;
        if (!entry.value.empty()) head += " = " + entry.value;
        if (!entry.unit.empty()) head += ' ' + entry.unit;
        if (!entry.allowed.empty()) head += " of " + entry.allowed;
        out += wrapped(head, width, kIndent);
        const std::string blanks(kIndent, ' ');
        out += blanks + wrapped(entry.help, width - std::min(width, kIndent), kIndent);
    }
    return out;
}

std::string fnv1a_hex(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ULL;
    }
    static constexpr char kHex[] = "0123456789abcdef";
    std::string hex;
    for (int shift = 60; shift >= 0; shift -= 4) hex += kHex[hash >> shift & 15];
    return hex;
}

}  // namespace tessera
