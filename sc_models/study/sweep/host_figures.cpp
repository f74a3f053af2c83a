#include "sc_models/study/sweep/host_figures.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sc_models/common/csv.h"
#include "sc_models/common/error.h"
#include "sc_models/run/stored_results.h"

namespace tessera {

namespace fs = std::filesystem;

namespace {

/// host.json of a run; no object if it is missing or damaged, since results do not depend on it.
nlohmann::ordered_json read_any_host(const PlannedRun& run, const fs::path& folder) {
    try {
        return read_stored(folder / run.folder / "host.json", host_file());
    } catch (const ConfigError&) {
        return nullptr;
    }
}

}  // namespace

nlohmann::ordered_json read_host(const PlannedRun& run, const fs::path& folder) {
    auto host = read_any_host(run, folder);
    if (host.contains("shared_with") || host.contains("stored")) return nullptr;
    return host;
}

std::optional<std::vector<std::string>> read_unread_keys(const PlannedRun& run,
                                                         const fs::path& folder) {
    const auto host = read_any_host(run, folder);
    if (!host.is_object() || host.contains("shared_with")) return std::nullopt;
    return host.value("unread_keys", std::vector<std::string>{});
}

std::string stored_text(const std::vector<PlannedRun>& runs, const fs::path& folder) {
    const auto stored = std::count_if(runs.begin(), runs.end(), [&folder](const PlannedRun& run) {
        return read_any_host(run, folder).contains("stored");
    });
    if (stored == 0) return "";
    return fmt::format("{} of {} results are stored ones (--no-cache simulates them again)\n",
                       stored, runs.size());
}

std::string rate_text(const std::vector<PlannedRun>& runs, const fs::path& folder) {
    double instructions = 0;
    double seconds = 0;
    double slowest = 0;
    double fastest = 0;
    for (const PlannedRun& run : runs) {
        const auto host = read_host(run, folder);
        if (!host.is_object()) continue;
        const double rate = host.value("warp_instructions_per_second", 0.0);
        slowest = seconds == 0 ? rate : std::min(slowest, rate);
        fastest = std::max(fastest, rate);
        instructions += host.value("warp_instructions", 0.0);
        seconds += host.value("seconds", 0.0);
    }
    if (seconds == 0) return "";
    return fmt::format(
        "simulated {:.1f} million warp instructions in {:.0f} s of all processes, {:.2f} to {:.2f} "
        "million a second each\n",
        instructions / 1e6, seconds, slowest / 1e6, fastest / 1e6);
}

std::string host_csv(const std::vector<PlannedRun>& runs, const fs::path& folder) {
    constexpr std::array<const char*, 5> kColumns = {"seconds", "threads", "peak_memory_bytes",
                                                     "warp_instructions",
                                                     "warp_instructions_per_second"};
    std::string text = "layer,variant,seed";
    for (const char* column : kColumns) text += fmt::format(",{}", column);
    text += "\n";
    for (const PlannedRun& run : runs) {
        const auto host = read_host(run, folder);
        if (!host.is_object()) continue;
        text += fmt::format("{},{},{}", csv_text(run.layer), csv_text(run.variant), run.seed);
        for (const char* column : kColumns)
            text += "," + host.value(column, nlohmann::ordered_json()).dump();
        text += "\n";
    }
    return text;
}

}  // namespace tessera
