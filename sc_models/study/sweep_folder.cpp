#include "sc_models/study/sweep_folder.h"

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// Checks the folder before it is created or locked; a refused one stays unchanged.
OutputFolder checked_folder(const fs::path& folder, const std::string& name) {
    refuse_other_sweep(folder, name);
    return {folder, "--out"};
}

}  // namespace

void refuse_other_sweep(const fs::path& folder, const std::string& name) {
    if (fs::exists(folder / "result.json")) {
        throw ConfigError(fmt::format("--out: {} holds a run, expected a folder for the sweep {}",
                                      folder.string(), in_quotes(name)));
    }
    std::ifstream in(folder / kSweepPlan);
    const auto plan = nlohmann::ordered_json::parse(in, nullptr, false);
    if (!plan.is_object() || !plan.contains("experiment") || plan["experiment"] == name) return;
    throw ConfigError(fmt::format("--out: {} holds the sweep {}, expected a folder for {}",
                                  folder.string(), plan["experiment"].dump(), in_quotes(name)));
}

SweepFolder::SweepFolder(const fs::path& folder, const std::string& name)
    : folder_(checked_folder(folder, name)) {
    refuse_other_sweep(path(), name);  // another command may have used the folder since the first
                                       // check
}

}  // namespace tessera
