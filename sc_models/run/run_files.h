// Files that a run leaves on disk.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sc_models/run/simulation.h"

namespace tessera {

inline constexpr int kResultSchemaVersion = 1;
/// Figures over time, written on request (OverTimeFile).
inline constexpr const char* kOverTimeFile = "over_time.json";

/// Every part of a run that configuration and seed determine: schema version, tool, configuration
/// and its hash, kernels with their statistics, metrics, verification, violations. Repeated runs
/// give the same bytes.
[[nodiscard]] nlohmann::ordered_json result_json(const Config& config, const RunReport& report);

/// Host measurements: wall time, peak memory, simulation rate. They vary between runs and are
/// therefore not in the result.
[[nodiscard]] nlohmann::ordered_json host_json(const RunReport& report);

/// Whether `folder` holds the files of an earlier run, which write_run_files() will replace. Throws
/// ConfigError naming --out if it holds a sweep, or a file that a run of `kernels` would write and
/// no run has written.
bool check_run_folder(const std::filesystem::path& folder, const std::vector<std::string>& kernels);

/// Removes all files with names of run files. Use only for folders that a sweep owns.
void remove_run_files(const std::filesystem::path& folder);

/// Contents of the files that a run leaves.
struct RunFiles {
    std::vector<std::string> kernels;          ///< in launch order
    std::map<std::string, std::string> texts;  ///< by file name
};

/// Files of a run: result.json, host.json, summary.txt, config.yaml and, for each kernel,
/// KERNEL.stats.txt and .csv.
[[nodiscard]] RunFiles run_files_of(const Config& config, const RunReport& report);

/// Makes the files of a run those of the run of `config`, which takes the same steps
/// (acting_hash()). host.json stays.
void set_configuration(RunFiles& files, const Config& config);

/// Writes the files of a run into `folder`, replacing all files of an earlier run; other files
/// stay. All are written before the first is replaced, and result.json comes last, so that its
/// presence implies a complete run.
void write_run_files(const std::filesystem::path& folder, const RunFiles& files);

/// Writes the files of several runs, each into a folder that a sweep owns, and syncs them to disk
/// together. All results come last.
void write_run_files(const std::vector<std::pair<std::filesystem::path, const RunFiles*>>& runs);

/// Writes the files of the run of `config` from those of another run in `from`, which took the same
/// steps (acting_hash()). The bytes equal those of a run, except host.json, which names the shared
/// run.
void share_run_files(const std::filesystem::path& from, const std::filesystem::path& folder,
                     const Config& config);

/// over_time.json beside the result of a run (its file or folder); empty if there is none. Throws
/// ConfigError as read_stored() does.
[[nodiscard]] std::optional<nlohmann::ordered_json> read_over_time(
    const std::filesystem::path& path);

/// Reads and checks a result.json (a file or a run's folder). Throws ConfigError as read_stored()
/// does.
[[nodiscard]] nlohmann::ordered_json read_result(const std::filesystem::path& path);
/// Core clock of a result's configuration, in MHz.
[[nodiscard]] double core_clock_mhz(const nlohmann::ordered_json& result);
/// Number of SMs of a result's configuration.
[[nodiscard]] std::uint64_t number_of_sms(const nlohmann::ordered_json& result);

/// Reason why a run's result is unreliable: the run ended early or failed checks; empty if it is
/// complete and correct.
[[nodiscard]] std::string failed_checks(const nlohmann::ordered_json& result);
/// The same as a sentence about `name`; empty likewise.
[[nodiscard]] std::string failed_checks_note(const std::string& name,
                                             const nlohmann::ordered_json& result);

/// Result in the folder of a run; empty if there is none. Throws ConfigError if it is damaged or of
/// another schema.
[[nodiscard]] std::optional<nlohmann::ordered_json> find_result(
    const std::filesystem::path& folder);

}  // namespace tessera
