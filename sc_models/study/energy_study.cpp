#include "sc_models/study/energy_study.h"

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sc_models/common/error.h"
#include "sc_models/run/run_files.h"
#include "sc_models/study/summary.h"
#include "sc_models/study/text_table.h"

namespace tessera {
namespace {

/// A sum of an account that papers state changes of.
struct Column {
    const char* name;
    double (*uj)(const EnergyAccount& account);
};
constexpr Column kColumns[] = {
    {"all", [](const EnergyAccount& a) { return a.total.uj; }},
    {"on chip", [](const EnergyAccount& a) { return a.on_chip.uj; }},
    {"storage", [](const EnergyAccount& a) { return a.storage.uj; }},
};

const EnergyRun* baseline_of(const EnergyRun& run, const std::vector<EnergyRun>& runs) {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const EnergyRun& other) {
        return other.layer == run.layer && other.variant == run.baseline;
    });
    return found == runs.end() ? nullptr : &*found;
}

/// Names of what `of` says of the runs, each once, in their order.
std::vector<std::string> distinct(const std::vector<EnergyRun>& runs, std::string EnergyRun::*of) {
    std::vector<std::string> found;
    for (const EnergyRun& run : runs) {
        if (std::find(found.begin(), found.end(), run.*of) == found.end()) {
            found.push_back(run.*of);
        }
    }
    return found;
}

/// Change of a column, of the mean of layers and of their sum.
void add_changes(const std::vector<EnergyRun>& runs, const std::string& variant,
                 std::vector<std::string>& cells) {
    for (const Column& column : kColumns) {
        double changes = 0;
        double before = 0;
        double after = 0;
        std::size_t layers = 0;
        for (const EnergyRun& run : runs) {
            const EnergyRun* const base = run.variant == variant ? baseline_of(run, runs) : nullptr;
            if (base == nullptr) continue;
            const double was = column.uj(base->account);
            const auto change = percent_change(was, column.uj(run.account));
            if (!change) continue;
            changes += *change;
            before += was;
            after += column.uj(run.account);
            ++layers;
        }
        if (layers == 0) continue;
        cells.push_back(signed_cell(changes / static_cast<double>(layers)));
        cells.push_back(signed_cell(percent_change(before, after)));
    }
}

/// Shares of the parts of the machine in what the runs of a variant take together.
std::string shares_text(const std::vector<EnergyRun>& runs, const std::string& variant) {
    std::vector<std::pair<std::string_view, double>> shares;
    double total = 0;
    for (const EnergyRun& run : runs) {
        if (run.variant != variant) continue;
        total += run.account.total.uj;
        for (const EnergyPart& part : run.account.parts) {
            const std::string_view name = text_of(part.of.event).part;
            auto found = std::find_if(shares.begin(), shares.end(),
                                      [name](const auto& share) { return share.first == name; });
            if (found == shares.end()) found = shares.insert(shares.end(), {name, 0});
            found->second += part.energy.uj;
        }
    }
    std::string text = fmt::format("{}, all layers: {:.1f} uJ", variant, total);
    for (const auto& [name, uj] : shares) {
        text += fmt::format(", {} {:.1f} %", name, total > 0 ? 100 * uj / total : 0);
    }
    return text + "\n";
}

}  // namespace

EnergyAccount energy_of_result(const std::filesystem::path& result, const EnergyTables& tables,
                               const std::string& table, bool last_kernel) {
    const nlohmann::ordered_json run = read_result(result);
    const std::string source = result.string();
    const auto none = [&source] {
        return ConfigError(fmt::format(
            "{}: no energy account, expected the result of a run with gpu.energy_table", source));
    };
    const nlohmann::ordered_json* energy = nullptr;
    if (!last_kernel) {
        if (run.contains("energy")) energy = &run.at("energy");
    } else if (run.contains("kernels") && !run.at("kernels").empty() &&
               run.at("kernels").back().contains("energy")) {
        energy = &run.at("kernels").back().at("energy");
    }
    if (energy == nullptr) throw none();
    const EnergyCounts counts = energy_counts_of(*energy, source);
    const auto named = energy->find("table");
    if (table.empty() && (named == energy->end() || !named->is_string())) throw none();
    return energy_account(counts, tables(table.empty() ? named->get<std::string>() : table));
}

std::vector<EnergyRun> energy_of_sweep(const std::filesystem::path& folder,
                                       const EnergyTables& tables, const std::string& table) {
    const std::filesystem::path file = folder / "sweep.json";
    std::ifstream in(file);
    if (!in) throw ConfigError(fmt::format("{}: no sweep.json, so no sweep", folder.string()));
    std::vector<EnergyRun> runs;
    try {
        const auto plan = nlohmann::ordered_json::parse(in);
        for (const auto& planned : plan.at("runs")) {
            const std::filesystem::path result = folder / planned.at("folder").get<std::string>();
            if (!std::filesystem::is_regular_file(result / "result.json")) continue;
            runs.push_back({planned.at("layer"), planned.at("variant"), planned.at("baseline"),
                            energy_of_result(result, tables, table, true)});
        }
    } catch (const nlohmann::json::exception&) {
        throw ConfigError(
            fmt::format("{}: not the plan of a sweep of this version", file.string()));
    }
    if (runs.empty()) throw ConfigError(fmt::format("{}: no results", folder.string()));
    return runs;
}

std::string energy_parts_text(const EnergyAccount& account) {
    TextTable table({"part", "event", "count", "pJ", "uJ", "low", "high", "% of all"});
    table.set_text_columns(2);
    const auto add = [&](const std::string& what, const EnergySum& sum) {
        table.add(
            {what, "", "", "", fmt::format("{:.3f}", sum.uj), fmt::format("{:.3f}", sum.low_uj),
             fmt::format("{:.3f}", sum.high_uj),
             fmt::format("{:.2f}", account.total.uj > 0 ? 100 * sum.uj / account.total.uj : 0)});
    };
    for (const EnergyPart& one : account.parts) {
        const EnergyEventText& text = text_of(one.of.event);
        table.add({std::string(text.part), std::string(text.name), std::to_string(one.of.count),
                   fmt::format("{:.4g}", one.pj.value), fmt::format("{:.3f}", one.energy.uj),
                   fmt::format("{:.3f}", one.energy.low_uj),
                   fmt::format("{:.3f}", one.energy.high_uj),
                   fmt::format("{:.2f}",
                               account.total.uj > 0 ? 100 * one.energy.uj / account.total.uj : 0)});
    }
    table.add_rule();
    add("all", account.total);
    add("on chip", account.on_chip);
    add("storage", account.storage);
    std::string text = fmt::format("prices of {}\n{}", account.table, table.str());
    for (const UnpricedPart& one : account.unpriced) {
        text += fmt::format("  without a price: {} {} ({})\n", one.of.count,
                            text_of(one.of.event).name, one.why);
    }
    return text;
}

std::string energy_changes_text(const std::vector<EnergyRun>& runs) {
    TextTable table({"variant", "layers", "all, mean", "total", "on chip, mean", "total",
                     "storage, mean", "total"});
    std::string baselines;
    for (const std::string& variant : distinct(runs, &EnergyRun::variant)) {
        const auto of = [&](const EnergyRun& run) { return run.variant == variant; };
        const EnergyRun& first = *std::find_if(runs.begin(), runs.end(), of);
        if (first.baseline == variant) {
            baselines += shares_text(runs, variant);
            continue;
        }
        std::vector<std::string> cells = {
            variant, std::to_string(std::count_if(runs.begin(), runs.end(), of))};
        add_changes(runs, variant, cells);
        table.add(std::move(cells));
    }
    const std::string head = fmt::format("prices of {}\n{}", runs.front().account.table, baselines);
    return table.empty() ? head : head + "change against the baseline [%]\n" + table.str();
}

}  // namespace tessera
