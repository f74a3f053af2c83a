#include "sc_models/gpu/wave_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tessera {

void WaveTimes::add(Cycle launch) {
    if (launched_++ % slots_ == 0) launch_sums_.push_back(0);
    launch_sums_.back() += launch;
}

double WaveTimes::cycles(std::size_t wave) const {
    const double next = static_cast<double>(launch_sums_[wave + 1]);
    return (next - static_cast<double>(launch_sums_[wave])) / static_cast<double>(slots_);
}

WaveEstimate WaveTimes::estimate(const std::vector<std::size_t>& measured,
                                 std::uint32_t others) const {
    const auto count = static_cast<double>(measured.size());
    double mean = 0;
    for (const std::size_t wave : measured) mean += cycles(wave) / count;
    WaveEstimate result;
    result.cycles = mean * others;
    if (others == 0) return result;
    if (measured.size() < 2) {
        result.half_width = std::numeric_limits<double>::infinity();
        return result;
    }
    double squares = 0;
    for (const std::size_t wave : measured) {
        squares += (cycles(wave) - mean) * (cycles(wave) - mean);
    }
    const double deviation = std::sqrt(squares / (count - 1));
    result.half_width = student_quantile(measured.size() - 1) * deviation *
                        std::sqrt(others * (others / count + 1.0));
    return result;
}

double student_quantile(std::size_t freedom) {
    // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, 0.975.
    constexpr std::array<double, 30> kTable = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    return kTable[std::min(freedom, kTable.size()) - 1];
}

}  // namespace tessera
