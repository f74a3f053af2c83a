// tessera config: the configuration of a run.
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "sc_models/common/error.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/configure/host_memory.h"
#include "sc_models/configure/value_sources.h"
#include "sc_models/gpu/gpu.h"
#include "sc_models/gpu/hierarchy.h"
#include "tools/tessera/commands.h"

namespace tessera {
namespace {

struct ConfigCommandArguments {
    ConfigArguments config;
    bool print = false, names = false, sources = false, json = false;
    bool hierarchy = false, all = false;
    std::string list;  ///< which keys; empty: all
};

using Json = nlohmann::ordered_json;

/// Short names by kind.
Json names_json() {
    const ConfigCatalog catalog;
    Json json;
    for (const char* folder : {"gpus", "mechanisms", "layers", "experiments"}) {
        json[folder] = catalog.names(folder);
    }
    Json& layers = json["layers of networks"] = Json::array();
    for (const std::string& network : catalog.names("networks")) {
        for (std::string& layer : catalog.layers(network)) layers.push_back(std::move(layer));
    }
    return json;
}

std::string names_text() {
    std::string text;
    const Json all = names_json();
    for (const auto& [folder, names] : all.items()) {
        text += folder + ":\n";
        for (const Json& name : names) text += "  " + name.get<std::string>() + "\n";
    }
    return text;
}

Json keys_json(const std::string& wanted) {
    Json json = Json::array();
    for (const ConfigEntry& entry : find_config_keys(wanted)) {
        json.push_back({{"key", entry.path},
                        {"default", entry.value},
                        {"unit", entry.unit},
                        {"allowed", entry.allowed},
                        {"meaning", entry.help}});
    }
    return json;
}

Json sources_json(const std::vector<ValueSource>& values) {
    Json json = Json::array();
    for (const ValueSource& value : values) {
        json.push_back({{"key", value.key},
                        {"value", value.value},
                        {"from", value.from},
                        {"source", value.source}});
    }
    return json;
}

/// The modules of a machine and their links.
std::string hierarchy_of(const Config& config, const ConfigSource& source, bool all) {
    check_host_memory(config, source);
    StatGroup statistics("gpu");
    const Gpu gpu("gpu", config, statistics, {});
    return hierarchy_text(all ? HierarchyExtent::kAll : HierarchyExtent::kFirstOfEach);
}

/// The text that the options request.
std::string answer(const ConfigCommandArguments& arguments, bool list) {
    const auto text_of = [](const Json& json) { return json.dump(2) + "\n"; };
    if (arguments.names && !arguments.json) return names_text();
    if (arguments.names) {
        Json json = names_json();
        json["folder"] = ConfigCatalog().root().string();
        return text_of(json);
    }
    if (list) {
        return arguments.json ? text_of(keys_json(arguments.list))
                              : list_config_keys(arguments.list, terminal_width());
    }
    ConfigSource source;
    const Config config = arguments.config.load(source);
    if (arguments.hierarchy) return hierarchy_of(config, source, arguments.all);
    if (!arguments.sources) {
        return fmt::format("# hash {}\n{}", config_hash(config), effective_yaml(config));
    }
    const std::vector<ValueSource> sources = value_sources(config, source, ConfigCatalog());
    return arguments.json ? text_of(sources_json(sources)) : value_sources_text(sources);
}

}  // namespace

void add_config_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand("config", "Check, print or explain a configuration");
    auto arguments = std::make_shared<ConfigCommandArguments>();
    arguments->config.add_to(*command);
    auto* print = command->add_flag("--print", arguments->print,
                                    "print the effective configuration as YAML (the default)");
    auto* list =
        command
            ->add_option("--list", arguments->list,
                         "print every key with its default, unit, range and meaning; with PATTERN "
                         "those of that section (duplo, dram), or with it in name or meaning")
            ->expected(0, 1)
            ->type_name("[PATTERN]");
    auto* names = command->add_flag("--names", arguments->names,
                                    "print the configurations that have a short name");
    auto* sources = command->add_flag("--sources", arguments->sources,
                                      "print every value of the machine and where it is from: a "
                                      "paper, a measurement, a choice");
    auto* hierarchy = command->add_flag(
        "--hierarchy", arguments->hierarchy,
        "print the SystemC modules of the machine with their sockets, ports and what is bound");
    command
        ->add_flag("--all", arguments->all,
                   "with --hierarchy: each of the siblings that differ only in their number")
        ->needs(hierarchy);
    names->excludes(print)->excludes(list)->excludes(sources)->excludes(hierarchy);
    list->excludes(print)->excludes(sources)->excludes(hierarchy);
    sources->excludes(print)->excludes(hierarchy);
    hierarchy->excludes(print);
    for (const char* option : {"CONFIG", "--set"}) {  // these options use no configuration
        names->excludes(command->get_option(option));
        list->excludes(command->get_option(option));
    }
    command
        ->add_flag("--json", arguments->json,
                   "the answer of --list, --names or --sources as JSON, for programs")
        ->excludes(print)
        ->excludes(hierarchy);
    command->callback([arguments, list, &code] {
        if (arguments->json && !arguments->names && !arguments->sources && list->count() == 0) {
            throw ConfigError("--json: has nothing to act on without --list, --names or --sources");
        }
        print_text("{}", answer(*arguments, list->count() > 0));
        code = 0;
    });
}

}  // namespace tessera
