// Prices of events: a file of configs/energy.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "sc_models/energy/energy_event.h"

namespace tessera {

/// An estimate, and between what the right number lies.
struct Bounded {
    double value = 0, low = 0, high = 0;
};

/// The price of a kind of event: in picojoules, or in milliwatts of what leaks.
struct EnergyPrice {
    /// By the value of the key it depends on; one entry, 0, if it depends on none.
    std::map<std::uint64_t, Bounded> by_size;
    std::string unpriced;  ///< why there is none; then `by_size` is empty

    /// Nothing if the table has none for this size.
    [[nodiscard]] std::optional<Bounded> of(std::uint64_t size) const;
};

/// Structures whose areas tables give, in mm^2.
enum class EnergyArea : std::uint8_t { kRegisterFile, kLoadHistoryBuffer, kAccumulationBuffer };
inline constexpr std::array<std::string_view, 3> kEnergyAreas = {"register_file", "lhb",
                                                                 "accumulation_buffer"};

/// What events cost in one technology. Every event has a price or a reason why it has none.
struct EnergyTable {
    std::string name;         ///< of its file
    std::string description;  ///< one sentence
    std::array<EnergyPrice, kEnergyEvents> events;
    std::array<EnergyPrice, kEnergyAreas.size()> areas;  ///< mm^2 of one; empty: not known

    [[nodiscard]] const EnergyPrice& of(EnergyEvent event) const {
        return events[static_cast<std::size_t>(event)];
    }
    [[nodiscard]] const EnergyPrice& of(EnergyArea area) const {
        return areas[static_cast<std::size_t>(area)];
    }
};

/// Reads a table, and those that it builds on (`base`, a file beside it). Throws a located
/// ConfigError on keys and events that are unknown, prices that are no numbers, bounds that do not
/// enclose their price, and events without a price or a reason.
[[nodiscard]] EnergyTable read_energy_table(const std::filesystem::path& file);

}  // namespace tessera
