// How well the model's times agree with measured ones.
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
    std::optional<double> microseconds;  ///< the model's; nothing: it did not run

    /// The model's less the card's, in percent of the card's. Only of rows that ran.
    [[nodiscard]] double error_percent() const {
        return 100 * (*microseconds / measured.microseconds - 1);
    }
};

/// What is said of all rows that ran together. Coefficients are nothing where they are not defined:
/// of fewer than two rows, or where all times of one side are the same.
struct Agreement {
    std::size_t rows = 0;
    double mean_absolute_error_percent = 0;  ///< mean of |model / card - 1|
    double geometric_mean_ratio = 0;         ///< of model / card
    double farthest_factor = 0;              ///< the largest of model / card and card / model
    std::optional<double> pearson;           ///< of the logarithms, as times lie decades apart
    std::optional<double> spearman;          ///< of the ranks, equal times sharing theirs
};

/// Throws std::logic_error if no row ran.
[[nodiscard]] Agreement agreement_of(const std::vector<CorrelatedRow>& rows);

/// The rows as a table for terminals, and what they say together.
[[nodiscard]] std::string correlation_text(const std::vector<CorrelatedRow>& rows);
[[nodiscard]] nlohmann::ordered_json correlation_json(const std::vector<CorrelatedRow>& rows);
/// A page with the chart and the table, which loads nothing from elsewhere.
[[nodiscard]] std::string correlation_page(const std::string& title,
                                           const std::vector<CorrelatedRow>& rows);
/// The model's times over the card's, both axes logarithmic, with the line of equal times and those
/// a factor of two off; the numbers of a point are shown on hover.
[[nodiscard]] std::string correlation_svg(const std::vector<CorrelatedRow>& rows);

}  // namespace tessera
