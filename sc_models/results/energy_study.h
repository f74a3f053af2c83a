// Energy of runs, sweeps and networks: prices the events of their results by any table of prices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sc_models/energy/energy_account.h"

namespace tessera {

/// Returns the table of prices with this name.
using EnergyTables = std::function<EnergyTable(const std::string& name)>;

/// Table of prices for the events of results.
struct EnergyPrices {
    EnergyTables tables;
    std::string table;  ///< name of the table; empty: the one of each run
};

/// Energy of a layer in one run of a variant.
struct EnergyRun {
    std::string layer, variant, baseline;
    std::uint64_t seed = 0;  ///< compared with the baseline's run of the same seed
    EnergyAccount account;
};

/// Energy of the variants of a sweep, or of a network on several machines.
struct EnergyStudy {
    std::vector<EnergyRun> runs;  ///< runs with a good result
    std::string of;               ///< kernels included: "the matrix product" or "all kernels"
    std::string note;             ///< sentence about missing results; empty: none missing
};

/// Account of all kernels of a run's result. Throws ConfigError naming `source` if it has none.
[[nodiscard]] EnergyAccount energy_of_run(const nlohmann::ordered_json& result,
                                          const std::string& source, const EnergyPrices& prices);

/// Accounts of the runs of a sweep's plan, for the kernels that its times cover (Summary::timed).
/// Throws ConfigError if no run has a good result, or if one has no account.
[[nodiscard]] EnergyStudy energy_of_sweep(const std::filesystem::path& folder,
                                          const EnergyPrices& prices);

/// Accounts of all layers of a network on each variant, counted as often as the network has them.
[[nodiscard]] EnergyStudy energy_of_network(const std::filesystem::path& folder,
                                            const EnergyPrices& prices);

/// Table of every part of an account, one line each.
[[nodiscard]] std::string energy_parts_text(const EnergyAccount& account);

/// Energy of the baselines by part, and each variant's change: the mean over layers and the change
/// of the sum. Seeds of a layer are averaged first.
[[nodiscard]] std::string energy_changes_text(const EnergyStudy& study);
/// The account of every run of a study for `tessera energy --json`.
[[nodiscard]] nlohmann::ordered_json energy_study_json(const EnergyStudy& study);

}  // namespace tessera
