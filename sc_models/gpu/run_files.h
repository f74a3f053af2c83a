// What a run leaves on disk.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sc_models/gpu/simulation.h"

namespace tessera {

inline constexpr int kResultSchemaVersion = 1;

/// Everything of a run that configuration and seed decide: schema version, tool, configuration and
/// its hash, kernels with their statistics, metrics, verification, violations. Two runs give the
/// same bytes.
[[nodiscard]] nlohmann::ordered_json result_json(const Config& config, const RunReport& report);

/// What the host measured: wall time, peak memory, simulation rate. Differs from run to run, so it
/// is kept apart from the result.
[[nodiscard]] nlohmann::ordered_json host_json(const RunReport& report);

/// A page of text: cycles, stalls, hits by class, services, rates, checks.
[[nodiscard]] std::string summary_text(const Config& config, const RunReport& report);

/// What is wrong with a run, a line each; empty if nothing is.
[[nodiscard]] std::string failure_text(const RunReport& report);

/// What `tessera run --dry-run` prints: kernels and how they fill the machine.
[[nodiscard]] std::string plan_text(const Config& config, const Workload& workload);

/// Writes result.json, host.json, summary.txt, config.yaml and, for each kernel, KERNEL.stats.txt
/// and .csv into `folder`; result.json last, so that its presence says the run is whole.
void write_run_files(const std::filesystem::path& folder, const Config& config,
                     const RunReport& report);

/// Reads a result.json (a file or a run's folder). Throws ConfigError if there is none or it is of
/// another schema.
[[nodiscard]] nlohmann::ordered_json read_result(const std::filesystem::path& path);

}  // namespace tessera
