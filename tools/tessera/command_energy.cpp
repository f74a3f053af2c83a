// tessera energy: what runs and sweeps cost, by any table of prices.
#include <fmt/format.h>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "sc_models/common/error.h"
#include "sc_models/common/standard_streams.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/results/energy_study.h"
#include "sc_models/run/run_files.h"
#include "tools/tessera/commands.h"

namespace tessera {
namespace {

struct EnergyArguments {
    std::string results, table;
    bool json = false;
};

void print_account(const nlohmann::ordered_json& json) {
    print_text("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// Prints the energy of a sweep or a network.
void print_study(const EnergyStudy& study, bool json) {
    if (json) return print_account(energy_study_json(study));
    print_text("{}", energy_changes_text(study));
}

int energy(const EnergyArguments& arguments) {
    const ConfigCatalog catalog;
    const EnergyPrices prices{[&catalog](const std::string& name) {
                                  return read_energy_table(catalog.energy_table(name));
                              },
                              arguments.table};
    const std::filesystem::path path = arguments.results;
    if (!std::filesystem::exists(path)) {
        throw ConfigError(fmt::format("{}: no such results", arguments.results));
    }
    if (std::filesystem::exists(path / "network.json")) {
        print_study(energy_of_network(path, prices), arguments.json);
    } else if (std::filesystem::exists(path / "sweep.json")) {
        print_study(energy_of_sweep(path, prices), arguments.json);
    } else {
        const auto result = read_result(path);
        const std::filesystem::path file =
            std::filesystem::is_directory(path) ? path / "result.json" : path;
        const EnergyAccount account = energy_of_run(result, file.string(), prices);
        const std::string failed = failed_checks_note("This run", result);
        if (arguments.json) {
            print_account({{"failed", failed}, {"energy", energy_json(account)}});
        } else {
            print_text("{}{}{}", failed, failed.empty() ? "" : "\n", energy_parts_text(account));
        }
    }
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_energy_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "energy",
        "What a run costs in energy, event by event, or a sweep or network against its baseline "
        "(docs/energy.md)");
    auto arguments = std::make_shared<EnergyArguments>();
    command->add_option("RESULTS", arguments->results, "folder of a run, a sweep or a network")
        ->required()
        ->type_name("");
    command
        ->add_option("--table", arguments->table,
                     "prices: a file of configs/energy by its name, or a YAML file; those of the "
                     "run if left out")
        ->type_name("TABLE");
    command->add_flag("--json", arguments->json,
                      "print the account as JSON; of a sweep or network that of each run");
    command->callback([arguments, &code] { code = energy(*arguments); });
}

}  // namespace tessera
