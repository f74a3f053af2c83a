#include "sc_models/results/sweep_plan.h"

#include <fmt/format.h>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/results/stored_studies.h"
#include "sc_models/run/run_files.h"
#include "sc_models/study/sweep_folder.h"

namespace tessera {

using Json = nlohmann::ordered_json;

void write_sweep_plan(const std::filesystem::path& folder, const SweepPlan& plan) {
    Json j;
    j["experiment"] = plan.experiment;
    j["title"] = plan.title;
    j["set"] = plan.sets;
    j["runs"] = Json::array();
    for (const PlannedRun& run : plan.runs) {
        j["runs"].push_back({{"layer", run.layer},
                             {"variant", run.variant},
                             {"baseline", run.baseline},
                             {"seed", run.seed},
                             {"folder", run.folder.string()},
                             {"config_hash", run.hash},
                             {"arguments", run.arguments}});
        for (const auto& [key, value] : run.point) j["runs"].back()["grid"][key] = value;
    }
    // Paths may contain bytes that are not UTF-8, which JSON cannot hold.
    write_file_atomically(folder / kSweepPlan,
                          j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

SweepPlan read_sweep_plan(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / kSweepPlan;
    if (!std::filesystem::exists(file)) {
        throw ConfigError(fmt::format("{}: no sweep.json, so no sweep", folder.string()));
    }
    const Json j = read_stored(file, sweep_plan_file());
    SweepPlan plan;
    plan.experiment = j.at("experiment");
    plan.title = j.at("title");
    plan.sets = j.at("set").get<std::vector<std::string>>();
    for (const auto& planned : j.at("runs")) {
        PlannedRun& run = plan.runs.emplace_back();
        run.layer = planned.at("layer");
        run.variant = planned.at("variant");
        run.baseline = planned.at("baseline");
        run.seed = planned.at("seed");
        run.folder = planned.at("folder").get<std::string>();
        run.hash = planned.at("config_hash");
        const auto grid = planned.find("grid");
        if (grid == planned.end()) continue;
        for (const auto& [key, value] : grid->items()) run.point.emplace_back(key, value);
    }
    return plan;
}

std::optional<Json> good_result(const std::filesystem::path& folder, const PlannedRun& run) {
    auto result = find_result(folder / run.folder);
    if (!result || result->at("config_hash") != run.hash || !failed_checks(*result).empty()) {
        return std::nullopt;
    }
    return result;
}

bool has_result_of_another(const std::filesystem::path& folder, const PlannedRun& run) {
    const auto result = find_result(folder / run.folder);
    return result && result->at("config_hash") != run.hash;
}

}  // namespace tessera
