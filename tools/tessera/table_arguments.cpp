#include "tools/tessera/table_arguments.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "sc_models/common/edit_distance.h"
#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_node.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"

namespace tessera {
namespace {

/// Keys of a matrix product and of a layer; a row with one of a list must have all of that list.
const std::vector<std::string>& keys_of_products() {
    static const std::vector<std::string> kKeys = {"workload.gemm.m", "workload.gemm.n",
                                                   "workload.gemm.k"};
    return kKeys;
}
const std::vector<std::string>& keys_of_layers() {
    static const std::vector<std::string> kKeys = {
        "workload.layer.height",  "workload.layer.width",         "workload.layer.channels",
        "workload.layer.filters", "workload.layer.filter_height", "workload.layer.filter_width"};
    return kKeys;
}

/// Throws ConfigError on a row that lacks some sides of its product or layer: their defaults, which
/// were not measured, would be used. A configuration from a file or a model layer may supply them.
void check_whole(const std::string& table, const MeasuredRow& row,
                 const ConfigArguments& arguments) {
    for (const std::string& config : arguments.configs) {
        if (config.find('.') != std::string::npos) return;
    }
    const auto is_among = [](const std::vector<std::string>& sets, const std::string& key) {
        return std::any_of(sets.begin(), sets.end(), [&](const std::string& set) {
            return set.compare(0, key.size() + 1, key + "=") == 0;
        });
    };
    const auto of_row = [&](const std::string& key) { return is_among(row.sets, key); };
    const auto is_set = [&](const std::string& key) {
        return of_row(key) || is_among(arguments.sets, key);
    };
    for (const auto* const keys : {&keys_of_products(), &keys_of_layers()}) {
        const auto lacking = std::find_if_not(keys->begin(), keys->end(), is_set);
        if (lacking == keys->end() || std::none_of(keys->begin(), keys->end(), of_row)) continue;
        const std::vector<std::string_view> names(keys->begin(), keys->end());
        throw ConfigError(fmt::format("{}:{}: no {}, expected all of {}", table, row.line,
                                      lacking->substr(lacking->rfind('.') + 1),
                                      braced_list(names)));
    }
}

}  // namespace

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
    command.add_flag("--allow-unused", allow_unused,
                     "take keys that some runs do not read, which are refused otherwise");
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

TablePlan plan_of_table(const std::string& name, const TableArguments& of_table,
                        std::vector<MeasuredRow> rows, const ConfigArguments& arguments,
                        VariantsOfRow variants_of) {
    const std::string& table = of_table.table;
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
        check_whole(table, row, arguments);
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
            plan.studies.push_back(plan_study(fmt::format("line{:05}", row.line), experiment,
                                              of_row.sets, catalog, of_table.allow_unused));
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
