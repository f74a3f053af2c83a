// Result section or page of one run.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tessera {

/// A single run on a page.
struct ReportedRun {
    std::string name;  ///< path it was read from
    nlohmann::ordered_json result;
    /// Contents of its over_time.json, if present.
    std::optional<nlohmann::ordered_json> over_time = {};
};

/// Formats a metric for readers: integers unchanged, other numbers with four decimals.
[[nodiscard]] std::string metric_text(const nlohmann::ordered_json& value);
/// Section with its own heading: mechanisms, kernels with their limits, issue slots, a roofline,
/// traffic between memory levels, figures over time, all key figures.
[[nodiscard]] std::string run_html(const ReportedRun& run);
/// Page with this run only.
[[nodiscard]] std::string run_page(const ReportedRun& run);

}  // namespace tessera
