#include "sc_models/config/fault_plan.h"

#include <fmt/format.h>
#include <charconv>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

bool parse_number(std::string_view text, std::uint64_t& value) {
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return !text.empty() && result.ec == std::errc() && result.ptr == end;
}

}  // namespace

FaultPlan FaultPlan::parse(std::string_view text, std::string_view option) {
    FaultPlan plan;
    plan.origin = fmt::format("{}: got '{}'", option, text);
    const auto refuse = [&] {
        throw ConfigError(plan.origin +
                          ", expected invert:BIT, stuck0:BIT, stuck1:BIT or late, each with @CYCLE "
                          "behind it if it is to start later");
    };
    std::string_view what = text;
    const std::size_t at = what.find('@');
    if (at != std::string_view::npos) {
        if (!parse_number(what.substr(at + 1), plan.from)) refuse();
        what = what.substr(0, at);
    }
    if (what == "late") {
        plan.kind = FaultKind::kLateByOne;
        return plan;
    }
    const std::size_t colon = what.find(':');
    std::uint64_t bit = 0;
    if (colon == std::string_view::npos || !parse_number(what.substr(colon + 1), bit)) refuse();
    const std::string_view kind = what.substr(0, colon);
    if (kind == "invert") plan.kind = FaultKind::kInvert;
    if (kind == "stuck0") plan.kind = FaultKind::kStuckAt0;
    if (kind == "stuck1") plan.kind = FaultKind::kStuckAt1;
    if (plan.kind == FaultKind::kNone || bit > ~std::uint32_t{0}) refuse();
    plan.bit = static_cast<std::uint32_t>(bit);
    return plan;
}

}  // namespace tessera
