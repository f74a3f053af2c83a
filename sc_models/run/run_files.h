// What a run leaves on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sc_models/run/simulation.h"

namespace tessera {

inline constexpr int kResultSchemaVersion = 1;
/// Figures over time, which a run leaves if asked to (OverTimeFile).
inline constexpr const char* kOverTimeFile = "over_time.json";

/// Everything of a run that configuration and seed decide: schema version, tool, configuration and
/// its hash, kernels with their statistics, metrics, verification, violations. Two runs give the
/// same bytes.
[[nodiscard]] nlohmann::ordered_json result_json(const Config& config, const RunReport& report);

/// What the host measured: wall time, peak memory, simulation rate. Differs from run to run, so it
/// is kept apart from the result.
[[nodiscard]] nlohmann::ordered_json host_json(const RunReport& report);

/// Whether `folder` holds the files of an earlier run, which `write_run_files` will replace. Throws
/// ConfigError naming --out if it holds a sweep, or a file that a run of `kernels` would write and
/// none has written.
bool check_run_folder(const std::filesystem::path& folder, const std::vector<std::string>& kernels);

/// Removes what runs leave in a folder of which nothing else is known to be anyone's: one of a
/// sweep's own.
void remove_run_files(const std::filesystem::path& folder);

/// Writes result.json, host.json, summary.txt, config.yaml and, for each kernel, KERNEL.stats.txt
/// and .csv into `folder`, in place of all files that an earlier run wrote there; others are left
/// alone. All are written before the first is replaced, and result.json comes last, so that its
/// presence says the run is whole.
void write_run_files(const std::filesystem::path& folder, const Config& config,
                     const RunReport& report);

/// Writes the files of the run of `config` by those of another one in `from`, which took the same
/// steps (acting_hash()): the same bytes as if it had run, but for host.json, which says what it
/// shares.
void share_run_files(const std::filesystem::path& from, const std::filesystem::path& folder,
                     const Config& config);

/// The over_time.json beside the result of a run (its file or folder); nothing if there is none.
/// Throws ConfigError as read_stored() does.
[[nodiscard]] std::optional<nlohmann::ordered_json> read_over_time(
    const std::filesystem::path& path);

/// Reads a result.json (a file or a run's folder), all of which is checked. Throws ConfigError as
/// read_stored() does.
[[nodiscard]] nlohmann::ordered_json read_result(const std::filesystem::path& path);
/// The core clock that a result's configuration has, in MHz.
[[nodiscard]] double core_clock_mhz(const nlohmann::ordered_json& result);

/// Why a run's result must not be relied on: its run was ended early, or failed checks; empty if it
/// is whole and right.
[[nodiscard]] std::string failed_checks(const nlohmann::ordered_json& result);
/// The same as a sentence about `name`, or nothing.
[[nodiscard]] std::string failed_checks_note(const std::string& name,
                                             const nlohmann::ordered_json& result);

/// The result in the folder of a run; nothing if none is there. Throws ConfigError for one that is
/// damaged or of another schema.
[[nodiscard]] std::optional<nlohmann::ordered_json> find_result(
    const std::filesystem::path& folder);

}  // namespace tessera
