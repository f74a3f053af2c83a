// Reasons why figures are not reproduced: sentences whose numbers the program fills in.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A place for a number in a reason: `{KIND ARGUMENT...}`.
struct ReasonPlace {
    std::string kind;
    std::vector<std::string> arguments;
};

/// A kind of place, with the number of its arguments and what they are.
struct ReasonKind {
    std::string_view name;
    std::size_t arguments;
    std::string_view usage;
};
/// Kinds of places.
inline constexpr ReasonKind kReasonKinds[] = {
    {"ours", 1, "{ours FIGURE}"},
    {"paper", 1, "{paper FIGURE}"},
    {"remark", 1, "{remark FIGURE}"},
    {"atlas", 2, "{atlas FIGURE POINT}"},
    {"cell", 4, "{cell EXPERIMENT LAYER VARIANT COLUMN}"},
};

/// Places of a reason, in order. Returns the error of the first wrong place in `error`.
[[nodiscard]] std::vector<ReasonPlace> places_of(const std::string& reason, std::string& error);

/// Mistake in a reason; empty if there is none. Reasons hold no typed numbers: a number stands in a
/// place, in the paper's words, in a name (C1, 8x8), or after Figure, Table or batch. The paper's
/// words stand in quotation marks behind the section that has them: `VI-A: "the words"`.
[[nodiscard]] std::string mistake_in_reason(const std::string& reason);

/// The reason with its numbers; `number` returns the text for a place.
[[nodiscard]] std::string filled_reason(
    const std::string& reason, const std::function<std::string(const ReasonPlace&)>& number);

}  // namespace tessera
