#include "sc_models/reproduction/verdict.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr double kPoints = 5;       // tolerance of percentages
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
    if (paper.kind == FigureKind::kExact) {
        return is_equal_as_printed(paper, ours.mean) ? Verdict::kReproduced : Verdict::kNot;
    }
    const double gap = std::abs(ours.mean - stated);
    const double near = std::max({paper.is_percentage() ? kPoints : 0.0,
                                  kRelative * std::abs(stated), ours.half_width.value_or(0)});
    if (gap <= near) return Verdict::kReproduced;
    const bool same_sign = ours.mean * stated > 0;
    const double small = std::min(std::abs(ours.mean), std::abs(stated));
    const double large = std::max(std::abs(ours.mean), std::abs(stated));
    return same_sign && large <= kFactor * small ? Verdict::kPartly : Verdict::kNot;
}

bool is_below_tolerance(const PaperFigure& paper) {
    return paper.is_percentage() && paper.value && std::abs(*paper.value) <= kPoints;
}

}  // namespace tessera
