#include "sc_models/run/run_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/version_info.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/foreign_models.h"
#include "sc_models/run/run_page.h"
#include "sc_models/run/stored_results.h"
#include "sc_models/sm/stall_reason.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

nlohmann::ordered_json verification_json(const VerificationReport& v) {
    nlohmann::ordered_json j;
    j["checked"] = v.checked;
    if (!v.checked) return j;
    j["outputs"] = v.outputs;
    j["mismatches"] = v.mismatches;
    j["scalar_samples"] = v.scalar_samples;
    j["scalar_mismatches"] = v.scalar_mismatches;
    if (!v.first_mismatch.empty()) j["first_mismatch"] = v.first_mismatch;
    return j;
}

/// Sampling of a kernel; its cycles are then an estimate, and its counts scaled.
nlohmann::ordered_json sample_json(const KernelResult& kernel) {
    const KernelSample& sample = *kernel.sample;
    nlohmann::ordered_json j;
    j["sampled"] = kernel.sampled();
    j["ctas"] = sample.ctas;
    j["ctas_of_a_wave"] = sample.slots;
    j["waves"] = sample.waves;
    j["skipped_waves"] = sample.skipped_waves;
    j["measured_waves"] = sample.measured_waves;
    j["simulated_cycles"] = kernel.simulated_cycles;
    j["half_width_cycles"] = sample.skipped.half_width;
    return j;
}

constexpr const char* kResult = "result.json";
constexpr const char* kFailedResult = "failed_result.json";  ///< name given by a sweep
constexpr const char* kTextEnd = ".stats.txt";
constexpr const char* kTableEnd = ".stats.csv";
/// Folder in which the files of a run are completed.
constexpr const char* kStaging = ".run.part";
constexpr const char* kReplaced = "replaced_result.json";  ///< in kStaging: result of the previous
                                                           ///< run

/// Names of the files written by a run of these kernels.
std::vector<std::string> run_file_names(const std::vector<std::string>& kernels) {
    std::vector<std::string> names = {"config.yaml", "summary.txt", "host.json", kResult};
    for (const std::string& kernel : kernels) {
        names.insert(names.end(), {kernel + kTextEnd, kernel + kTableEnd});
    }
    return names;
}

/// Files written by earlier runs in `folder`, according to their results. A run killed while it
/// moved its files left a result in the staging folder.
std::set<std::string> files_of_earlier_run(const fs::path& folder) {
    std::set<std::string> files;
    for (const fs::path& name : {fs::path(kResult), fs::path(kFailedResult),
                                 fs::path(kStaging) / kResult, fs::path(kStaging) / kReplaced}) {
        if (!fs::is_regular_file(folder / name)) continue;
        std::ifstream in(folder / name);
        const auto result = nlohmann::ordered_json::parse(in, nullptr, false);
        const bool is_ours = result.is_object() && result.contains("tool") &&
                             result["tool"].is_object() &&
                             result["tool"].value("name", nlohmann::ordered_json()) == "tessera";
        if (!is_ours) continue;
        std::vector<std::string> kernels;
        const auto found = result.find("kernels");
        if (found != result.end() && found->is_array()) {
            for (const auto& kernel : *found) {
                if (!kernel.is_object()) continue;
                const auto named = kernel.find("name");
                if (named == kernel.end() || !named->is_string()) continue;
                // A name with folders in it could remove files outside `folder`.
                const auto text = named->get<std::string>();
                if (text.find('/') == std::string::npos) kernels.push_back(text);
            }
        }
        for (const std::string& file : run_file_names(kernels)) files.insert(file);
        files.insert({kFailedResult, kOverTimeFile});
    }
    return files;
}

}  // namespace

nlohmann::ordered_json result_json(const Config& config, const RunReport& report) {
    const BuildInfo& build = build_info();
    nlohmann::ordered_json j;
    j["schema_version"] = kResultSchemaVersion;
    j["tool"] = {{"name", "tessera"},
                 {"version", build.version},
                 {"git_revision", build.git_revision},
                 {"compiler", build.compiler},
                 {"systemc", build.systemc}};
    j["workload"] = report.workload;
    j["config_hash"] = config_hash(config);
    j["seed"] = config.seed;
    j["complete"] = report.complete;
    if (config.sample.enabled) j["sampled"] = report.sampled();
    j["metrics"] = report.metrics;
    j["mechanisms"] = nlohmann::ordered_json::array();
    for (const MechanismFigure& m : report.mechanisms) {
        j["mechanisms"].push_back({{"name", m.name}, {"acted", m.acted}, {"figure", m.figure}});
    }
    if (const auto lines = foreign_models(config); !lines.empty()) j["foreign_models"] = lines;
    if (report.energy) j["energy"] = energy_json(*report.energy);
    if (!report.above_power_limit.empty()) j["above_power_limit"] = report.above_power_limit;
    j["verification"] = verification_json(report.verification);
    j["violations"] = report.violations;
    j["kernels"] = nlohmann::ordered_json::array();
    for (const KernelReport& kernel : report.kernels) {
        nlohmann::ordered_json k;
        k["name"] = kernel.result.name;
        k["cycles"] = kernel.result.cycles;
        k["launch_cycles"] = kernel.result.launch_cycles;
        k["queued_launch_cycles"] = kernel.result.queued_launch_cycles;
        if (kernel.result.sample) k["sample"] = sample_json(kernel.result);
        k["ctas"] = kernel.result.ctas;
        k["ctas_per_sm"] = kernel.result.occupancy.ctas;
        k["occupancy_limited_by"] = kernel.result.occupancy.limiter();
        for (std::size_t kind = 0; kind < kStallReasons; ++kind) {
            k["issue_slots"][std::string(kStallReasonText[kind].name)] = kernel.issue_slots[kind];
        }
        k["bound_by"] = kernel.limits.bound;
        k["percent_of_peak"] = nlohmann::ordered_json::array();
        for (const UnitShare& share : kernel.limits.shares) {
            k["percent_of_peak"].push_back(
                {{"unit", share.unit}, {"percent", share.percent}, {"peak", share.peak}});
        }
        if (kernel.energy) k["energy"] = energy_json(*kernel.energy);
        k["statistics"] = kernel.statistics;
        j["kernels"].push_back(std::move(k));
    }
    j["config"] = to_yaml(config);
    return j;
}

nlohmann::ordered_json host_json(const RunReport& report) {
    nlohmann::ordered_json j;
    j["seconds"] = report.host_seconds;
    j["threads"] = report.host_threads;
    j["peak_memory_bytes"] = report.host_peak_memory_bytes;
    j["warp_instructions"] = report.host_warp_instructions;
    j["kernel_events"] = report.host_events;
    j["warp_instructions_per_second"] =
        report.host_seconds > 0
            ? static_cast<double>(report.host_warp_instructions) / report.host_seconds
            : 0.0;
    j["build_type"] = build_info().build_type;
    if (!report.unread_keys.empty()) j["unread_keys"] = report.unread_keys;
    return j;
}

bool check_run_folder(const fs::path& folder, const std::vector<std::string>& kernels) {
    if (fs::exists(folder / "sweep.json")) {
        throw ConfigError(
            fmt::format("--out: {} holds a sweep, expected a folder for one run", folder.string()));
    }
    const std::set<std::string> earlier = files_of_earlier_run(folder);
    for (const std::string& name : run_file_names(kernels)) {
        if (earlier.count(name) == 0 && fs::exists(folder / name)) {
            throw ConfigError(fmt::format(
                "--out: {} is there and of no run, expected another folder (nothing is written)",
                (folder / name).string()));
        }
    }
    return !earlier.empty();
}

void remove_run_files(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        const auto ends_with = [&name](const std::string& end) {
            return name.size() > end.size() &&
                   name.compare(name.size() - end.size(), end.size(), end) == 0;
        };
        if (ends_with(kTextEnd) || ends_with(kTableEnd)) found.push_back(entry.path());
    }
    for (const std::string& name : run_file_names({})) found.push_back(folder / name);
    found.push_back(folder / kFailedResult);
    found.push_back(folder / kOverTimeFile);
    found.push_back(folder / kStaging / kResult);
    found.push_back(folder / kStaging / kReplaced);
    std::error_code ignored;  // the run reports files that cannot be removed when it writes them
    for (const fs::path& file : found) fs::remove(file, ignored);
}

/// Names of the kernels of a result.
static std::vector<std::string> kernels_of(const nlohmann::ordered_json& result) {
    std::vector<std::string> kernels;
    for (const auto& kernel : result.at("kernels")) kernels.push_back(kernel.at("name"));
    return kernels;
}

RunFiles run_files_of(const Config& config, const RunReport& report) {
    RunFiles files;
    for (const KernelReport& kernel : report.kernels) {
        const std::string& name = kernel.result.name;
        files.kernels.push_back(name);
        files.texts[name + kTextEnd] = kernel.statistics_text;
        files.texts[name + kTableEnd] = kernel.statistics_csv;
    }
    files.texts["config.yaml"] = run_to_yaml(config);
    files.texts["summary.txt"] = summary_text(config, report);
    files.texts["host.json"] = host_json(report).dump(2) + "\n";
    files.texts[kResult] = result_json(config, report).dump(2) + "\n";
    return files;
}

void write_run_files(const fs::path& folder, const RunFiles& files) {
    const std::set<std::string> earlier = files_of_earlier_run(folder);
    const fs::path staging = folder / kStaging;
    fs::remove_all(staging);
    make_output_folder(staging, "--out");
    try {
        for (const auto& [name, text] : files.texts) {
            if (name != kResult) write_file_atomically(staging / name, text);
        }
        write_file_atomically(staging / kResult, files.texts.at(kResult));
    } catch (...) {
        fs::remove_all(staging);
        throw;
    }
    // Invariant after a crash at any later point: result.json in the folder belongs to the files
    // beside it, and one of the two results in `staging` names the other files.
    if (fs::exists(folder / kResult)) fs::rename(folder / kResult, staging / kReplaced);
    for (const std::string& name : earlier) fs::remove(folder / name);
    for (const std::string& name : run_file_names(files.kernels)) {
        if (name != kResult) fs::rename(staging / name, folder / name);
    }
    fs::rename(staging / kResult, folder / kResult);
    fs::remove_all(staging);
}

void write_run_files(const std::vector<std::pair<fs::path, const RunFiles*>>& runs) {
    for (const auto& [folder, files] : runs) {
        remove_run_files(folder);
        for (const auto& [name, text] : files->texts) {
            if (name != kResult) write_file_atomically(folder / name, text, SyncFile::kLater);
        }
    }
    if (runs.empty()) return;
    sync_folder(runs.front().first);
    // After a power failure a result may be damaged, which its readers notice.
    for (const auto& [folder, files] : runs) {
        write_file_atomically(folder / kResult, files->texts.at(kResult), SyncFile::kLater);
    }
}

void set_configuration(RunFiles& files, const Config& config) {
    auto result = nlohmann::ordered_json::parse(files.texts.at(kResult));
    const std::string theirs = result.at("config_hash");
    const std::string ours = config_hash(config);
    result["config_hash"] = ours;
    result["seed"] = config.seed;
    result["config"] = to_yaml(config);
    files.texts[kResult] = result.dump(2) + "\n";
    files.texts["config.yaml"] = run_to_yaml(config);
    std::string& page = files.texts.at("summary.txt");
    if (const auto at = page.find(theirs); at != std::string::npos) {
        page.replace(at, theirs.size(), ours);
    }
}

void share_run_files(const fs::path& from, const fs::path& folder, const Config& config) {
    RunFiles files;
    files.kernels = kernels_of(read_result(from));
    for (const std::string& name : run_file_names(files.kernels)) {
        std::ifstream in(from / name, std::ios::binary);
        files.texts[name] = std::string{std::istreambuf_iterator<char>(in), {}};
        if (!in) throw ConfigError(fmt::format("cannot read {}", (from / name).string()));
    }
    set_configuration(files, config);
    const nlohmann::ordered_json host = {{"shared_with", from.lexically_relative(folder).string()},
                                         {"build_type", build_info().build_type}};
    files.texts["host.json"] = host.dump(2) + "\n";
    write_run_files(folder, files);
}

std::optional<nlohmann::ordered_json> read_over_time(const fs::path& path) {
    const fs::path file = (fs::is_directory(path) ? path : path.parent_path()) / kOverTimeFile;
    if (!fs::exists(file)) return std::nullopt;
    auto json = read_stored(file, over_time_file());
    for (const auto& figure : json.at("figures")) {
        if (figure.at("values").size() == json.at("at").size()) continue;
        throw ConfigError(fmt::format("{}: figures: {}: got {} values, expected the {} of 'at'",
                                      file.string(), figure.at("name").dump(),
                                      figure.at("values").size(), json.at("at").size()));
    }
    return json;
}

nlohmann::ordered_json read_result(const fs::path& path) {
    const fs::path file = fs::is_directory(path) ? path / kResult : path;
    auto result = read_stored(file, result_file());
    double all = 0;
    for (const auto& kernel : result.at("kernels")) all += kernel.at("cycles").get<double>();
    const auto cycles = result.at("metrics").at("cycles").get<double>();
    if (cycles > all) {
        throw ConfigError(fmt::format(
            "{}: metrics.cycles: got {:.0f}, expected at most the {:.0f} of all kernels",
            file.string(), cycles, all));
    }
    return result;
}

double core_clock_mhz(const nlohmann::ordered_json& result) {
    return stored_machine(result.at("config")).core_clock_mhz;
}

std::uint64_t number_of_sms(const nlohmann::ordered_json& result) {
    return stored_machine(result.at("config")).sms;
}

std::string failed_checks(const nlohmann::ordered_json& result) {
    std::vector<std::string> failures;
    if (!result.at("complete").get<bool>()) failures.emplace_back("it was ended early");
    const auto& violations = result.at("violations");
    if (!violations.empty()) {
        const std::string how_many =
            violations.size() == 1 ? "an invariant does not hold"
                                   : fmt::format("{} invariants do not hold", violations.size());
        failures.push_back(how_many + ": " + violations.front().get<std::string>());
    }
    const auto& checked = result.at("verification");
    const auto wrong = [&](const char* count, const char* of, const char* what) {
        if (checked.at(count) == 0) return;
        failures.push_back(fmt::format("{} of {} values {}", checked.at(count).get<std::uint64_t>(),
                                       checked.at(of).get<std::uint64_t>(), what));
    };
    if (checked.at("checked").get<bool>()) {
        wrong("mismatches", "outputs", "differ from the golden model");
        wrong("scalar_mismatches", "scalar_samples",
              "recomputed one by one differ from the golden model");
    }
    return fmt::format("{}", fmt::join(failures, "; "));
}

std::string failed_checks_note(const std::string& name, const nlohmann::ordered_json& result) {
    const std::string failures = failed_checks(result);
    if (failures.empty()) return "";
    return fmt::format("{} must not be relied on: {}.", name, failures);
}

std::optional<nlohmann::ordered_json> find_result(const fs::path& folder) {
    if (!fs::is_regular_file(folder / kResult)) return std::nullopt;
    return read_result(folder);
}

}  // namespace tessera
