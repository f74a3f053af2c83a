// The mean of something that moves by chance, with what is known of it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// The mean of samples, and the half width of its 95 % confidence interval by Student's t
/// distribution. Of one sample, and of none, no interval is known.
struct Estimate {
    double mean = 0;
    std::optional<double> half_width;
    std::size_t samples = 0;
};

/// Nothing of no samples.
[[nodiscard]] std::optional<Estimate> estimate_of(const std::vector<double>& samples);

}  // namespace tessera
