// tessera energy: what runs and sweeps cost, by any table of prices.
#include <fmt/format.h>
#include <filesystem>
#include <memory>

#include "sc_models/common/error.h"
#include "sc_models/run/config_catalog.h"
#include "sc_models/study/energy_study.h"
#include "testbenches/tessera/commands.h"

namespace tessera {
namespace {

struct EnergyArguments {
    std::string results, table;
};

int energy(const EnergyArguments& arguments) {
    const ConfigCatalog catalog;
    const EnergyTables tables = [&catalog](const std::string& name) {
        return read_energy_table(catalog.energy_table(name));
    };
    const std::filesystem::path path = arguments.results;
    if (!std::filesystem::exists(path)) {
        throw ConfigError(fmt::format("{}: no such results", arguments.results));
    }
    if (std::filesystem::exists(path / "sweep.json")) {
        fmt::print("{}", energy_changes_text(energy_of_sweep(path, tables, arguments.table)));
    } else {
        fmt::print("{}", energy_parts_text(energy_of_result(path, tables, arguments.table, false)));
    }
    return static_cast<int>(ExitCode::kGood);
}

}  // namespace

void add_energy_command(CLI::App& app, int& code) {
    auto* command = app.add_subcommand(
        "energy", "What a run or a sweep costs in energy, event by event (docs/energy.md)");
    auto arguments = std::make_shared<EnergyArguments>();
    command->add_option("RESULTS", arguments->results, "folder of a run or a sweep")
        ->required()
        ->type_name("");
    command
        ->add_option("--table", arguments->table,
                     "prices: a file of configs/energy by its name, or a YAML file; those of the "
                     "run if left out")
        ->type_name("TABLE");
    command->callback([arguments, &code] { code = energy(*arguments); });
}

}  // namespace tessera
