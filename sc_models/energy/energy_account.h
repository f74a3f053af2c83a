// What a run costs in energy: events times prices, each event once.
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

/// An event that happened and has no price.
struct UnpricedPart {
    EnergyCount of;
    std::string why;
};

/// Every event of a kernel, or of several, priced once.
struct EnergyAccount {
    std::string table;
    EnergyCounts counts;
    std::vector<EnergyPart> parts;       ///< in the order of EnergyEvent
    std::vector<UnpricedPart> unpriced;  ///< in no sum
    EnergySum total;                     ///< the parts added up in their order
    EnergySum on_chip;                   ///< without DRAM and what the board takes
    EnergySum storage;  ///< registers, shared memory, caches and what mechanisms add

    /// Energy of the parts of the machine called `part`.
    [[nodiscard]] EnergySum of_part(std::string_view part) const;
    /// Energy of one kind of event.
    [[nodiscard]] EnergySum of_event(EnergyEvent event) const;
};

/// Prices what was counted. Bounds of sums add up the bounds of their parts: all prices too high,
/// or all too low.
[[nodiscard]] EnergyAccount energy_account(const EnergyCounts& counts, const EnergyTable& table);

/// The account as results have it (docs/energy.md).
[[nodiscard]] nlohmann::ordered_json energy_json(const EnergyAccount& account);

/// What the account of a result counted, to be priced by another table. Throws ConfigError naming
/// `source` if it is none.
[[nodiscard]] EnergyCounts energy_counts_of(const nlohmann::ordered_json& energy,
                                            const std::string& source);

/// Adds the key figures of an account to a run's metrics: its sums, and areas and powers that
/// papers state (docs/output.md).
void add_energy_metrics(const Config& config, const EnergyTable& table,
                        const EnergyAccount& account, Cycle cycles,
                        nlohmann::ordered_json& metrics);

/// The account as a table for people: by part of the machine.
[[nodiscard]] std::string energy_text(const EnergyAccount& account);

}  // namespace tessera
