#include "sc_models/study/network_study/network_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/common/output_file.h"
#include "sc_models/common/utf8.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/store/file_hash.h"
#include "sc_models/store/program_identity.h"

namespace tessera {

namespace fs = std::filesystem;

void to_json(nlohmann::ordered_json& json, const NetworkLayer& layer) {
    json = {{"name", layer.name},
            {"node", layer.node},
            {"operation", layer.operation},
            {"shape", layer.shape},
            {"type", layer.type},
            {"is_product", layer.is_product},
            {"is_matrices", layer.is_matrices},
            {"flop", layer.flop},
            {"has_unknown_flop", layer.has_unknown_flop},
            {"bytes", layer.bytes},
            {"zeros_a", layer.zeros_a},
            {"zeros_b", layer.zeros_b},
            {"refused", layer.refused},
            {"reasons", layer.reasons}};
    auto& runs = json["runs"] = nlohmann::ordered_json::array();
    for (const auto& run : layer.runs) {
        runs.push_back(run ? nlohmann::ordered_json(*run) : nlohmann::ordered_json());
    }
}

void from_json(const nlohmann::ordered_json& json, NetworkLayer& layer) {
    json.at("name").get_to(layer.name);
    json.at("node").get_to(layer.node);
    json.at("operation").get_to(layer.operation);
    json.at("shape").get_to(layer.shape);
    json.at("type").get_to(layer.type);
    json.at("is_product").get_to(layer.is_product);
    json.at("is_matrices").get_to(layer.is_matrices);
    json.at("flop").get_to(layer.flop);
    json.at("has_unknown_flop").get_to(layer.has_unknown_flop);
    json.at("bytes").get_to(layer.bytes);
    json.at("zeros_a").get_to(layer.zeros_a);
    json.at("zeros_b").get_to(layer.zeros_b);
    json.at("refused").get_to(layer.refused);
    json.at("reasons").get_to(layer.reasons);
    for (const auto& run : json.at("runs")) {
        layer.runs.push_back(run.is_null() ? std::nullopt : std::optional(run.get<std::size_t>()));
    }
}

void to_json(nlohmann::ordered_json& json, const PlannedRun& run) {
    json = {{"layer", run.layer}, {"variant", run.variant},        {"baseline", run.baseline},
            {"seed", run.seed},   {"folder", run.folder.string()}, {"arguments", run.arguments},
            {"hash", run.hash},   {"acting", run.acting},          {"work", run.work},
            {"kind", run.kind},   {"has_threads", run.has_threads}};
}

void from_json(const nlohmann::ordered_json& json, PlannedRun& run) {
    json.at("layer").get_to(run.layer);
    json.at("variant").get_to(run.variant);
    json.at("baseline").get_to(run.baseline);
    json.at("seed").get_to(run.seed);
    run.folder = json.at("folder").get<std::string>();
    json.at("arguments").get_to(run.arguments);
    json.at("hash").get_to(run.hash);
    json.at("acting").get_to(run.acting);
    json.at("work").get_to(run.work);
    json.at("kind").get_to(run.kind);
    json.at("has_threads").get_to(run.has_threads);
}

namespace {

using Json = nlohmann::ordered_json;

/// Stands for the study's folder in the store; no folder has this name.
constexpr const char* kAnyFolder = "\n";

/// Replaces `from` by `to` wherever it stands before a layer's file.
void move_paths(PlannedNetwork& planned, const fs::path& from, const fs::path& to) {
    const std::string before = (from / "layers/").string(), after = (to / "layers/").string();
    const auto move = [&](std::string& text) {
        for (std::size_t at = text.find(before); at != std::string::npos;
             at = text.find(before, at + after.size())) {
            text.replace(at, before.size(), after);
        }
    };
    for (NetworkLayer& layer : planned.layers) {
        move(layer.refused);
        std::for_each(layer.reasons.begin(), layer.reasons.end(), move);
    }
    for (PlannedRun& run : planned.runs) {
        std::for_each(run.arguments.begin(), run.arguments.end(), move);
    }
}

/// Path of a file that a model names relative to its folder.
std::string file_beside(const std::string& model, const std::string& file) {
    return (fs::path(model).parent_path() / file).string();
}

std::string key_of(const NetworkStudy& study, const NetworkOrigin& origin,
                   const std::string& program) {
    std::string key = fmt::format("network {}\nprogram {}\nschema {}\nmodel {}\noptions {}\n",
                                  study.name(), program, kResultSchemaVersion,
                                  hash_of_file(origin.model), fmt::join(origin.options, " "));
    for (const std::string& file : origin.files) key += "input " + hash_of_file(file) + "\n";
    key += fmt::format("seeds {}\n", fmt::join(study.seeds(), " "));
    for (const NetworkVariant& variant : study.variants()) {
        key += fmt::format("variant {} {} {}\n{}", variant.name, fmt::join(variant.configs, " "),
                           fmt::join(variant.sets, " "), hashed_yaml(config_of(variant)));
    }
    return key;
}

}  // namespace

std::optional<NetworkStore> NetworkStore::of(ResultStore store, const NetworkStudy& study,
                                             const NetworkOrigin& origin) {
    const std::string program = program_identity();
    if (program.empty()) return std::nullopt;
    try {
        return NetworkStore(std::move(store), study, origin.model, key_of(study, origin, program));
    } catch (const ConfigError&) {
        return std::nullopt;  // the study reports the file
    }
}

NetworkStore::NetworkStore(ResultStore store, const NetworkStudy& study, std::string model,
                           std::string key)
    : store_(std::move(store)),
      out_(study.out()),
      name_(study.name()),
      model_(std::move(model)),
      key_(std::move(key)) {}

std::optional<StoredRun> NetworkStore::result_of(const PlannedRun& run,
                                                 const PlannedNetwork& planned,
                                                 const ConfigCatalog& catalog) const {
    ConfigSource source;
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
        const std::string& argument = run.arguments[i];
        const auto file = planned.files.find(fs::path(argument).lexically_relative(out_).string());
        if (argument == "--set") {
            source.add_set(run.arguments[++i]);
        } else if (file != planned.files.end()) {
            source.add_text(file->second, argument);
        } else {
            catalog.add_to(source, argument);
        }
    }
    const Config config = load_config(source);
    const auto store = RunStore::of(store_, config, source.user_keys(), {}, TensorFile::kByDigest);
    return store ? store->find() : std::nullopt;
}

std::optional<StoredNetwork> NetworkStore::find() const {
    const std::optional<std::string> text = store_.find(key_);
    if (!text) return std::nullopt;
    const auto json = Json::parse(*text);
    StoredNetwork stored;
    try {
        for (const auto& [file, hash] : json.at("external").items()) {
            if (hash_of_file(file_beside(model_, file)) != hash) return std::nullopt;
        }
        json.at("layers").get_to(stored.planned.layers);
        json.at("runs").get_to(stored.planned.runs);
        for (const auto& [file, layer] : json.at("files").items()) {
            stored.planned.files[file] = layer;
        }
        json.at("notes").get_to(stored.notes);
        move_paths(stored.planned, kAnyFolder, out_);
        const ConfigCatalog catalog;
        for (const PlannedRun& run : stored.planned.runs) {
            std::optional<StoredRun> result = result_of(run, stored.planned, catalog);
            if (!result) return std::nullopt;
            stored.results.push_back(*std::move(result));
        }
    } catch (const ConfigError&) {
        return std::nullopt;  // the study reports it
    }
    return stored;
}

void NetworkStore::keep(const PlannedNetwork& planned, const std::set<std::string>& external,
                        const std::vector<std::string>& notes) const {
    PlannedNetwork anywhere = planned;
    move_paths(anywhere, out_, kAnyFolder);
    Json json;
    json["external"] = Json::object();
    for (const std::string& file : external) {
        json["external"][file] = hash_of_file(file_beside(model_, file));
    }
    json["layers"] = anywhere.layers;
    json["runs"] = anywhere.runs;
    json["files"] = anywhere.files;
    json["notes"] = notes;
    store_.keep(key_, printable(fmt::format("network {}, {} layers", name_, planned.layers.size())),
                json.dump());
}

void write_stored_runs(const fs::path& out, const StoredNetwork& stored) {
    std::vector<std::pair<fs::path, const RunFiles*>> runs;
    for (std::size_t i = 0; i < stored.results.size(); ++i) {
        const fs::path folder = out / stored.planned.runs[i].folder;
        make_output_folder(folder, "--out");
        write_file_atomically(folder / "log.txt", "not run: an equal run is stored\n",
                              SyncFile::kLater);
        runs.emplace_back(folder, &stored.results[i].files);
    }
    write_run_files(runs);
}

}  // namespace tessera
