// Energy account of a run: event counts times prices, each event counted once.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/energy/energy_counts.h"
#include "sc_models/energy/energy_table.h"

namespace tessera {

/// Energy in microjoules.
struct EnergySum {
    double uj = 0, low_uj = 0, high_uj = 0;

    EnergySum& operator+=(const EnergySum& more);
};

/// One line of an account.
struct EnergyPart {
    EnergyCount of;
    Bounded pj;  ///< of one event
    EnergySum energy;
};

/// An event that occurred and has no price.
struct UnpricedPart {
    EnergyCount of;
    std::string why;
};

/// Energy of each event of one or more kernels.
struct EnergyAccount {
    std::string table;
    EnergyCounts counts;
    std::vector<EnergyPart> parts;       ///< in the order of energy_events()
    std::vector<UnpricedPart> unpriced;  ///< excluded from all sums
    EnergySum total;                     ///< the parts added up in their order
    EnergySum on_chip;                   ///< without DRAM and the board
    EnergySum storage;                   ///< registers, shared memory, caches and added mechanisms

    /// Energy of the parts of the machine called `part`.
    [[nodiscard]] EnergySum of_part(std::string_view part) const;
    /// Energy of one kind of event.
    [[nodiscard]] EnergySum of_event(const EnergyEvent& event) const;
    /// Mean power of an energy of this account, in watts; 0 without a time.
    [[nodiscard]] double watts(double uj) const;
};

/// Prices the counted events. The bounds of a sum add up the bounds of its parts: all prices too
/// high, or all too low.
[[nodiscard]] EnergyAccount energy_account(const EnergyCounts& counts, const EnergyTable& table);

/// The account as JSON for result files (docs/energy.md).
[[nodiscard]] nlohmann::ordered_json energy_json(const EnergyAccount& account);

/// Reads the event counts from the account of a result, so that another table can price them.
/// Throws ConfigError naming `source` if `energy` is no account.
[[nodiscard]] EnergyCounts energy_counts_of(const nlohmann::ordered_json& energy,
                                            const std::string& source);

/// Adds the key figures of an account to a run's metrics: its sums, and the areas and powers that
/// papers report (docs/output.md).
void add_energy_metrics(const Config& config, const EnergyTable& table,
                        const EnergyAccount& account, nlohmann::ordered_json& metrics);

/// A sentence if the account's mean power is above `limit_w` (gpu.power_limit_w); otherwise empty.
[[nodiscard]] std::string above_power_limit(std::uint32_t limit_w, const EnergyAccount& account);

/// The account as a readable table, one row per part of the machine.
[[nodiscard]] std::string energy_text(const EnergyAccount& account);

}  // namespace tessera
