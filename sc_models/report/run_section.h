// A run as a page, or as a part of one: where its time went.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tessera {

/// A single run on a page.
struct ReportedRun {
    std::string name;  ///< where it was read from
    nlohmann::ordered_json result;
    /// Its over_time.json, if it has one.
    std::optional<nlohmann::ordered_json> over_time = {};
};

/// A metric of a run for people: an integer as it is, another number with four decimals.
[[nodiscard]] std::string metric_text(const nlohmann::ordered_json& value);
/// The run under a heading of its own: mechanisms, kernels and what bounds them, where every issue
/// slot went, a roofline, traffic between the levels of memory, figures over time, all key figures.
[[nodiscard]] std::string run_html(const ReportedRun& run);
/// The same as a page of its own.
[[nodiscard]] std::string run_page(const ReportedRun& run);

}  // namespace tessera
