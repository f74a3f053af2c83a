#include "sc_models/results/energy_study.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "sc_models/common/error.h"
#include "sc_models/common/text_table.h"
#include "sc_models/results/stored_studies.h"
#include "sc_models/results/summary_text.h"
#include "sc_models/results/sweep_plan.h"
#include "sc_models/run/run_files.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// A sum of an energy account for which papers state changes.
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
        return other.layer == run.layer && other.variant == run.baseline && other.seed == run.seed;
    });
    return found == runs.end() ? nullptr : &*found;
}

/// Distinct values of a field of the runs, in their order.
std::vector<std::string> distinct(const std::vector<EnergyRun>& runs, std::string EnergyRun::*of) {
    std::vector<std::string> found;
    for (const EnergyRun& run : runs) {
        if (std::find(found.begin(), found.end(), run.*of) == found.end()) {
            found.push_back(run.*of);
        }
    }
    return found;
}

/// Runs of a layer on a variant, one per seed.
std::vector<const EnergyRun*> runs_of(const std::vector<EnergyRun>& runs, const std::string& layer,
                                      const std::string& variant) {
    std::vector<const EnergyRun*> found;
    for (const EnergyRun& run : runs) {
        if (run.layer == layer && run.variant == variant) found.push_back(&run);
    }
    return found;
}

/// Mean over the seeds of a layer.
class MeanOfSeeds {
public:
    void add(double value) {
        sum_ += value;
        ++count_;
    }
    [[nodiscard]] bool any() const { return count_ > 0; }
    [[nodiscard]] double mean() const { return sum_ / static_cast<double>(count_); }

private:
    double sum_ = 0;
    std::size_t count_ = 0;
};

/// Adds a variant's row: the number of layers in common with its baseline, and for each column the
/// mean change over these layers and the change of their sum.
void add_changes(const std::vector<EnergyRun>& runs, const std::string& variant, TextTable& table) {
    std::vector<std::string> cells = {variant};
    for (const Column& column : kColumns) {
        double changes = 0;
        double before = 0;
        double after = 0;
        std::size_t layers = 0;
        for (const std::string& layer : distinct(runs, &EnergyRun::layer)) {
            MeanOfSeeds change;
            MeanOfSeeds was;
            MeanOfSeeds is;
            for (const EnergyRun* run : runs_of(runs, layer, variant)) {
                const EnergyRun* const base = baseline_of(*run, runs);
                if (base == nullptr) continue;
                const double base_uj = column.uj(base->account);
                const double uj = column.uj(run->account);
                const auto percent = percent_change(base_uj, uj);
                if (!percent) continue;
                change.add(*percent);
                was.add(base_uj);
                is.add(uj);
            }
            if (!change.any()) continue;
            changes += change.mean();
            before += was.mean();
            after += is.mean();
            ++layers;
        }
        if (cells.size() == 1) cells.push_back(std::to_string(layers));
        const bool any = layers > 0;
        cells.push_back(any ? signed_cell(changes / static_cast<double>(layers)) : "-");
        cells.push_back(any ? signed_cell(percent_change(before, after)) : "-");
    }
    table.add(std::move(cells));
}

/// Energy shares of the machine's parts, summed over the layers of a variant.
std::string shares_text(const std::vector<EnergyRun>& runs, const std::string& variant) {
    std::vector<std::pair<std::string_view, double>> shares;
    double total = 0;
    std::size_t layers = 0;
    for (const std::string& layer : distinct(runs, &EnergyRun::layer)) {
        const std::vector<const EnergyRun*> seeds = runs_of(runs, layer, variant);
        layers += seeds.empty() ? 0 : 1;
        for (const EnergyRun* run : seeds) {
            const auto count = static_cast<double>(seeds.size());
            total += run->account.total.uj / count;
            for (const EnergyPart& part : run->account.parts) {
                const std::string_view name = part.of.event->part;
                auto found = std::find_if(shares.begin(), shares.end(), [name](const auto& share) {
                    return share.first == name;
                });
                if (found == shares.end()) found = shares.insert(shares.end(), {name, 0});
                found->second += part.energy.uj / count;
            }
        }
    }
    std::string text = fmt::format("{}, {} {}: {:.1f} uJ", variant, layers,
                                   layers == 1 ? "layer" : "layers", total);
    for (const auto& [name, uj] : shares) {
        text += fmt::format(", {} {:.1f} %", name, total > 0 ? 100 * uj / total : 0);
    }
    return text + "\n";
}

/// The kernel that a result's metrics describe; the others prepare its operands or add up its sums.
const Json& main_kernel(const Json& result) {
    const Json& kernels = result.at("kernels");
    const Json& metrics = result.at("metrics");
    for (const Json& kernel : kernels) {
        if (kernel.at("cycles") != metrics.at("cycles")) continue;
        if (!kernel.contains("energy") || !metrics.contains("energy_uj")) return kernel;
        if (kernel["energy"]["total"]["uj"] == metrics["energy_uj"]) return kernel;
    }
    return kernels.back();
}

/// Prices the events counted in `of`, a result or one of its kernels. `source` names the result in
/// errors.
EnergyAccount priced(const Json& of, const std::string& source, const EnergyPrices& prices) {
    const auto none = [&source] {
        return ConfigError(fmt::format(
            "{}: no energy account, expected the result of a run with gpu.energy_table", source));
    };
    if (!of.contains("energy")) throw none();
    const Json& energy = of.at("energy");
    const EnergyCounts counts = energy_counts_of(energy, source);
    if (!prices.table.empty()) return energy_account(counts, prices.tables(prices.table));
    const auto named = energy.find("table");
    if (named == energy.end() || !named->is_string()) throw none();
    return energy_account(counts, prices.tables(named->get<std::string>()));
}

}  // namespace

EnergyAccount energy_of_run(const Json& result, const std::string& source,
                            const EnergyPrices& prices) {
    return priced(result, source, prices);
}

EnergyStudy energy_of_sweep(const fs::path& folder, const EnergyPrices& prices) {
    const SweepPlan plan = read_sweep_plan(folder);
    const Summary summary = Summary::of_runs(plan, folder);
    EnergyStudy study;
    study.of = summary.timed();
    study.note = missing_note(summary);
    for (const PlannedRun& run : plan.runs) {
        const auto result = good_result(folder, run);
        if (!result) continue;
        const Json& kernels = summary.times_all_kernels() ? *result : main_kernel(*result);
        study.runs.push_back(
            {run.layer, run.variant, run.baseline, run.seed,
             priced(kernels, (folder / run.folder / "result.json").string(), prices)});
    }
    if (study.runs.empty()) throw ConfigError(fmt::format("{}: no results", folder.string()));
    return study;
}

EnergyStudy energy_of_network(const fs::path& folder, const EnergyPrices& prices) {
    const Json network = read_network(folder);
    EnergyStudy study;
    study.of = "all kernels";
    std::map<std::string, EnergyAccount> accounts;  // by folder; layers may share a run
    const std::string machine = network.at("variants").at(0).at("name");
    for (const Json& layer : network.value("layers", Json::array())) {
        for (const Json& time : layer.at("times")) {
            std::uint64_t seed = 0;
            for (const std::string run : time.at("runs")) {
                auto account = accounts.find(run);
                if (account == accounts.end()) {
                    account =
                        accounts
                            .emplace(run, priced(read_result(folder / run),
                                                 (folder / run / "result.json").string(), prices))
                            .first;
                }
                study.runs.push_back(
                    {layer.at("name"), time.at("variant"), machine, seed++, account->second});
            }
        }
    }
    const std::size_t refused = network.value("not_simulated", Json::array()).size();
    if (refused > 0) study.note = fmt::format("{} nodes were not simulated.", refused);
    if (study.runs.empty())
        throw ConfigError(fmt::format("{}: no layers", (folder / "network.json").string()));
    return study;
}

std::string energy_parts_text(const EnergyAccount& account) {
    TextTable table({"part", "event", "count", "pJ", "uJ", "low", "high", "W", "% of all"});
    table.set_text_columns(2);
    const auto add = [&](const std::string& what, const EnergySum& sum) {
        table.add(
            {what, "", "", "", fmt::format("{:.3f}", sum.uj), fmt::format("{:.3f}", sum.low_uj),
             fmt::format("{:.3f}", sum.high_uj), fmt::format("{:.2f}", account.watts(sum.uj)),
             fmt::format("{:.2f}", account.total.uj > 0 ? 100 * sum.uj / account.total.uj : 0)});
    };
    for (const EnergyPart& one : account.parts) {
        const EnergyEvent& text = *one.of.event;
        table.add({std::string(text.part), std::string(text.name), std::to_string(one.of.count),
                   fmt::format("{:.4g}", one.pj.value), fmt::format("{:.3f}", one.energy.uj),
                   fmt::format("{:.3f}", one.energy.low_uj),
                   fmt::format("{:.3f}", one.energy.high_uj),
                   fmt::format("{:.2f}", account.watts(one.energy.uj)),
                   fmt::format("{:.2f}",
                               account.total.uj > 0 ? 100 * one.energy.uj / account.total.uj : 0)});
    }
    table.add_rule();
    add("all", account.total);
    add("on chip", account.on_chip);
    add("storage", account.storage);
    std::string text = fmt::format("prices of {}\n{}", account.table, table.str());
    for (const UnpricedPart& one : account.unpriced) {
        text += fmt::format("  without a price: {} {} ({})\n", one.of.count, one.of.event->name,
                            one.why);
    }
    return text;
}

std::string energy_changes_text(const EnergyStudy& study) {
    const std::vector<EnergyRun>& runs = study.runs;
    TextTable table({"variant", "layers", "all, mean", "total", "on chip, mean", "total",
                     "storage, mean", "total"});
    std::string baselines;
    for (const std::string& variant : distinct(runs, &EnergyRun::variant)) {
        const auto of = [&](const EnergyRun& run) { return run.variant == variant; };
        const EnergyRun& first = *std::find_if(runs.begin(), runs.end(), of);
        if (first.baseline == variant) {
            baselines += shares_text(runs, variant);
        } else {
            add_changes(runs, variant, table);
        }
    }
    std::string text = fmt::format("energy of {} by the prices of {}\n{}", study.of,
                                   runs.front().account.table, baselines);
    if (!study.note.empty()) text += study.note + "\n";
    if (!table.empty()) text += "change against the baseline [%]\n" + table.str();
    return text;
}

Json energy_study_json(const EnergyStudy& study) {
    Json runs = Json::array();
    for (const EnergyRun& run : study.runs) {
        runs.push_back({{"layer", run.layer},
                        {"variant", run.variant},
                        {"baseline", run.baseline},
                        {"seed", run.seed},
                        {"energy", energy_json(run.account)}});
    }
    return {{"of", study.of}, {"note", study.note}, {"runs", std::move(runs)}};
}

}  // namespace tessera
