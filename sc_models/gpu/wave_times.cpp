#include "sc_models/gpu/wave_times.h"

#include <cmath>
#include <limits>

#include "sc_models/common/student_quantile.h"

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

}  // namespace tessera
