// tessera config: what a run would be configured with.
#include <fmt/format.h>
#include <memory>

#include "sc_models/run/config_catalog.h"
#include "sc_models/run/config_text.h"
#include "sc_models/run/value_sources.h"
#include "testbenches/tessera/commands.h"

namespace tessera {
namespace {

struct ConfigCommandArguments {
    ConfigArguments config;
    bool print = false, names = false, sources = false;
    std::string list;  ///< which keys; empty: all
};

void print_names() {
    const ConfigCatalog catalog;
    for (const char* folder : {"gpus", "mechanisms", "layers", "experiments"}) {
        fmt::print("{}:\n", folder);
        for (const std::string& name : catalog.names(folder)) fmt::print("  {}\n", name);
    }
    fmt::print("layers of networks:\n");
    for (const std::string& network : catalog.names("networks")) {
        for (const std::string& layer : catalog.layers(network)) fmt::print("  {}\n", layer);
    }
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
    names->excludes(print)->excludes(list)->excludes(sources);
    list->excludes(print)->excludes(sources);
    sources->excludes(print);
    for (const char* option : {"CONFIG", "--set"}) {  // neither looks at a configuration
        names->excludes(command->get_option(option));
        list->excludes(command->get_option(option));
    }
    command->callback([arguments, list, &code] {
        if (arguments->names) {
            print_names();
        } else if (list->count() > 0) {
            fmt::print("{}", list_config_keys(arguments->list));
        } else {
            ConfigSource source;
            const Config config = arguments->config.load(source);
            if (arguments->sources) {
                fmt::print("{}",
                           value_sources_text(value_sources(config, source, ConfigCatalog())));
                code = 0;
                return;
            }
            fmt::print("# hash {}\n{}", config_hash(config), run_to_yaml(config));
        }
        code = 0;
    });
}

}  // namespace tessera
