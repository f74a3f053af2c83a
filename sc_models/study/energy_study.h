// The energy of runs and sweeps, by any table of prices, from the events their results have
// counted.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sc_models/energy/energy_account.h"

namespace tessera {

/// Finds the table of prices of that name.
using EnergyTables = std::function<EnergyTable(const std::string& name)>;

/// One run of a sweep: what its last kernel, as a rule the matrix product, cost.
struct EnergyRun {
    std::string layer, variant, baseline;
    EnergyAccount account;
};

/// The account of a run's result.json, priced anew by the table called `table`, or by that of the
/// run if the name is empty: of all kernels, or of the last alone. Throws ConfigError if the
/// result has no account, naming it.
[[nodiscard]] EnergyAccount energy_of_result(const std::filesystem::path& result,
                                             const EnergyTables& tables, const std::string& table,
                                             bool last_kernel);

/// The same, of the last kernel, for all runs of a sweep's plan that left a good result.
[[nodiscard]] std::vector<EnergyRun> energy_of_sweep(const std::filesystem::path& folder,
                                                     const EnergyTables& tables,
                                                     const std::string& table);

/// Every part of an account, a line each.
[[nodiscard]] std::string energy_parts_text(const EnergyAccount& account);

/// What the baselines spend where, and how each variant changes it: mean of the layers, and from
/// the sums over all layers.
[[nodiscard]] std::string energy_changes_text(const std::vector<EnergyRun>& runs);

}  // namespace tessera
