// Table of event prices, read from a file of configs/energy.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/energy/energy_events.h"

namespace tessera {

/// An estimate with lower and upper bound.
struct Bounded {
    double value = 0, low = 0, high = 0;
};

/// The price of a kind of event: in picojoules, or in milliwatts of hardware that is on.
struct EnergyPrice {
    /// Prices by value of the key that determines them; a single entry 0 if no key does.
    std::map<std::uint64_t, Bounded> by_size;
    std::string unpriced;  ///< reason for a missing price; then `by_size` is empty

    /// The price for this size, or nothing if the table has none.
    [[nodiscard]] std::optional<Bounded> of(std::uint64_t size) const;
    /// Multiplies all prices and their bounds.
    EnergyPrice& operator*=(double factor);
};

/// Name of the register file among the structures with an area.
inline constexpr std::string_view kRegisterFileArea = "register_file";

/// Energy prices of one technology. Every event has a price or a reason for having none.
struct EnergyTable {
    std::string name;                                         ///< file name
    std::string description;                                  ///< one sentence
    std::vector<EnergyPrice> events{energy_events().size()};  ///< by index_of(event)
    /// Areas in mm^2 per instance of the register file and of structures of mechanisms
    /// (MechanismEnergy::areas); absent: unknown.
    std::map<std::string, EnergyPrice, std::less<>> areas;

    [[nodiscard]] const EnergyPrice& of(const EnergyEvent& event) const {
        return events[index_of(event)];
    }
    /// Area of one instance of `structure` with this size; empty if unknown.
    [[nodiscard]] std::optional<Bounded> area(std::string_view structure, std::uint64_t size) const;
};

/// Reads a table and the tables that it builds on (`base`, a file beside it). `scale` of a file
/// multiplies the prices that stand in it, but for those of the card itself (is_always_on). Throws
/// a located ConfigError for unknown keys and events, prices that are no numbers, bounds that do
/// not enclose their price, and events without a price or a reason.
[[nodiscard]] EnergyTable read_energy_table(const std::filesystem::path& file);

}  // namespace tessera
