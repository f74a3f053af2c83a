// The energy of runs, sweeps and networks, by any table of prices, from the events their results
// have counted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/energy/energy_account.h"

namespace tessera {

/// Finds the table of prices of that name.
using EnergyTables = std::function<EnergyTable(const std::string& name)>;

/// Prices the events of results anew.
struct EnergyPrices {
    EnergyTables tables;
    std::string table;  ///< by which; empty: that of each run
};

/// What a layer cost in one run of a variant.
struct EnergyRun {
    std::string layer, variant, baseline;
    std::uint64_t seed = 0;  ///< compared with the run of the baseline that has the same
    EnergyAccount account;
};

/// What the variants of a sweep, or a network on machines, cost.
struct EnergyStudy {
    std::vector<EnergyRun> runs;  ///< those with a good result
    std::string of;               ///< which kernels: "the matrix product" or "all kernels"
    std::string note;             ///< what is missing, a sentence; empty: nothing
};

/// The account of all kernels of a run's result. Throws ConfigError if it has none, naming
/// `source`.
[[nodiscard]] EnergyAccount energy_of_run(const nlohmann::ordered_json& result,
                                          const std::string& source, const EnergyPrices& prices);

/// The same for the runs of a sweep's plan: of the kernels that its times are of (Summary::timed).
/// Throws ConfigError if no run has a good result, or one of them no account.
[[nodiscard]] EnergyStudy energy_of_sweep(const std::filesystem::path& folder,
                                          const EnergyPrices& prices);

/// The same for all layers of a network on its machine and mechanisms, as often as it has them.
[[nodiscard]] EnergyStudy energy_of_network(const std::filesystem::path& folder,
                                            const EnergyPrices& prices);

/// Every part of an account, a line each.
[[nodiscard]] std::string energy_parts_text(const EnergyAccount& account);

/// What the baselines spend where, and how each variant changes it: mean of the layers, and from
/// the sums over all layers. Seeds of a layer are averaged first.
[[nodiscard]] std::string energy_changes_text(const EnergyStudy& study);

}  // namespace tessera
