#include "sc_models/energy/energy_table.h"

#include <fmt/format.h>
#include <charconv>
#include <utility>
#include <vector>

#include "sc_models/common/edit_distance.h"
#include "sc_models/config/engine/yaml_reader.h"
#include "sc_models/mechanism/mechanism_energy.h"
#include "sc_models/mechanisms/mechanisms.h"

namespace tessera {
namespace {

constexpr double kMost = 1e9;
constexpr int kDeepest = 4;  ///< maximum depth of `base` tables

/// Default bounds of a price, as factors.
struct Band {
    double low = 1, high = 1;
};

Band read_band(const ConfigNode& node) {
    node.expect_mapping("band");
    node.expect_keys("band", {"low", "high"});
    Band band;
    if (const ConfigNode* low = node.find("low")) band.low = low->as_real("band.low", 0, 1);
    if (const ConfigNode* high = node.find("high"))
        band.high = high->as_real("band.high", 1, kMost);
    return band;
}

/// Reads a number, or a mapping from size to number.
std::map<std::uint64_t, double> read_numbers(const ConfigNode& node, const std::string& path,
                                             bool sized) {
    std::map<std::uint64_t, double> numbers;
    if (!sized) {
        numbers[0] = node.as_real(path, 0, kMost);
        return numbers;
    }
    node.expect_mapping(path);
    for (const ConfigNode::Member& member : node.members) {
        std::uint64_t size = 0;
        const char* const end = member.key.data() + member.key.size();
        const auto [stop, error] = std::from_chars(member.key.data(), end, size);
        if (error != std::errc() || stop != end || size == 0) {
            throw located_error(member.key_location, path,
                                "got " + in_quotes(member.key) + ", expected a size above 0");
        }
        numbers[size] = member.value.as_real(join_path(path, member.key), 0, kMost);
    }
    return numbers;
}

/// Reads `scale`, by which the prices of this file are multiplied; 1 without it.
double read_scale(const ConfigNode& root) {
    const ConfigNode* const scale = root.find("scale");
    return scale == nullptr ? 1 : scale->as_real("scale", 0, kMost);
}

/// Reads `{pj: 1.2}`, `{mw: {256: 3, 512: 5}, low: ..., high: ...}` or `{unpriced: why}`.
EnergyPrice read_price(const ConfigNode& node, const std::string& path, std::string_view unit,
                       bool sized, const Band& band) {
    node.expect_mapping(path);
    node.expect_keys(path, {unit, "low", "high", "unpriced"});
    EnergyPrice price;
    if (const ConfigNode* why = node.find("unpriced")) {
        if (node.members.size() > 1) node.fail(path, "a price beside 'unpriced'");
        price.unpriced = why->as_text(join_path(path, "unpriced"));
        return price;
    }
    const ConfigNode* const value = node.find(unit);
    if (value == nullptr) {
        node.fail(path, fmt::format("key '{}' is missing, or 'unpriced' with the reason", unit));
    }
    for (const auto& [size, number] : read_numbers(*value, join_path(path, unit), sized)) {
        price.by_size[size] = {number, number * band.low, number * band.high};
    }
    const auto bound = [&](const char* key, double Bounded::*side) {
        const ConfigNode* const given = node.find(key);
        if (given == nullptr) return;
        const std::string where = join_path(path, key);
        for (const auto& [size, number] : read_numbers(*given, where, sized)) {
            const auto found = price.by_size.find(size);
            if (found == price.by_size.end()) {
                given->fail(where, fmt::format("no price for {}, which it bounds", size));
            }
            found->second.*side = number;
        }
    };
    bound("low", &Bounded::low);
    bound("high", &Bounded::high);
    for (const auto& [size, one] : price.by_size) {
        if (one.low > one.value || one.high < one.value) {
            node.fail(path,
                      fmt::format("got {}, expected a number from its low ({}) to its high "
                                  "({})",
                                  real_text(one.value), real_text(one.low), real_text(one.high)));
        }
    }
    return price;
}

std::vector<std::string_view> names_of_events() {
    std::vector<std::string_view> names;
    for (const EnergyEvent* event : energy_events()) names.push_back(event->name);
    return names;
}

std::vector<std::string_view> names_of_areas() {
    std::vector<std::string_view> names = {kRegisterFileArea};
    for (const Mechanism* mechanism : mechanisms()) {
        if (mechanism->energy() == nullptr) continue;
        for (const std::string_view area : mechanism->energy()->areas()) names.push_back(area);
    }
    return names;
}

EnergyTable read_table(const std::filesystem::path& file, int depth) {
    const ConfigNode root = parse_yaml_file(file.string());
    root.expect_mapping("");
    root.expect_keys("", {"description", "base", "band", "scale", "events", "areas_mm2"});
    EnergyTable table;
    if (const ConfigNode* base = root.find("base")) {
        const std::string& name = base->as_text("base");
        const std::filesystem::path below = file.parent_path() / (name + ".yaml");
        if (depth == kDeepest || !std::filesystem::exists(below)) {
            base->fail_expected("base", "a table beside this one, which does not lead back to it");
        }
        table = read_table(below, depth + 1);
    }
    table.name = file.stem().string();
    if (const ConfigNode* text = root.find("description")) {
        table.description = text->as_text("description");
    }
    Band band;
    if (const ConfigNode* given = root.find("band")) band = read_band(*given);
    const double scale = read_scale(root);
    if (const ConfigNode* events = root.find("events")) {
        events->expect_mapping("events");
        events->expect_keys("events", names_of_events());
        for (const ConfigNode::Member& member : events->members) {
            const EnergyEvent& event = *energy_event_named(member.key);
            EnergyPrice price =
                read_price(member.value, join_path("events", member.key), event.leaks ? "mw" : "pj",
                           !event.size_key.empty(), band);
            if (!is_always_on(event)) price *= scale;
            table.events[index_of(event)] = std::move(price);
        }
    }
    if (const ConfigNode* areas = root.find("areas_mm2")) {
        areas->expect_mapping("areas_mm2");
        const std::vector<std::string_view> names = names_of_areas();
        areas->expect_keys("areas_mm2", names);
        for (const std::string_view name : names) {
            const ConfigNode* const area = areas->find(name);
            if (area == nullptr) continue;
            table.areas[std::string(name)] =
                read_price(*area, join_path("areas_mm2", name), "each", true, band);
        }
    }
    return table;
}

}  // namespace

EnergyPrice& EnergyPrice::operator*=(double factor) {
    for (auto& [size, price] : by_size) {
        price = {price.value * factor, price.low * factor, price.high * factor};
    }
    return *this;
}

std::optional<Bounded> EnergyPrice::of(std::uint64_t size) const {
    const auto found = by_size.find(size);
    return found == by_size.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Bounded> EnergyTable::area(std::string_view structure, std::uint64_t size) const {
    const auto found = areas.find(structure);
    return found == areas.end() ? std::nullopt : found->second.of(size);
}

EnergyTable read_energy_table(const std::filesystem::path& file) {
    EnergyTable table = read_table(file, 0);
    for (std::size_t i = 0; i < table.events.size(); ++i) {
        const EnergyPrice& price = table.events[i];
        if (!price.by_size.empty() || !price.unpriced.empty()) continue;
        throw ConfigError(
            fmt::format("{}: events.{}: missing, expected a price or 'unpriced' with the reason",
                        file.string(), energy_events()[i]->name));
    }
    return table;
}

}  // namespace tessera
