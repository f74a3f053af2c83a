#include "sc_models/reproduction/verdict.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr double kPoints = 5;       // tolerance of shares
constexpr double kRelative = 0.10;  // tolerance of all numbers
constexpr double kFactor = 2;

/// Whether `ours`, rounded to the printed digits, equals the paper's number.
bool is_equal_as_printed(const PaperFigure& paper, double ours) {
    const std::size_t point = paper.stated.find('.');
    const std::size_t decimals = point == std::string::npos ? 0 : paper.stated.size() - point - 1;
    const double unit = std::pow(10.0, -static_cast<double>(decimals));
    return std::abs(ours - *paper.value) <= unit / 2;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
    return kVerdictText[static_cast<std::size_t>(verdict)].name;
}

Verdict verdict_of(const PaperFigure& paper, const Estimate& ours) {
    const double stated = *paper.value;
    if (paper.kind == FigureKind::kExact || stated == paper.nothing) {
        return is_equal_as_printed(paper, ours.mean) ? Verdict::kReproduced : Verdict::kNot;
    }
    const double our_effect = ours.mean - paper.nothing;
    const double stated_effect = stated - paper.nothing;
    if (our_effect * stated_effect <= 0) return Verdict::kNot;  // no effect, or the opposite
    // Percentages are compared as effects, ratios as printed.
    const bool is_change = paper.is_percentage();
    const double our_size = std::abs(is_change ? our_effect : ours.mean);
    const double stated_size = std::abs(is_change ? stated_effect : stated);
    const double half_width = ours.half_width.value_or(0);
    const double near = std::max(
        {paper.measure == Measure::kShare ? kPoints : 0.0, kRelative * stated_size, half_width});
    const bool is_certain = std::abs(our_effect) > half_width;
    if (std::abs(ours.mean - stated) <= near && is_certain) return Verdict::kReproduced;
    const double small = std::min(our_size, stated_size);
    const double large = std::max(our_size, stated_size);
    return large <= kFactor * small ? Verdict::kPartly : Verdict::kNot;
}

}  // namespace tessera
