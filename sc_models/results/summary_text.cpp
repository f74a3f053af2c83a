#include "sc_models/results/summary_text.h"

#include <fmt/format.h>
#include <algorithm>

#include "sc_models/common/text_table.h"
#include "sc_models/duplo/hit_class.h"

namespace tessera {
namespace {

/// More variants than fit a terminal's width continue in further tables below.
constexpr std::size_t kVariantsAcross = 8;

enum class Baselines { kHide, kShow };

/// One column of the summary, for the variants to which it applies.
std::string layer_table(const Summary& summary, const std::string& heading, const char* column,
                        Baselines baselines = Baselines::kHide, int decimals = 1) {
    std::vector<const SummaryVariant*> variants;
    for (const SummaryVariant& variant : summary.variants()) {
        const bool shown = baselines == Baselines::kShow || !variant.is_baseline();
        if (shown && summary.mean(variant.name, column)) {
            variants.push_back(&variant);
        }
    }
    std::string text;
    for (std::size_t begin = 0; begin < variants.size(); begin += kVariantsAcross) {
        const std::size_t end = std::min(begin + kVariantsAcross, variants.size());
        std::vector<std::string> header = {"layer"};
        for (std::size_t i = begin; i < end; ++i) header.push_back(variants[i]->name);
        TextTable table(std::move(header));
        for (const std::string& layer : summary.layers()) {
            std::vector<std::string> row = {layer};
            for (std::size_t i = begin; i < end; ++i) {
                row.push_back(
                    number_cell(summary.value(layer, variants[i]->name, column), decimals));
            }
            table.add(std::move(row));
        }
        table.add_rule();
        std::vector<std::string> row = {"mean"};
        for (std::size_t i = begin; i < end; ++i) {
            row.push_back(number_cell(summary.mean(variants[i]->name, column), decimals));
        }
        table.add(std::move(row));
        text += "\n" + heading + "\n" + table.str();
    }
    return text;
}

std::string time_table(const Summary& summary) {
    TextTable table({"variant", "baseline", "speedup, mean", "time, total", "time, networks",
                     "networks with im2col"});
    table.set_text_columns(2);
    for (const SummaryVariant& v : summary.variants()) {
        if (v.is_baseline()) continue;
        const bool lowers = summary.mean(v.name, "im2col_cycles").value_or(0) > 0;
        table.add({v.name, v.baseline, signed_cell(summary.mean(v.name, summary.speedup_column())),
                   signed_cell(summary.total_change(v.name, summary.time_column())),
                   signed_cell(summary.network_change(v.name, summary.time_column())),
                   lowers ? signed_cell(summary.network_change(v.name, "total_cycles")) : "-"});
    }
    if (table.empty()) return "";
    return fmt::format(
               "\ntime of {} against the baseline [%] (mean: of the layers; networks: sum of the "
               "layers of each, then their mean)\n",
               summary.timed()) +
           table.str();
}

std::string hit_table(const Summary& summary) {
    std::vector<std::string> header = {"variant", "hit rate"};
    for (const HitClassText& kind : kHitClassText) header.emplace_back(kind.heading);
    header.emplace_back("bypass");
    header.emplace_back("of accesses");
    TextTable table(std::move(header));
    for (const SummaryVariant& v : summary.variants()) {
        const auto rate = summary.mean(v.name, "hit_rate_percent");
        if (!rate) continue;
        std::vector<std::string> row = {v.name, number_cell(rate)};
        for (const HitClassText& kind : kHitClassText) {
            row.push_back(number_cell(summary.mean(v.name, kind.metric)));
        }
        row.push_back(number_cell(summary.mean(v.name, "bypass_percent")));
        row.push_back(number_cell(summary.mean(v.name, "hit_rate_of_accesses_percent")));
        table.add(std::move(row));
    }
    if (table.empty()) return "";
    return "\nhits by class [% of the loads of A, mean of the layers; of accesses: accesses of A "
           "to the L1 that are not made, %]\n" +
           table.str();
}

std::string service_table(const Summary& summary) {
    TextTable table(
        {"variant", "L1", "total", "L2", "total", "DRAM", "total", "LDST stalls", "total"});
    for (const SummaryVariant& v : summary.variants()) {
        if (v.is_baseline()) continue;
        std::vector<std::string> row = {v.name};
        for (const char* metric :
             {"l1_services", "l2_services", "dram_services", "ldst_stall_cycles"}) {
            row.push_back(
                signed_cell(summary.mean(v.name, fmt::format("{}_change_percent", metric))));
            row.push_back(signed_cell(summary.total_change(v.name, metric)));
        }
        table.add(std::move(row));
    }
    if (table.empty()) return "";
    return "\nloads served and LDST stalls against the baseline [%, mean of the layers and change "
           "of the "
           "total]\n" +
           table.str();
}

std::string miss_table(const Summary& summary) {
    TextTable table({"variant", "L1", "with pending", "L2", "with pending", "tensor cores busy"});
    for (const SummaryVariant& v : summary.variants()) {
        if (!v.is_baseline()) continue;
        table.add({v.name, number_cell(summary.mean(v.name, "l1_miss_rate_percent")),
                   number_cell(summary.mean(v.name, "l1_miss_rate_with_pending_percent")),
                   number_cell(summary.mean(v.name, "l2_miss_rate_percent")),
                   number_cell(summary.mean(v.name, "l2_miss_rate_with_pending_percent")),
                   number_cell(summary.mean(v.name, "tensor_utilisation_percent"))});
    }
    if (table.empty()) return "";
    return "\nmiss rates of the baselines [%, mean of the layers; hits on lines under way counted "
           "as hits, "
           "then as misses]\n" +
           table.str();
}

}  // namespace

std::string speedup_heading(const Summary& summary) {
    return std::string(summary.time_column()) == "cycles"
               ? "speedup over the baseline"
               : fmt::format("speedup over the baseline, of {}", summary.timed());
}

std::string missing_note(const Summary& summary) {
    if (summary.missing() == 0) return "";
    return fmt::format(
        "{} of {} runs are missing: they failed, or the sweep has not got to them. Means are of "
        "what is there, which may be other layers for one variant than for another.",
        summary.missing(), summary.planned());
}

std::string layer_tables(const Summary& summary) {
    return layer_table(summary, fmt::format("cycles of {}", summary.timed()), summary.time_column(),
                       Baselines::kShow, 0) +
           layer_table(summary, speedup_heading(summary) + " [%]", summary.speedup_column()) +
           layer_table(summary, "hit rate of the load history buffer [%]", "hit_rate_percent");
}

std::string variant_tables(const Summary& summary) {
    return time_table(summary) + hit_table(summary) + service_table(summary) + miss_table(summary);
}

std::string summary_tables(const Summary& summary) {
    std::string text = fmt::format("{}: {}\n", summary.name(), summary.title());
    for (const std::string& set : summary.sets()) text += fmt::format("  with --set {}\n", set);
    return text + layer_tables(summary) + variant_tables(summary);
}

}  // namespace tessera
