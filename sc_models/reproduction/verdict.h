// Result class of a paper's figure, by one rule for all figures.
#pragma once

#include <array>
#include <string_view>

#include "sc_models/reproduction/paper_figure.h"
#include "sc_models/results/estimate.h"

namespace tessera {

/// Result classes, from best to worst.
enum class Verdict { kReproduced, kPartly, kNot, kNotMeasured };

/// A result class's name in tables, and its rule.
struct VerdictText {
    std::string_view name, rule;
};
/// Texts by Verdict.
inline constexpr std::array<VerdictText, 4> kVerdictText = {{
    {"reproduced",
     "the paper's number is inside the 95 % interval of ours, or ours is within 10 % of it, or, "
     "for "
     "a share, within 5 points; what is exact equals the digits printed; an interval that holds no "
     "effect reproduces nothing"},
    {"partly", "on the same side of no effect and within a factor of two"},
    {"not", "neither"},
    {"not measured", "there is no number of ours"},
}};

[[nodiscard]] std::string_view verdict_name(Verdict verdict);

/// Result class of `ours`. Precondition: the paper states a number.
[[nodiscard]] Verdict verdict_of(const PaperFigure& paper, const Estimate& ours);

}  // namespace tessera
