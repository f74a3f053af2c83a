// Mean of random samples with its confidence interval.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// Mean of samples and the half width of its 95 % confidence interval by Student's t distribution.
/// Fewer than two samples have no interval.
struct Estimate {
    double mean = 0;
    std::optional<double> half_width;
    std::size_t samples = 0;
};

/// Returns nothing if there are no samples.
[[nodiscard]] std::optional<Estimate> estimate_of(const std::vector<double>& samples);

}  // namespace tessera
