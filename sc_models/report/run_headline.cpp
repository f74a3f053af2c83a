#include "sc_models/report/run_headline.h"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sc_models/common/text_table.h"
#include "sc_models/page/markup.h"
#include "sc_models/run/kernel_limits.h"
#include "sc_models/run/run_files.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

std::string entry(const std::string& name, const std::string& value, const std::string& more = "") {
    if (value.empty()) return "";
    return markup("<div><dt>{}</dt><dd><strong>{}</strong>{}{}</dd></div>\n", name, value,
                  more.empty() ? "" : " ", more);
}

/// Time of all kernels, as text.
std::string time_text(double cycles, double mhz) {
    const double microseconds = cycles / mhz;
    return microseconds < 1000 ? fmt::format("{} µs", number_cell(microseconds, 1))
                               : fmt::format("{} ms", number_cell(microseconds / 1000, 2));
}

std::string mechanisms_text(const Json& result) {
    std::string names;
    for (const Json& mechanism : result.value("mechanisms", Json::array())) {
        names += (names.empty() ? "" : ", ") + mechanism.at("name").get<std::string>();
        if (!mechanism.at("acted").get<bool>()) names += " (without effect)";
    }
    return names.empty() ? "none" : names;
}

std::string energy_entry(const Json& result) {
    const auto energy = result.find("energy");
    if (energy == result.end() || !energy->contains("total")) return "";
    const Json& total = energy->at("total");
    return entry("energy", fmt::format("{} µJ", number_cell(total.at("uj").get<double>(), 1)),
                 fmt::format("{} to {}, by {}", number_cell(total.at("low_uj").get<double>(), 0),
                             number_cell(total.at("high_uj").get<double>(), 0),
                             energy->at("table").get<std::string>()));
}

}  // namespace

std::string run_headline(const Json& result) {
    const Json& kernels = result.at("kernels");
    if (kernels.empty()) return "";
    const double mhz = core_clock_mhz(result);
    const std::uint64_t sms = number_of_sms(result);
    double cycles = 0;
    for (const Json& kernel : kernels) cycles += kernel.at("cycles").get<double>();
    const Json& longest =
        *std::max_element(kernels.begin(), kernels.end(), [](const Json& a, const Json& b) {
            return a.at("cycles").get<double>() < b.at("cycles").get<double>();
        });
    const std::string bound = longest.value("bound_by", std::string());
    const std::string limit{limit_name(bound)};
    const double share = 100 * longest.at("cycles").get<double>() / std::max(cycles, 1.0);
    std::string out = "<dl class='headline'>\n";
    out += entry("machine", fmt::format("{} SM{}", sms, sms == 1 ? "" : "s"),
                 fmt::format("at {:g} MHz", mhz));
    out += entry("mechanism", mechanisms_text(result));
    out += entry("layer", result.value("workload", std::string()));
    out += entry("time", time_text(cycles, mhz),
                 fmt::format("{:.0f} cycles of {} kernel{}", cycles, kernels.size(),
                             kernels.size() == 1 ? "" : "s"));
    out += entry("bound by", limit,
                 fmt::format("{}, {} % of the time{}", longest.at("name").get<std::string>(),
                             number_cell(share, 0), bound.substr(limit.size())));
    out += energy_entry(result);
    return out + "</dl>\n";
}

}  // namespace tessera
