#include "testbenches/tessera/table_arguments.h"

#include <fmt/format.h>
#include <filesystem>
#include <map>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/config_node.h"
#include "sc_models/run/config_catalog.h"
#include "sc_models/run/config_text.h"

namespace tessera {

void TableArguments::add_columns_to(CLI::App& command) {
    command
        .add_option("--column", columns,
                    "what a column of another name sets: width=workload.layer.width")
        ->type_name("NAME=KEY")
        ->allow_extra_args(false);
    command.add_option("--ignore", ignored, "a column that sets nothing")
        ->type_name("NAME")
        ->allow_extra_args(false);
    command.add_option("--time", time, "the column of times, if there are several")
        ->type_name("NAME");
}

std::string TableArguments::name() const {
    const std::string stem = std::filesystem::path(table).stem().string();
    return time.empty() ? stem : stem + "_" + time.substr(0, time.rfind('_'));
}

std::vector<MeasuredRow> TableArguments::read() const {
    MeasuredColumns named;
    named.ignored = {ignored.begin(), ignored.end()};
    named.time = time;
    for (const std::string& assignment : columns) {
        const std::size_t equals = assignment.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == assignment.size()) {
            throw ConfigError(
                fmt::format("--column: got {}, expected NAME=KEY (width=workload.layer.width)",
                            in_quotes(assignment)));
        }
        named.keys[assignment.substr(0, equals)] = assignment.substr(equals + 1);
    }
    return read_measured_table(table, named);
}

TablePlan plan_of_table(const std::string& name, const std::string& table,
                        std::vector<MeasuredRow> rows, const ConfigArguments& arguments,
                        VariantsOfRow variants_of) {
    const ConfigCatalog catalog;
    TablePlan plan;
    plan.rows = std::move(rows);
    ConfigSource named;  // names that do not exist are no mistake of a row
    for (const std::string& config : arguments.configs) catalog.add_to(named, config);
    std::map<std::vector<std::string>, std::size_t> known;  // by settings
    for (const MeasuredRow& row : plan.rows) {
        const auto [found, is_new] = known.emplace(row.sets, plan.studies.size());
        plan.study_of_row.push_back(found->second);
        if (!is_new) continue;
        Experiment experiment;
        experiment.name = name;
        experiment.title = table;
        experiment.base = arguments.configs;
        ConfigArguments of_row = arguments;
        of_row.sets.insert(of_row.sets.begin(), row.sets.begin(), row.sets.end());
        std::string first_variant;
        try {
            ConfigSource source;
            plan.configs.push_back(of_row.load(source));
            experiment.variants = variants_of(plan.configs.back());
            first_variant = experiment.variants.front().name;
            plan.studies.push_back(
                plan_study(fmt::format("line{:05}", row.line), experiment, of_row.sets, catalog));
        } catch (const ConfigError& error) {
            std::string what = error.what();
            const std::string variant = first_variant + ": ";  // of the planner
            if (!first_variant.empty() && what.compare(0, variant.size(), variant) == 0) {
                what.erase(0, variant.size());
            }
            if (table.empty()) throw ConfigError(what);
            throw ConfigError(fmt::format("{}:{}: {}", table, row.line, what));
        }
    }
    return plan;
}

std::optional<double> cycles_of(const Summary& summary, std::string_view variant) {
    if (summary.layers().empty()) return std::nullopt;
    const std::string& layer = summary.layers().front();
    const auto warm = summary.value(layer, variant, "warm_cycles");
    return warm ? warm : summary.value(layer, variant, "total_cycles");
}

}  // namespace tessera
