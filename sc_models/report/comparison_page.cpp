#include "sc_models/report/comparison_page.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sc_models/chart/bar_chart.h"
#include "sc_models/chart/svg_chart.h"
#include "sc_models/common/text_table.h"
#include "sc_models/page/markup.h"
#include "sc_models/report/comparison_sentences.h"
#include "sc_models/report/html_page.h"
#include "sc_models/run/run_files.h"
#include "sc_models/sm/stall_reason.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

/// Formats a number for use in a sentence, with commas between thousands.
std::string count_text(double value) {
    const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
    std::string text = whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
    if (!whole) return text;
    for (std::size_t at = text.size(); at > 3 + (value < 0 ? 1U : 0U);) {
        at -= 3;
        text.insert(at, 1, ',');
    }
    return text;
}

std::string cell(const std::optional<double>& value) {
    if (!value) return "-";
    const bool whole = *value == std::floor(*value) && std::abs(*value) < 1e15;
    return whole ? fmt::format("{:.0f}", *value) : fmt::format("{:.4f}", *value);
}

/// Whether a statistic is a count. Rates are excluded: they follow from counts and have no absolute
/// size.
bool is_count(const NumberPair& pair) {
    const std::string last = pair.name.substr(pair.name.rfind('.') + 1);
    const auto has = [&last](const char* word) { return last.find(word) != std::string::npos; };
    return !has("percent") && !has("rate") && !has("_uj") && last != "ctas_per_sm";
}

/// Whether a kernel's issue-slot statistic repeats one of its sub-cores.
bool is_told_twice(const NumberPair& pair, const ResultComparison& comparison) {
    constexpr std::string_view kSlots = ".issue_slots.";
    const std::size_t at = pair.name.find(kSlots);
    if (at == std::string::npos) return false;
    const std::string other =
        pair.name.substr(0, at) + ".sm.sub_core." + pair.name.substr(at + kSlots.size());
    return std::any_of(comparison.statistics.begin(), comparison.statistics.end(),
                       [&other](const NumberPair& p) { return p.name == other; });
}

/// Example: "gemm.sm.l1.reads: from 10 to 5 (-50.0 %)".
std::string sentence(const NumberPair& pair) {
    const double a = pair.a.value_or(0);
    const double b = pair.b.value_or(0);
    if (!pair.a || a == 0) return fmt::format("{}: from none to {}", pair.name, count_text(b));
    if (!pair.b || b == 0) return fmt::format("{}: from {} to none", pair.name, count_text(a));
    const double change = 100 * (b - a) / a;
    return fmt::format("{} {} from {} to {} ({} %)", pair.name, b > a ? "rose" : "fell",
                       count_text(a), count_text(b),
                       signed_cell(change, std::abs(change) < 1 ? 2 : 1));
}

double size_of(const NumberPair& pair) {
    return std::abs(pair.a.value_or(0) - pair.b.value_or(0));
}

class ComparisonPage {
public:
    ComparisonPage(const ComparedRun& a, const ComparedRun& b, const ResultComparison& comparison,
                   const Attribution* attribution)
        : a_(a), b_(b), comparison_(comparison), attribution_(attribution) {}

    [[nodiscard]] std::string html() const {
        return "<h1>Two runs</h1>\n" + runs() + cycles() + settings() + changes() + slots() +
               metrics() + statistics();
    }

private:
    [[nodiscard]] std::string runs() const {
        HtmlTable table({"which", "run", "workload", "configuration", "tessera"}, 5);
        for (const auto& [letter, run] : {std::pair("A", &a_), std::pair("B", &b_)}) {
            const Json& tool = run->result.at("tool");
            table.row({letter, run->name, run->result.value("workload", "-"),
                       run->result.value("config_hash", "-"),
                       fmt::format("{} ({})", tool.value("version", "-"),
                                   tool.value("git_revision", "-"))});
        }
        std::string text = table.str();
        for (const auto& [letter, run] : {std::pair("A", &a_), std::pair("B", &b_)}) {
            text += warning_html(failed_checks_note(letter, run->result));
        }
        return text;
    }

    [[nodiscard]] std::string cycles() const {
        const double a = total_cycles(a_.result);
        const double b = total_cycles(b_.result);
        // B's core clock divided by A's.
        const double clock = core_clock_ratio(comparison_.config);
        std::string verdict = "Both take the same cycles";
        if (a != b && a > 0 && b > 0) {
            verdict =
                fmt::format("B takes {} % {} cycles than A",
                            number_cell(std::abs(100 * (b - a) / a), 2), b < a ? "fewer" : "more");
        }
        if ((a != b || clock != 1) && a > 0 && b > 0) {
            verdict +=
                fmt::format(": {} is {} times as fast", clock == 1 ? "it" : "with its core clock B",
                            number_cell(a / b * clock, 3));
        }
        HtmlTable table({"kernel", "cycles of A", "cycles of B", "speedup of B [x]"});
        const auto row = [&table, clock](const std::string& name, std::optional<double> of_a,
                                         std::optional<double> of_b, const char* row_class) {
            const bool both = of_a && of_b && *of_b > 0;
            table.row(
                {name, cell(of_a), cell(of_b), both ? number_cell(*of_a / *of_b * clock, 3) : "-"},
                row_class);
        };
        const auto kernel_of = [](const Json& result, const std::string& name) {
            std::optional<double> found;
            for (const Json& kernel : result.at("kernels")) {
                if (kernel.at("name") == name) found = kernel.at("cycles").get<double>();
            }
            return found;
        };
        for (const Json& kernel : a_.result.at("kernels")) {
            row(kernel.at("name"), kernel.at("cycles").get<double>(),
                kernel_of(b_.result, kernel.at("name")), "");
        }
        for (const Json& kernel : b_.result.at("kernels")) {
            if (kernel_of(a_.result, kernel.at("name"))) continue;
            row(kernel.at("name"), std::nullopt, kernel.at("cycles").get<double>(), "");
        }
        row("all kernels", a, b, "mean");
        return markup("<h2>Cycles</h2>\n<p><strong>{}.</strong></p>\n{}{}", verdict,
                      Markup{sentences(clock)}, Markup{table.str()});
    }

    [[nodiscard]] std::string sentences(double clock) const {
        std::string text;
        for (const std::string& line : comparison_sentences(a_.result, b_.result, clock)) {
            text += markup("{}{}", Markup{text.empty() ? "" : " "}, line);
        }
        return text.empty() ? "" : "<p>" + text + "</p>\n";
    }

    [[nodiscard]] std::string settings() const {
        const std::string begin = "<h2>Settings that differ</h2>\n";
        if (comparison_.config.empty()) {
            return begin +
                   (comparison_.statistics.empty()
                        ? "<p>None, and nothing came out differently.</p>\n"
                        : "<p>None: what differs comes from the program that ran them.</p>\n");
        }
        if (attribution_ != nullptr && attribution_->settings().size() > 1) {
            return "<h2>Settings that differ, and which did it</h2>\n" + attributed_settings();
        }
        HtmlTable table({"key", "A", "B"}, 3);
        for (const ConfigDifference& difference : comparison_.config) {
            table.row({difference.key, difference.a, difference.b}, "", {"", "long", "long"});
        }
        const std::string who =
            comparison_.config.size() == 1
                ? "<p>One setting differs, so all of what follows is its doing.</p>\n"
                : fmt::format(
                      "<p>{} settings differ, so any of them may have a share in what follows. "
                      "<code>tessera compare A B --attribute</code> runs the machines in between, "
                      "and says which.</p>\n",
                      comparison_.config.size());
        return begin + who + table.str();
    }

    /// Chart of each setting's effect on the time.
    [[nodiscard]] std::string attributed_settings() const {
        StackedChart chart;
        chart.unit = attribution_->unit();
        chart.legend = {"alone", "on top of all others"};
        chart.colours = {"#3f8cc4", "#e0812a"};
        const auto in_unit = [this](const char* what) {
            return fmt::format("{} [{}]", what, attribution_->unit());
        };
        HtmlTable table({"key", "A", "B", in_unit("alone"), in_unit("on top of all others"),
                         in_unit("difference")},
                        3);
        for (const AttributedSetting& s : attribution_->settings()) {
            table.row({s.setting.key, s.setting.a, s.setting.b, attributed(s.in_a, s.alone),
                       attributed(s.in_b, s.set_back), time_cell(s.with_others())},
                      "", {"", "long", "long"});
            chart.bars.push_back(bar(s.setting.key, 0, s.in_a, s.alone));
            chart.bars.push_back(bar(s.setting.key, 1, s.in_b, s.set_back));
        }
        std::string refusals;
        for (const std::string& line : attribution_->refusals()) {
            refusals += markup("<li>{}</li>\n", line);
        }
        if (!refusals.empty()) refusals = "<ul>\n" + refusals + "</ul>\n";
        return markup(
            "<p><strong>{}</strong></p>\n<p>What each adds to the time of all kernels: alone, "
            "which is A with B's value less A, and on top of all others, which is B less B with "
            "A's value.</p>\n{}{}{}",
            attribution_->verdict(), Markup{scrolling_chart(chart.svg())}, Markup{table.str()},
            Markup{refusals});
    }

    static std::string attributed(const std::optional<double>& time,
                                  const IntermediateMachine& machine) {
        return machine.refused.empty() ? time_cell(time) : "cannot stand alone";
    }

    static StackedBar bar(const std::string& key, std::size_t which,
                          const std::optional<double>& time, const IntermediateMachine& machine) {
        StackedBar bar{key, {}};
        if (time) bar.parts = {*time};
        bar.first_part = which;
        bar.words = attributed(time, machine);
        return bar;
    }

    [[nodiscard]] std::string changes() const {
        constexpr std::size_t kMost = 12;
        if (comparison_.statistics.empty()) return "";
        const LargestChanges largest = largest_changes(comparison_, kMost);
        const auto list = [](const std::vector<std::string>& sentences) {
            std::string out = "<ol>\n";
            for (const std::string& text : sentences) {
                out += markup("<li>{}</li>\n", text);
            }
            return out + "</ol>\n";
        };
        return fmt::format(
                   "<h2>What changed most</h2>\n<h3>Relatively</h3>\n<p class='note'>Of counts of "
                   "at least {:g} in one of the runs.</p>\n",
                   LargestChanges::kFewestCounts) +
               list(largest.relative) + "<h3>By size</h3>\n" + list(largest.absolute);
    }

    /// Shares of the issue slots over all kernels, in percent.
    [[nodiscard]] static std::array<double, kStallReasons> shares(const Json& result) {
        std::array<double, kStallReasons> percent{};
        double all = 0;
        for (const Json& kernel : result.at("kernels")) {
            if (!kernel.contains("issue_slots")) continue;
            for (std::size_t i = 0; i < kStallReasons; ++i) {
                const double cycles =
                    kernel.at("issue_slots").value(std::string(kStallReasonText[i].name), 0.0);
                percent[i] += cycles;
                all += cycles;
            }
        }
        for (double& share : percent) share = all > 0 ? 100 * share / all : 0;
        return percent;
    }

    [[nodiscard]] std::string slots() const {
        const auto a = shares(a_.result);
        const auto b = shares(b_.result);
        BarChart chart;
        chart.unit = "% of issue slots";
        chart.top = 100;
        chart.series = {{"A", "#3f8cc4", {}, std::nullopt, std::nullopt},
                        {"B", "#e0812a", {}, std::nullopt, std::nullopt}};
        HtmlTable table({"issue slot", "meaning", "A [%]", "B [%]", "B - A"}, 2);
        double all = 0;
        for (std::size_t i = 0; i < kStallReasons; ++i) {
            all += a[i] + b[i];
            table.row({std::string(kStallReasonText[i].name),
                       std::string(kStallReasonText[i].description), number_cell(a[i], 2),
                       number_cell(b[i], 2), signed_cell(b[i] - a[i], 2)});
            if (a[i] == 0 && b[i] == 0) continue;
            chart.groups.emplace_back(kStallReasonText[i].name);
            chart.series[0].values.emplace_back(a[i]);
            chart.series[1].values.emplace_back(b[i]);
        }
        if (all == 0) return "";
        return "<h2>Where the issue slots went</h2>\n" + scrolling_chart(chart.svg()) + table.str();
    }

    static void add(HtmlTable& table, const NumberPair& pair) {
        table.row({pair.name, cell(pair.a), cell(pair.b),
                   pair.a && pair.b ? cell(*pair.b - *pair.a) : "-", change_cell(pair)});
    }

    [[nodiscard]] std::string metrics() const {
        HtmlTable table({"metric", "A", "B", "B - A", "change [%]"});
        for (const NumberPair& pair : comparison_.metrics) add(table, pair);
        return "<h2>Key figures</h2>\n" + table.str();
    }

    [[nodiscard]] std::string statistics() const {
        if (comparison_.statistics.empty()) return "<p>All statistics are equal.</p>\n";
        HtmlTable table({"statistic", "A", "B", "B - A", "change [%]"});
        for (const NumberPair& pair : comparison_.statistics) add(table, pair);
        return fmt::format("<h2>All {} statistics that differ</h2>\n{}",
                           comparison_.statistics.size(), table.str());
    }

    const ComparedRun& a_;
    const ComparedRun& b_;
    const ResultComparison& comparison_;
    const Attribution* attribution_;
};

}  // namespace

LargestChanges largest_changes(const ResultComparison& comparison, std::size_t most) {
    std::vector<const NumberPair*> counts;
    for (const NumberPair& pair : comparison.statistics) {
        if (is_count(pair) && !is_told_twice(pair, comparison)) counts.push_back(&pair);
    }
    LargestChanges largest;
    // The statistics are sorted by relative change; those present in one run only come last.
    const auto is_large = [](const NumberPair* pair) {
        return std::max(std::abs(pair->a.value_or(0)), std::abs(pair->b.value_or(0))) >=
               LargestChanges::kFewestCounts;
    };
    for (const NumberPair* pair : counts) {
        if (largest.relative.size() == most) break;
        if (is_large(pair)) largest.relative.push_back(sentence(*pair));
    }
    std::stable_sort(counts.begin(), counts.end(), [](const NumberPair* x, const NumberPair* y) {
        return size_of(*x) > size_of(*y);
    });
    counts.resize(std::min(counts.size(), most));
    for (const NumberPair* pair : counts) largest.absolute.push_back(sentence(*pair));
    return largest;
}

std::string comparison_page(const ComparedRun& a, const ComparedRun& b,
                            const ResultComparison& comparison, const Attribution* attribution) {
    return html_page(fmt::format("{} and {}", a.name, b.name),
                     ComparisonPage(a, b, comparison, attribution).html());
}

}  // namespace tessera
