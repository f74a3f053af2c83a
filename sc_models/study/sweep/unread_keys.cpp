#include "sc_models/study/sweep/unread_keys.h"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sc_models/common/error.h"
#include "sc_models/configure/config_use.h"
#include "sc_models/study/sweep/host_figures.h"

namespace tessera {
namespace {

/// Use of a key in the runs that set it.
struct Use {
    bool is_set = false, is_read = false;
};

Use use_of(const std::string& set, const std::string& key, const std::vector<PlannedRun>& runs,
           const std::filesystem::path& folder) {
    Use use;
    for (const PlannedRun& run : runs) {
        const auto& arguments = run.arguments;
        if (std::find(arguments.begin(), arguments.end(), set) == arguments.end()) continue;
        const auto unread = read_unread_keys(run, folder);
        if (!unread) continue;  // shares another run's result, which records the use
        use.is_set = true;
        if (std::find(unread->begin(), unread->end(), key) == unread->end()) return {true, true};
    }
    return use;
}

}  // namespace

void refuse_unread(const std::vector<std::string>& sets, const std::vector<PlannedRun>& runs,
                   const std::filesystem::path& folder) {
    for (const std::string& set : sets) {
        const std::string key = set.substr(0, set.find('='));
        const Use use = use_of(set, key, runs, folder);
        if (!use.is_set || use.is_read) continue;
        throw ConfigError(fmt::format(
            "--set {}: got a key that has no effect in any of the runs: {}", set, what_acts(key)));
    }
}

}  // namespace tessera
