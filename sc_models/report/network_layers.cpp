#include "sc_models/report/network_layers.h"

#include <fmt/format.h>
#include <utility>

#include "sc_models/chart/layer_chart.h"
#include "sc_models/chart/roofline_chart.h"
#include "sc_models/common/text_table.h"
#include "sc_models/page/markup.h"
#include "sc_models/report/html_page.h"
#include "sc_models/report/limit_class.h"
#include "sc_models/results/network_results.h"
#include "sc_models/run/kernel_limits.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

/// Charts of all layers of a network.
class NetworkLayers {
public:
    explicit NetworkLayers(const Json& network)
        : network_(network),
          variants_(network.at("variants")),
          layers_(network.value("layers", Json::array())),
          mhz_(network.at("core_clock_mhz").get<double>()) {}

    [[nodiscard]] std::string html() const {
        return time_by_layer() + limits_by_layer() + zeros_by_layer() + roofline();
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

    /// Chart of all layers, without its panels.
    [[nodiscard]] LayerColumns layer_chart() const {
        LayerColumns chart;
        chart.legend.assign(kNetworkKinds.begin(), kNetworkKinds.end());
        chart.colours.assign(kNetworkKindColours.begin(), kNetworkKindColours.end());
        for (const Json& layer : layers_) {
            chart.names.push_back(layer.at("name"));
            chart.kinds.push_back(network_kind(layer));
        }
        return chart;
    }

    [[nodiscard]] std::string time_by_layer() const {
        if (layers_.empty()) return "";
        LayerColumns chart = layer_chart();
        chart.unit = "µs";
        chart.mark_name = "on " + name(0);
        for (std::size_t v = 0; v < variants_.size(); ++v) {
            LayerPanel panel;
            panel.title = name(v);
            for (std::size_t i = 0; i < layers_.size(); ++i) {
                const Json& time = layers_[i].at("times")[v];
                panel.values.emplace_back(cycles(i, v) / mhz_);
                panel.half_widths.push_back(time.value("cycles_half_width", 0.0) / mhz_);
                if (v == 0) continue;
                panel.marks.emplace_back();
                if (time.at("own").get<bool>()) panel.marks.back() = cycles(i, 0) / mhz_;
            }
            chart.panels.push_back(std::move(panel));
        }
        return "<h2>Time by layer</h2>\n<p class='note'>Numbers are those of the table below; the "
               "tip of a column has its name.</p>\n" +
               scrolling_chart(chart.svg());
    }

    /// A column a layer in the colour of its limit, with the share of each class in the time.
    [[nodiscard]] std::string limits_by_layer() const {
        if (layers_.empty()) return "";
        LayerColumns chart = layer_chart();
        chart.unit = "µs";
        chart.legend.clear();
        chart.colours.clear();
        std::array<double, kLimitClasses.size()> sums{};
        LayerPanel panel;
        panel.title = name(0);
        for (const LimitClassText& limit : kLimitClasses) {
            chart.legend.emplace_back(limit.name);
            chart.colours.emplace_back(limit.colour);
        }
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const std::string bound_by = layers_[i].at("times")[0].at("bound_by");
            chart.kinds[i] = static_cast<std::size_t>(limit_class(bound_by));
            sums[chart.kinds[i]] += cycles(i, 0);
            panel.values.emplace_back(cycles(i, 0) / mhz_);
        }
        chart.panels.push_back(std::move(panel));
        std::string shares;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            if (sums[i] == 0) continue;
            shares += fmt::format("{}{} {} %", shares.empty() ? "" : ", ", kLimitClasses[i].name,
                                  number_cell(100 * sums[i] / total(0)));
        }
        return markup(
                   "<h2>Limits by layer</h2>\n<p>Layers that are bound by each take of the time: "
                   "{}.</p>\n<p class='note'>A layer is bound by launches if they take at least "
                   "half of its time, by a unit of memory or arithmetic that reaches {:g} % of its "
                   "peak, and by latency otherwise.</p>\n",
                   shares, kBoundPercent) +
               scrolling_chart(chart.svg());
    }

    [[nodiscard]] std::string zeros_by_layer() const {
        LayerColumns chart = layer_chart();
        chart.unit = "%";
        chart.top = 100;
        chart.named = 0;
        bool any = false;
        for (const auto& [key, title] :
             {std::pair("zeros_a", "A: activations"), std::pair("zeros_b", "B: weights")}) {
            LayerPanel panel;
            double sum = 0;
            std::size_t known = 0;
            for (const Json& layer : layers_) {
                panel.values.emplace_back();
                if (!layer.contains(key) || !layer.at("is_product").get<bool>()) continue;
                panel.values.back() = 100 * layer.at(key).get<double>();
                sum += *panel.values.back();
                ++known;
            }
            if (known == 0) continue;
            any = true;
            panel.title = fmt::format("{}, {} % in the mean of {} layers", title,
                                      number_cell(sum / static_cast<double>(known)), known);
            chart.panels.push_back(std::move(panel));
        }
        const std::string begin = "<h2>Zeros by layer</h2>\n";
        if (!any) {
            return begin +
                   "<p>Not known: nothing in these runs depends on them. A sparse mechanism, or "
                   "<code>--set values=on</code>, has them counted.</p>\n";
        }
        return begin +
               "<p class='note'>Of what convolutions and products multiply, in percent.</p>\n" +
               scrolling_chart(chart.svg());
    }

    [[nodiscard]] std::string roofline() const {
        const Json& peaks = network_.at("peaks");
        const double hertz = mhz_ * 1e6;
        RooflineChart chart;
        chart.unit_name = peaks.at("compute");
        chart.flop_per_second = peaks.at("flop_per_cycle").get<double>() * hertz;
        chart.memories = {{"DRAM", peaks.at("dram_bytes_per_cycle").get<double>() * hertz},
                          {"L2", peaks.at("l2_bytes_per_cycle").get<double>() * hertz}};
        std::size_t without = 0;
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const Json& layer = layers_[i];
            const Json& time = layer.at("times")[0];
            RooflinePoint point;
            point.name = fmt::format("{} {}", i + 1, layer.at("name").get<std::string>());
            point.label = std::to_string(i + 1);
            point.flop = layer.at("flop");
            point.seconds = cycles(i, 0) / hertz;
            point.bytes = {time.at("dram_bytes"), time.at("l2_bytes")};
            point.weight = cycles(i, 0);
            point.colour = kNetworkKindColours[network_kind(layer)];
            if (point.flop <= 0) ++without;
            chart.points.push_back(std::move(point));
        }
        if (without == layers_.size()) return "";
        std::string note = fmt::format(
            "Layers on {} alone: the line is what its {} ({}) and a memory allow. A point's area "
            "is its share of the time; FLOP are those that the network needs. The L2 reads and "
            "writes at once, so the larger of the two counts.",
            name(0), chart.unit_name, rate_cell(chart.flop_per_second, "FLOP/s"));
        if (without > 0) {
            note += fmt::format(" {} layers without FLOP, copies say, are not drawn.", without);
        }
        return markup("<h2>Roofline</h2>\n<p class='note'>{}</p>\n", note) +
               scrolling_chart(chart.svg());
    }

    const Json& network_;
    const Json& variants_;
    const Json layers_;
    double mhz_;
};

}  // namespace

std::size_t network_kind(const Json& layer) {
    if (!layer.at("is_product").get<bool>()) return 2;
    const std::string operation = layer.at("operator");
    const bool convolution = operation.rfind("Conv", 0) == 0 || operation == "convolution";
    return convolution ? 0 : 1;
}

std::string network_layer_charts(const Json& network) {
    return NetworkLayers(network).html();
}

}  // namespace tessera
