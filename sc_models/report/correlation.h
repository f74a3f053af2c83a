// Agreement of the model's times with measured times.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/report/measured_table.h"

namespace tessera {

/// A kernel's time on the card and in the model.
struct CorrelatedRow {
    MeasuredRow measured;
    std::optional<double> microseconds;  ///< the model's time; empty if the kernel did not run

    /// Error of the model relative to the card, in percent. Precondition: `microseconds` is set.
    [[nodiscard]] double error_percent() const {
        return 100 * (*microseconds / measured.microseconds - 1);
    }
};

/// Statistics over all rows that ran. The coefficients are empty where they are undefined: for
/// fewer than two rows, or if all times of one side are equal.
struct Agreement {
    std::size_t rows = 0;
    double mean_absolute_error_percent = 0;  ///< mean of |model / card - 1|
    double geometric_mean_ratio = 0;         ///< geometric mean of model / card
    double farthest_factor = 0;              ///< largest of model / card and card / model
    std::optional<double> pearson;           ///< of the logarithms, because times span decades
    std::optional<double> spearman;          ///< of the ranks; equal times share their mean rank
};

/// Throws std::logic_error if no row ran.
[[nodiscard]] Agreement agreement_of(const std::vector<CorrelatedRow>& rows);

/// Table of the rows for terminals, followed by the agreement over all of them.
[[nodiscard]] std::string correlation_text(const std::vector<CorrelatedRow>& rows);
[[nodiscard]] nlohmann::ordered_json correlation_json(const std::vector<CorrelatedRow>& rows);
/// Self-contained page with the chart and the table.
[[nodiscard]] std::string correlation_page(const std::string& title,
                                           const std::vector<CorrelatedRow>& rows);
/// Scatter chart of the model's time over the card's, both axes logarithmic, with lines for equal
/// times and for a factor of two. A point shows its numbers on hover.
[[nodiscard]] std::string correlation_svg(const std::vector<CorrelatedRow>& rows);

}  // namespace tessera
