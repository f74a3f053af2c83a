#include "sc_models/report/run_traffic.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "sc_models/chart/roofline_chart.h"
#include "sc_models/chart/svg_chart.h"
#include "sc_models/common/text_table.h"
#include "sc_models/page/markup.h"
#include "sc_models/report/html_page.h"
#include "sc_models/run/kernel_limits.h"
#include "sc_models/run/run_files.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMib = 1024 * 1024;

/// The number at a path of keys below `node`; empty if absent.
std::optional<double> number_at(const Json& node, std::initializer_list<const char*> path) {
    const Json* at = &node;
    for (const char* key : path) {
        const auto found = at->find(key);
        if (found == at->end()) return std::nullopt;
        at = &*found;
    }
    if (!at->is_number()) return std::nullopt;
    return at->get<double>();
}

/// Bytes of a kernel moved towards the SMs (up) and away from them (down) between two memory
/// levels.
struct Traffic {
    std::optional<double> up, down;
};

/// The boundary between two memory levels, with the counters of its traffic.
struct Border {
    const char* name;
    std::array<const char*, 3> up, down;
};
constexpr std::array<Border, 3> kBorders = {{
    {"registers and L1", {"sm", "l1", "bytes_read"}, {"sm", "l1", "bytes_written"}},
    {"L1 and L2", {"memory", "l2", "bytes_read"}, {"memory", "l2", "bytes_written"}},
    {"L2 and DRAM", {"memory", "dram", "bytes_read"}, {"memory", "dram", "bytes_written"}},
}};

Traffic traffic_of(const Json& kernel, const Border& border) {
    const auto statistics = kernel.find("statistics");
    if (statistics == kernel.end()) return {};
    const auto at = [&](const std::array<const char*, 3>& path) {
        return number_at(*statistics, {path[0], path[1], path[2]});
    };
    return {at(border.up), at(border.down)};
}

std::string mib_cell(double bytes) {
    return number_cell(bytes / kMib, bytes < 100 * kMib ? 2 : 1);
}

/// Peak rate of a unit per second: parses "125.3 TFLOP/s" as 125.3e12.
std::optional<double> peak_of(const Json& kernel, const std::string& unit) {
    const auto shares = kernel.find("percent_of_peak");
    if (shares == kernel.end()) return std::nullopt;
    for (const Json& share : *shares) {
        if (share.at("unit") != unit) continue;
        return peak_in(share.at("peak"));
    }
    return std::nullopt;
}

double percent_of(const Json& kernel, const std::string& unit) {
    const auto shares = kernel.find("percent_of_peak");
    if (shares == kernel.end()) return 0;
    for (const Json& share : *shares) {
        if (share.at("unit") == unit) return share.at("percent");
    }
    return 0;
}

}  // namespace

std::string traffic_html(const Json& result) {
    StackedChart chart;
    chart.unit = "MiB";
    chart.legend = {"towards the SMs", "away from them"};
    chart.colours = {"#3f8cc4", "#e0812a"};
    HtmlTable table({"kernel", "between", "towards the SMs [MiB]", "away [MiB]", "bytes a cycle",
                     "of the level above [%]"},
                    2);
    std::vector<Traffic> sums(kBorders.size());
    for (const Json& kernel : result.at("kernels")) {
        double above = 0;
        for (std::size_t i = 0; i < kBorders.size(); ++i) {
            const Traffic traffic = traffic_of(kernel, kBorders[i]);
            if (!traffic.up || !traffic.down) continue;
            sums[i].up = sums[i].up.value_or(0) + *traffic.up;
            sums[i].down = sums[i].down.value_or(0) + *traffic.down;
            const double both = *traffic.up + *traffic.down;
            const double cycles = kernel.at("cycles");
            table.row({kernel.at("name"), kBorders[i].name, mib_cell(*traffic.up),
                       mib_cell(*traffic.down), cycles > 0 ? number_cell(both / cycles) : "-",
                       above > 0 ? number_cell(100 * both / above) : "-"});
            above = both;
        }
    }
    for (std::size_t i = 0; i < kBorders.size(); ++i) {
        if (!sums[i].up) continue;
        StackedBar bar{kBorders[i].name, {*sums[i].up / kMib, *sums[i].down / kMib}};
        bar.words = mib_cell(*sums[i].up + *sums[i].down) + " MiB";
        chart.bars.push_back(std::move(bar));
    }
    if (chart.bars.empty()) return "";
    return "<p class='note'>Bytes of all kernels. What a level passes on in percent of what the "
           "one above asked for is in the table: the rest it had.</p>\n" +
           scrolling_chart(chart.svg()) + table.str();
}

std::string run_roofline_html(const Json& result) {
    const Json& kernels = result.at("kernels");
    constexpr const char* kTensor = "tensor cores";
    const bool tensor = std::any_of(kernels.begin(), kernels.end(), [](const Json& kernel) {
        return percent_of(kernel, kTensor) > 0;
    });
    const std::string unit = tensor ? kTensor : kFp32Unit;
    RooflineChart chart;
    chart.unit_name = unit;
    chart.labels_beside = true;
    if (kernels.empty()) return "";
    const auto roof = peak_of(kernels.front(), unit);
    const auto l2 = peak_of(kernels.front(), kL2Unit);
    const auto dram = peak_of(kernels.front(), kDramUnit);
    std::size_t without = 0;
    if (roof && l2 && dram) {
        chart.flop_per_second = *roof;
        chart.memories = {{"DRAM", *dram}, {"L2", *l2}};
        const double hertz = 1e6 * core_clock_mhz(result);
        for (const Json& kernel : kernels) {
            const Traffic of_l2 = traffic_of(kernel, kBorders[1]);
            const Traffic of_dram = traffic_of(kernel, kBorders[2]);
            RooflinePoint point;
            point.name = point.label = kernel.at("name");
            point.seconds = kernel.at("cycles").get<double>() / hertz;
            point.flop = percent_of(kernel, unit) / 100 * *roof * point.seconds;
            point.bytes = {of_dram.up.value_or(0) + of_dram.down.value_or(0),
                           std::max(of_l2.up.value_or(0), of_l2.down.value_or(0))};
            point.weight = point.seconds;
            point.colour = "#3f8cc4";
            if (point.flop <= 0) ++without;
            chart.points.push_back(std::move(point));
        }
    }
    if (without == chart.points.size()) {
        return "<p>Not drawn: no kernel has FLOP of tensor cores or FP32 lanes beside bytes of L2 "
               "and DRAM.</p>\n";
    }
    std::string note = fmt::format(
        "The line is what the {} ({}) and a memory allow. A kernel's area is its share of the "
        "time. The L2 reads and writes at once, so the larger of the two counts.",
        unit, rate_cell(chart.flop_per_second, "FLOP/s"));
    if (without == 1) note += " One kernel without such FLOP is not drawn.";
    if (without > 1) note += fmt::format(" {} kernels without such FLOP are not drawn.", without);
    return "<p class='note'>" + markup_escaped(note) + "</p>\n" + scrolling_chart(chart.svg());
}

}  // namespace tessera
