#include "sc_models/study/estimate.h"

#include <array>
#include <cmath>

namespace tessera {
namespace {

/// The 97.5 % quantile of Student's t distribution by degrees of freedom, from 1.
constexpr std::array<double, 30> kStudent = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
/// The same of the normal distribution, for more.
constexpr double kNormal = 1.960;

}  // namespace

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
    const std::size_t freedom = samples.size() - 1;
    const double quantile = freedom <= kStudent.size() ? kStudent[freedom - 1] : kNormal;
    estimate.half_width = quantile * std::sqrt(squares / (count - 1) / count);
    return estimate;
}

}  // namespace tessera
