#include "sc_models/report/run_section.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <vector>

#include "sc_models/chart/svg_chart.h"
#include "sc_models/common/text_table.h"
#include "sc_models/page/markup.h"
#include "sc_models/report/html_page.h"
#include "sc_models/report/over_time.h"
#include "sc_models/report/run_headline.h"
#include "sc_models/report/run_traffic.h"
#include "sc_models/run/run_files.h"
#include "sc_models/sm/stall_reason.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

/// Rows of the issue-slot table: those of kStallReasonText, with the slots issued by assistant
/// warps as a row after the other issued ones.
constexpr std::size_t kIssued = 0, kAssisted = 1, kSlotRows = kStallReasons + 1;
/// Stalls have the same colours as on the timeline (timeline_colours.js).
constexpr std::array<const char*, kSlotRows> kSlotColours = {{
    "#2da51e",  // issued
    "#96d24b",  // issued by assistants
    "#c3c3b4",  // no warp
    "#4ba5b4",  // memory
    "#a56987",  // tensor result
    "#b49696",  // ALU result
    "#877869",  // barrier
    "#787896",  // LDST busy
    "#c3c3e1",  // tensor busy
    "#78875a",  // ALU busy
    "#87b496",  // launch
    "#5a7878",  // operands
}};

/// Description of a row.
StallReasonText slot_text(std::size_t row, bool assisted) {
    if (row == kAssisted) {
        return {"issued_by_assistants", "cycles in which an assistant warp's instruction issued"};
    }
    if (row == kIssued && assisted) {
        return {"issued_by_others", "cycles in which an instruction of another warp issued"};
    }
    return kStallReasonText[row == kIssued ? kIssued : row - 1];
}

/// Note for a metric whose name could be mistaken for another figure of the page.
std::string_view metric_note(std::string_view metric) {
    if (metric == "tensor_utilisation_percent") {
        return "share of their cycles in which they are occupied; FLOP are among the kernel's "
               "peaks";
    }
    if (metric == "stall_percent") {
        return "share of issue slots in which no warp issued, or an assistant";
    }
    return "";
}

/// Sections of one run, below headings of the given level.
class RunSections {
public:
    RunSections(const ReportedRun& run, int level)
        : run_(run), result_(run.result), level_(level) {}

    [[nodiscard]] std::string html() const {
        return warning_html(failed_checks_note("This run", result_)) + run_headline(result_) +
               origin() + foreign() + power() + mechanisms() + kernels() + slots() + roofline() +
               traffic() + over_time() + metrics() +
               details("Effective configuration", result_.at("config").get<std::string>());
    }

private:
    [[nodiscard]] std::string heading(const std::string& text) const {
        return markup("<h{0}>{1}</h{0}>\n", level_, text);
    }

    [[nodiscard]] std::string origin() const {
        return markup(
            "<p class='note'>Of <code>{}</code>: configuration {}, tessera {} ({}).</p>\n",
            run_.name, result_.at("config_hash").get<std::string>(),
            result_.at("tool").at("version").get<std::string>(),
            result_.at("tool").at("git_revision").get<std::string>());
    }

    /// Parts of the run that were made for another machine.
    [[nodiscard]] std::string foreign() const {
        const auto found = result_.find("foreign_models");
        if (found == result_.end()) return "";
        std::string text;
        for (const auto& line : *found) {
            text += warning_html("Made for another machine: " + line.get<std::string>() + ".");
        }
        return text;
    }

    /// Warns if the mean power is above the card's limit.
    [[nodiscard]] std::string power() const {
        const auto found = result_.find("above_power_limit");
        return found == result_.end() ? "" : warning_html(found->get<std::string>() + ".");
    }

    /// Enabled mechanisms with the key figure of each.
    [[nodiscard]] std::string mechanisms() const {
        const auto found = result_.find("mechanisms");
        if (found == result_.end()) return "";  // result of an older tessera
        if (found->empty()) return "<p>No mechanism was switched on.</p>\n";
        HtmlTable table({"mechanism", "acted", "key figure"}, 3);
        for (const Json& m : *found) {
            table.row({m.at("name"), m.at("acted").get<bool>() ? "yes" : "no", m.at("figure")});
        }
        return heading("Mechanisms") + table.str();
    }

    /// Limit of each kernel, and the utilisation of its units in percent of their peaks.
    [[nodiscard]] std::string kernels() const {
        const Json& kernels = result_.at("kernels");
        double all = 0;
        for (const Json& kernel : kernels) all += kernel.at("cycles").get<double>();
        HtmlTable table({"kernel", "cycles", "% of all", "bound by"}, 1, 1);
        for (const Json& kernel : kernels) {
            const double cycles = kernel.at("cycles");
            table.row({kernel.at("name"), kernel.at("cycles").dump(),
                       number_cell(all > 0 ? 100 * cycles / all : 0, 2),
                       kernel.value("bound_by", "(not known)")},
                      "", {"", "", "", "word long"});
        }
        return heading("Kernels") + table.str() + units();
    }

    /// Table with one row per kind of unit and one column per kernel.
    [[nodiscard]] std::string units() const {
        const Json& kernels = result_.at("kernels");
        std::vector<std::string> header = {"unit", "peak"};
        std::vector<std::vector<std::string>> rows;
        for (const Json& kernel : kernels) {
            header.push_back(fmt::format("{} [%]", kernel.at("name").get<std::string>()));
            for (const Json& share : kernel.value("percent_of_peak", Json::array())) {
                const std::string unit = share.at("unit");
                auto row = std::find_if(rows.begin(), rows.end(),
                                        [&unit](const auto& r) { return r.front() == unit; });
                if (row == rows.end()) row = rows.insert(row, {unit, share.at("peak")});
                row->resize(header.size() - 1, "-");
                row->push_back(number_cell(share.at("percent").get<double>(), 2));
            }
        }
        if (rows.empty()) return "";
        HtmlTable table(header, 2, 0, "Of the peak of each kind of unit, over the whole kernel");
        for (std::vector<std::string>& row : rows) {
            row.resize(header.size(), "-");
            table.row(row);
        }
        return table.str();
    }

    struct Slots {
        std::string name;
        std::array<double, kSlotRows> percent{};
    };
    /// Cycles of a kernel by row.
    [[nodiscard]] static std::array<double, kSlotRows> slot_cycles(const Json& kernel) {
        const Json& slots = kernel.at("issue_slots");
        std::array<double, kSlotRows> cycles{};
        cycles[kAssisted] = assistant_cycles(kernel);
        cycles[kIssued] = slots.value("issued", 0.0) - cycles[kAssisted];
        for (std::size_t i = 1; i < kStallReasons; ++i) {
            cycles[i + 1] = slots.value(std::string(kStallReasonText[i].name), 0.0);
        }
        return cycles;
    }
    [[nodiscard]] static double assistant_cycles(const Json& kernel) {
        const Json::json_pointer path("/statistics/sm/opportunistic/assistant_cycles");
        return kernel.contains(path) ? kernel.at(path).get<double>() : 0;
    }
    /// Shares for each kernel, and over all kernels if there are several.
    [[nodiscard]] std::vector<Slots> slot_shares() const {
        std::vector<Slots> shares;
        std::array<double, kSlotRows> sums{};
        const auto add = [&shares](const std::string& name,
                                   const std::array<double, kSlotRows>& cycles) {
            double all = 0;
            for (const double count : cycles) all += count;
            if (all == 0) return;
            Slots slots{name, {}};
            // A rounding error above 100 would extend the chart's axis.
            constexpr double kAll = 100 * (1 - 1e-12);
            for (std::size_t i = 0; i < kSlotRows; ++i) slots.percent[i] = kAll * cycles[i] / all;
            shares.push_back(std::move(slots));
        };
        for (const Json& kernel : result_.at("kernels")) {
            if (!kernel.contains("issue_slots")) continue;
            const std::array<double, kSlotRows> cycles = slot_cycles(kernel);
            for (std::size_t i = 0; i < kSlotRows; ++i) sums[i] += cycles[i];
            add(kernel.at("name"), cycles);
        }
        if (shares.size() > 1) add("all kernels", sums);
        return shares;
    }

    [[nodiscard]] std::string slots() const {
        const std::vector<Slots> shares = slot_shares();
        if (shares.empty()) return "";
        const bool assisted = std::any_of(shares.begin(), shares.end(), [](const Slots& slots) {
            return slots.percent[kAssisted] > 0;
        });
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < kSlotRows; ++i) {
            if (i != kAssisted || assisted) rows.push_back(i);
        }
        StackedChart chart;
        chart.unit = "%";
        chart.top = 100;
        for (const std::size_t i : rows) {
            chart.colours.emplace_back(kSlotColours[i]);
            chart.legend.emplace_back(slot_text(i, assisted).name);
        }
        std::vector<std::string> header = {"issue slot", "meaning"};
        for (const Slots& slots : shares) {
            StackedBar bar{slots.name, {}};
            for (const std::size_t i : rows) bar.parts.push_back(slots.percent[i]);
            bar.words = fmt::format("{} issued",
                                    number_cell(slots.percent[kIssued] + slots.percent[kAssisted]));
            chart.bars.push_back(std::move(bar));
            header.push_back(slots.name + " [%]");
        }
        HtmlTable table(header, 2);
        for (const std::size_t i : rows) {
            const StallReasonText text = slot_text(i, assisted);
            std::vector<std::string> row = {std::string(text.name), std::string(text.description)};
            for (const Slots& slots : shares) row.push_back(number_cell(slots.percent[i], 2));
            table.row(row);
        }
        std::vector<std::string> row = {"all", ""};
        for (const Slots& slots : shares) {
            double sum = 0;
            for (const double percent : slots.percent) sum += percent;
            row.push_back(number_cell(sum, 2));
        }
        table.row(row, "mean");
        return heading("Where every issue slot went") +
               "<p class='note'>Each cycle of each sub-core's issue slot, in percent of all of "
               "them.</p>\n" +
               scrolling_chart(chart.svg()) + table.str();
    }

    [[nodiscard]] std::string roofline() const {
        if (!result_.at("kernels").is_array() || result_.at("kernels").empty()) return "";
        return heading("Roofline") + run_roofline_html(result_);
    }
    [[nodiscard]] std::string traffic() const {
        const std::string html = traffic_html(result_);
        return html.empty() ? "" : heading("Traffic between levels") + html;
    }
    [[nodiscard]] std::string over_time() const {
        const std::string begin = heading("Over time");
        if (run_.over_time) return begin + over_time_html(*run_.over_time);
        return begin +
               "<p>Not recorded. <code>tessera run ... --out DIR --over-time</code> has the page "
               "show instructions a cycle, hits, misses, bandwidth and what the mechanisms do over "
               "time; <code>--timeline FILE.html</code> shows them beside every instruction.</p>\n";
    }
    [[nodiscard]] std::string metrics() const {
        HtmlTable table({"metric", "value", "note"}, 1, 1);
        for (const auto& [key, value] : result_.at("metrics").items()) {
            table.row({key, metric_text(value), std::string(metric_note(key))});
        }
        return heading("Metrics of the main kernel") + table.str();
    }

    const ReportedRun& run_;
    const Json& result_;
    int level_;
};

}  // namespace

std::string metric_text(const nlohmann::ordered_json& value) {
    return value.is_number_float() ? fmt::format("{:.4f}", value.get<double>()) : value.dump();
}

std::string run_html(const ReportedRun& run) {
    return markup("<h2>{}: {}</h2>\n", run.result.at("workload").get<std::string>(), run.name) +
           RunSections(run, 3).html();
}

std::string run_page(const ReportedRun& run) {
    const std::string title = run.result.at("workload");
    return html_page(title, markup("<h1>{}</h1>\n", title) + RunSections(run, 2).html(),
                     run.over_time ? over_time_assets() : PageAssets{});
}

}  // namespace tessera
