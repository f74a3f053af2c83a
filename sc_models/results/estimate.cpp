#include "sc_models/results/estimate.h"

#include <cmath>

#include "sc_models/common/student_quantile.h"

namespace tessera {

std::optional<Estimate> estimate_of(const std::vector<double>& samples) {
    if (samples.empty()) return std::nullopt;
    const auto count = static_cast<double>(samples.size());
    Estimate estimate;
    estimate.samples = samples.size();
    for (const double sample : samples) estimate.mean += sample / count;
    if (samples.size() == 1) return estimate;
    double squares = 0;
    for (const double sample : samples) {
        squares += (sample - estimate.mean) * (sample - estimate.mean);
    }
    estimate.half_width =
        student_quantile(samples.size() - 1) * std::sqrt(squares / (count - 1) / count);
    return estimate;
}

}  // namespace tessera
