#include "sc_models/report/network_page.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "sc_models/chart/svg_chart.h"
#include "sc_models/chart/svg_drawing.h"
#include "sc_models/common/text_table.h"
#include "sc_models/page/markup.h"
#include "sc_models/report/html_page.h"
#include "sc_models/report/network_layers.h"
#include "sc_models/results/network_results.h"
#include "sc_models/run/kernel_limits.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

/// A number of the results with half of its interval, both divided by `unit`.
std::string cell(const Json& of, const std::string& key, int decimals, double unit = 1) {
    std::string text = number_cell(of.at(key).get<double>() / unit, decimals);
    const auto width = of.find(key + "_half_width");
    if (width != of.end()) {
        text += " ± " + number_cell(width->get<double>() / unit, decimals);
    }
    return text;
}

/// The page of one network.
class NetworkPage {
public:
    explicit NetworkPage(const Json& network)
        : network_(network),
          variants_(network.at("variants")),
          layers_(network.value("layers", Json::array())),
          mhz_(network.at("core_clock_mhz").get<double>()) {}

    std::string html() const {
        return heading() + headline() + totals() + network_layer_charts(network_) + table() +
               left_out() + configurations();
    }

private:
    [[nodiscard]] std::string name(std::size_t variant) const {
        return variants_[variant].at("name");
    }
    [[nodiscard]] double cycles(std::size_t layer, std::size_t variant) const {
        return layers_[layer].at("times")[variant].at("cycles");
    }
    [[nodiscard]] double total(std::size_t variant) const {
        return variants_[variant].at("cycles");
    }

    [[nodiscard]] std::string heading() const {
        const Json& tool = network_.at("tool");
        std::string out = markup(
            "<h1>{} on {}</h1>\n<p class='note'><code>{}</code><br>tessera {} ({}), {} layers.",
            network_.at("network").get<std::string>(), name(0),
            network_.at("command").get<std::string>(), tool.at("version").get<std::string>(),
            tool.at("git_revision").get<std::string>(), layers_.size());
        if (network_.contains("seeds")) {
            out += fmt::format(
                " Times are means of {} launches, ± half of the 95 % interval over them.",
                network_.at("seeds").size());
        }
        if (network_.at("sampled").get<bool>()) {
            out += " Large kernels were sampled: ± is half of the 95 % interval of that.";
        }
        return out + "</p>\n";
    }

    /// Speedup of each mechanism over all layers, and the machine's own time.
    [[nodiscard]] std::string headline() const {
        std::string out = "<dl class='headline'>\n";
        const auto entry = [](const std::string& title, const std::string& value,
                              const std::string& more) {
            return markup("<div><dt>{}</dt><dd><strong>{}</strong> {}</dd></div>\n", title, value,
                          more);
        };
        for (std::size_t v = 1; v < variants_.size(); ++v) {
            out += entry(name(v), cell(variants_[v], "speedup", 3) + " x",
                         fmt::format("{} µs; with the faster kernel of each layer {} x",
                                     cell(variants_[v], "cycles", 1, mhz_),
                                     cell(variants_[v], "speedup_with_faster_kernels", 3)));
        }
        out += entry(name(0) + " alone", cell(variants_[0], "cycles", 1, mhz_) + " µs",
                     fmt::format("{} layers, {} % of the time launches", layers_.size(),
                                 number_cell(variants_[0].at("launch_percent").get<double>())));
        return out + "</dl>\n";
    }

    /// Time of a variant by kind of layer: all layers on the variant, or each layer on the faster
    /// kernel.
    [[nodiscard]] StackedBar bar(std::size_t variant, bool faster) const {
        StackedBar bar;
        bar.name = name(variant) + (faster ? ", faster kernel of each" : "");
        bar.parts.assign(kNetworkKinds.size(), 0);
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const double own = cycles(i, variant);
            bar.parts[network_kind(layers_[i])] +=
                (faster ? std::min(own, cycles(i, 0)) : own) / mhz_;
        }
        const std::string key = faster ? "cycles_with_faster_kernels" : "cycles";
        if (variants_[variant].contains(key + "_half_width")) {
            bar.half_width = variants_[variant].at(key + "_half_width").get<double>() / mhz_;
        }
        bar.words = cell(variants_[variant], key, 1, mhz_);
        return bar;
    }

    [[nodiscard]] std::string totals() const {
        HtmlTable table({"machine", "speedup [x]", "same launches [x]", "time [µs]", "launches [%]",
                         "with the faster kernel of each: speedup [x]", "same launches [x]",
                         "time [µs]", "layers of its own", "values checked"});
        StackedChart bars;
        bars.unit = "µs";
        bars.legend.assign(kNetworkKinds.begin(), kNetworkKinds.end());
        bars.colours.assign(kNetworkKindColours.begin(), kNetworkKindColours.end());
        for (std::size_t v = 0; v < variants_.size(); ++v) {
            const Json& variant = variants_[v];
            const auto of_mechanism = [&](const char* key, int decimals, double unit = 1) {
                return v == 0 ? std::string() : cell(variant, key, decimals, unit);
            };
            table.row(
                {name(v), v == 0 ? "1" : cell(variant, "speedup", 3),
                 of_mechanism("speedup_same_launches", 3), cell(variant, "cycles", 1, mhz_),
                 number_cell(variant.at("launch_percent").get<double>()),
                 of_mechanism("speedup_with_faster_kernels", 3),
                 of_mechanism("speedup_with_faster_kernels_same_launches", 3),
                 of_mechanism("cycles_with_faster_kernels", 1, mhz_),
                 std::to_string(variant.at("layers_of_its_own").get<int>()),
                 fmt::format("{} of {}", variant.at("layers_checked").get<int>(), layers_.size())});
            bars.bars.push_back(bar(v, false));
            if (v > 0) bars.bars.push_back(bar(v, true));
        }
        return "<h2>What each mechanism is worth</h2>\n<p class='note'>The first machine is what "
               "the others are compared with. Layers for which a mechanism has no use, or which "
               "it cannot run, run as on that machine. Same launches: as if the launches of each "
               "layer's kernels took as long as on the first machine.</p>\n" +
               table.str() + of_no_use() + scrolling_chart(bars.svg());
    }

    [[nodiscard]] std::string of_no_use() const {
        std::string notes;
        for (const std::string note : network_.value("of_no_use", Json::array())) {
            notes += markup("<p class='note'>{}</p>\n", note);
        }
        return notes;
    }

    /// Kernel name without the layer's name in front. The row names the layer, or the layer shares
    /// the kernel of an equal one.
    [[nodiscard]] std::string kernel_name(const std::string& kernel) const {
        std::size_t longest = 0;
        for (const Json& layer : layers_) {
            const std::string begin = layer.at("name").get<std::string>() + ".";
            if (kernel.rfind(begin, 0) == 0) longest = std::max(longest, begin.size());
        }
        return kernel.substr(longest);
    }

    /// Limit of a layer: the short form as text, the full form as tooltip.
    static std::string limit_cell(const std::string& bound_by) {
        return markup("<span title='{}'>{}</span>", bound_by, limit_name(bound_by));
    }
    static std::string zeros_cell(const Json& layer, const char* key) {
        return layer.contains(key) ? number_cell(100 * layer.at(key).get<double>()) : "-";
    }

    [[nodiscard]] std::string table() const {
        std::vector<std::string> header = {"layer",     "#",           "operator",   "shape",
                                           "type",      "kernel",      "limited by", "cycles",
                                           "share [%]", "launches [%]"};
        for (std::size_t v = 1; v < variants_.size(); ++v) {
            header.push_back(name(v) + " [x]");
            header.emplace_back("same launches [x]");
        }
        for (const char* last :
             {"DRAM [KiB]", "L2 [KiB]", "KiB", "zeros A [%]", "B [%]", "MFLOP"}) {
            header.emplace_back(last);
        }
        constexpr std::size_t kWords = 7;
        constexpr double kKib = 1024;
        HtmlTable table(header, kWords);
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const Json& layer = layers_[i];
            const Json& alone = layer.at("times")[0];
            const auto text = [&layer](const char* key) {
                return markup_escaped(layer.at(key).get<std::string>());
            };
            std::vector<std::string> row = {
                text("name"), std::to_string(i + 1), text("operator"), text("shape"),
                // Results of older versions have none.
                markup_escaped(layer.value("type", std::string("-"))),
                markup_escaped(kernel_name(alone.at("kernel"))), limit_cell(alone.at("bound_by")),
                cell(alone, "cycles", 0), number_cell(100 * cycles(i, 0) / total(0)),
                number_cell(100 * alone.at("launch_cycles").get<double>() / cycles(i, 0))};
            std::vector<std::string> classes(row.size());
            for (std::size_t v = 1; v < variants_.size(); ++v) {
                const Json& time = layer.at("times")[v];
                for (const char* key : {"speedup", "speedup_same_launches"}) {
                    classes.push_back(speedup_class(time, key));
                    row.push_back(speedup_cell(time, key));
                }
            }
            row.push_back(number_cell(alone.at("dram_bytes").get<double>() / kKib, 0));
            row.push_back(number_cell(alone.at("l2_bytes").get<double>() / kKib, 0));
            row.push_back(number_cell(layer.at("bytes").get<double>() / kKib, 0));
            row.push_back(zeros_cell(layer, "zeros_a"));
            row.push_back(zeros_cell(layer, "zeros_b"));
            row.push_back(number_cell(layer.at("flop").get<double>() / 1e6));
            table.markup_row(row, "", classes);
        }
        return "<h2>Layers</h2>\n<p class='note'>Bytes are those of operands and results, each "
               "once; what DRAM and the L2 moved is beside them. The tip of a limit says how near "
               "it is, that of a dash why a mechanism did not run a layer.</p>\n" +
               table.str();
    }
    static std::string speedup_cell(const Json& time, const char* key) {
        if (time.at("own").get<bool>()) return cell(time, key, 2);
        const std::string why = time.value("why_not", std::string());
        if (why.empty()) return "-";
        return markup("<span title='{}'>-</span>", why);
    }
    static std::string speedup_class(const Json& time, const char* key) {
        if (!time.at("own").get<bool>()) return "none";
        constexpr double kNear = 0.005;  // rounds to 1 with two decimals
        const double speedup = time.at(key);
        if (speedup > 1 + kNear) return "near";
        return speedup < 1 - kNear ? "far" : "";
    }

    [[nodiscard]] std::string left_out() const {
        if (!network_.contains("not_simulated")) return "";
        HtmlTable table({"node", "operator", "share of FLOP [%]", "why"}, 2, 1);
        double percent = 0;
        for (const Json& node : network_.at("not_simulated")) {
            percent += node.at("percent_of_flop").get<double>();
            table.row({node.at("node"), node.at("operator"),
                       number_cell(node.at("percent_of_flop").get<double>(), 2), node.at("reason")},
                      "", {"", "", "", "long"});
        }
        return fmt::format(
                   "<h2>Left out</h2>\n<p>{} nodes are not simulated. They are {} % of the "
                   "network's FLOP.</p>\n",
                   network_.at("not_simulated").size(), number_cell(percent, 2)) +
               table.str();
    }

    [[nodiscard]] std::string configurations() const {
        HtmlTable table({"machine", "configurations", "keys set"}, 3);
        const auto joined = [](const Json& list) {
            std::string text;
            for (const Json& entry : list) {
                text += (text.empty() ? "" : ", ") + entry.get<std::string>();
            }
            return text;
        };
        for (const Json& variant : variants_) {
            table.row(
                {variant.at("name"), joined(variant.at("configs")), joined(variant.at("sets"))}, "",
                {"", "", "long"});
        }
        return "<h2>What was run</h2>\n" + table.str();
    }

    const Json& network_;
    const Json& variants_;
    const Json layers_;
    double mhz_;
};

}  // namespace

std::string network_html(const Json& network) {
    return NetworkPage(network).html();
}

std::string network_text(const Json& network) {
    const double mhz = network.at("core_clock_mhz");
    TextTable table({"machine", "time [us]", "+-", "launches [%]", "speedup [x]", "+-",
                     "same launches [x]", "with faster kernels [x]", "+-", "same launches [x]"});
    const auto optional = [](const Json& of, const std::string& key, double unit, int decimals) {
        return of.contains(key) ? number_cell(of.at(key).get<double>() / unit, decimals)
                                : std::string("-");
    };
    for (const Json& variant : network.at("variants")) {
        table.add({variant.at("name"), optional(variant, "cycles", mhz, 1),
                   optional(variant, "cycles_half_width", mhz, 1),
                   optional(variant, "launch_percent", 1, 1), optional(variant, "speedup", 1, 3),
                   optional(variant, "speedup_half_width", 1, 3),
                   optional(variant, "speedup_same_launches", 1, 3),
                   optional(variant, "speedup_with_faster_kernels", 1, 3),
                   optional(variant, "speedup_with_faster_kernels_half_width", 1, 3),
                   optional(variant, "speedup_with_faster_kernels_same_launches", 1, 3)});
    }
    std::string notes;
    for (const std::string note : network.value("of_no_use", Json::array())) notes += note + "\n";
    return fmt::format("\n{}: {} layers\n{}{}", network.at("network").get<std::string>(),
                       network.value("layers", Json::array()).size(), table.str(), notes);
}

std::string network_page(const Json& network) {
    return html_page(network.at("network").get<std::string>() + " on " +
                         network.at("variants")[0].at("name").get<std::string>(),
                     network_html(network));
}

}  // namespace tessera
