#include "sc_models/run/run_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/utf8.h"
#include "sc_models/common/version_info.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/configure/equal_runs.h"
#include "sc_models/store/file_hash.h"
#include "sc_models/store/program_identity.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

/// One line for each file that the configuration names, with the hash of its content. Throws
/// ConfigError.
std::string files_text(const Config& config, TensorFile tensors) {
    const WorkloadConfig& workload = config.workload;
    std::string text;
    const auto add = [&text](std::string_view key, const std::string& file) {
        if (!file.empty()) text += fmt::format("file {} {}\n", key, hash_of_file(file));
    };
    const std::string& table = config.gpu.energy_table;
    if (table != kNoEnergyTable) add("gpu.energy_table", ConfigCatalog().energy_table(table));
    add("workload.sparse.a.file", workload.sparse.a.file);
    add("workload.sparse.b.file", workload.sparse.b.file);
    // A run refuses tensors whose content does not have workload.given.digest.
    const std::string& layer = workload.given.file;
    if (tensors == TensorFile::kByDigest && !layer.empty()) {
        text += fmt::format("file workload.given.file {}\n", workload.given.digest);
    } else {
        add("workload.given.file", layer);
    }
    return text;
}

/// Keys without those of sections that affect no result.
std::vector<std::string> acting_keys(std::vector<std::string> keys) {
    const auto has_no_effect = [](const std::string& key) {
        return key.rfind("host.", 0) == 0 || key.rfind("logging.", 0) == 0;
    };
    keys.erase(std::remove_if(keys.begin(), keys.end(), has_no_effect), keys.end());
    return keys;
}

}  // namespace

std::optional<RunStore> RunStore::of(ResultStore store, const Config& config,
                                     const std::vector<std::string>& keys,
                                     const std::vector<std::string>& refused, TensorFile tensors) {
    const std::string program = program_identity();
    if (program.empty() || !config.workload.trace.empty()) return std::nullopt;
    std::string files;
    try {
        files = files_text(config, tensors);
    } catch (const ConfigError&) {
        return std::nullopt;  // the run reports the file
    }
    std::string key = fmt::format("program {}\nschema {}\nkeys {}\nrefused {}\n{}{}", program,
                                  kResultSchemaVersion, fmt::join(acting_keys(keys), " "),
                                  fmt::join(acting_keys(refused), " "), files,
                                  hashed_yaml(acting_config(config, refused)));
    return RunStore(std::move(store), config, std::move(key));
}

RunStore::RunStore(ResultStore store, const Config& config, std::string key)
    : store_(std::move(store)), config_(config), key_(std::move(key)) {}

std::optional<StoredRun> RunStore::find() const {
    const std::optional<std::string> text = store_.find(key_);
    if (!text) return std::nullopt;
    const auto json = Json::parse(*text);
    StoredRun run;
    run.files.kernels = json.at("kernels").get<std::vector<std::string>>();
    for (const auto& [name, content] : json.at("files").items()) run.files.texts[name] = content;
    run.checks = json.at("checks");
    for (const auto& warning : json.at("warnings")) {
        run.warnings.push_back({warning.at(0), warning.at(1)});
    }
    set_configuration(run.files, config_);
    std::string& host = run.files.texts.at("host.json");
    auto host_figures = Json::parse(host);
    host_figures["stored"] = true;
    host = host_figures.dump(2) + "\n";
    return run;
}

void RunStore::keep(const StoredRun& run) const {
    Json json;
    json["kernels"] = run.files.kernels;
    json["files"] = run.files.texts;
    json["checks"] = run.checks;
    json["warnings"] = Json::array();
    for (const LoggedWarning& warning : run.warnings) {
        json["warnings"].push_back({warning.module, warning.text});
    }
    const auto result = Json::parse(run.files.texts.at("result.json"));
    const std::string title =
        fmt::format("{}, {:.0f} cycles, {}", result.at("workload").get<std::string>(),
                    result.at("metrics").at("cycles").get<double>(),
                    result.at("tool").at("git_revision").get<std::string>());
    store_.keep(key_, printable(title), json.dump());
}

}  // namespace tessera
