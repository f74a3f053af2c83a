#include "sc_models/cosim/scoreboard.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera {

std::string Scoreboard::EventLog::lines(std::string_view heading) const {
    if (logged_ == 0) return {};
    std::string text = fmt::format("  {}:\n", heading);
    for (std::uint64_t i = logged_ - std::min<std::uint64_t>(logged_, kEvents); i < logged_; ++i) {
        const LoggedEvent& event = events_[i % kEvents];
        text +=
            fmt::format("    cycle {}: {}\n", event.cycle,
                        fmt::format(fmt::runtime(event.format), event.arguments[0],
                                    event.arguments[1], event.arguments[2], event.arguments[3]));
    }
    return text;
}

void Scoreboard::differ(std::string_view signal, std::uint64_t expected, std::uint64_t got) {
    differ(signal, fmt::format("{:#x}", expected), fmt::format("{:#x}", got));
}

void Scoreboard::differ(std::string_view what, const std::string& expected,
                        const std::string& got) {
    if (errors_++ > 0) return;
    report_ = fmt::format("first divergence in cycle {}: {}\n  expected {}\n  got      {}\n",
                          cycle_, what, expected, got);
    if (describe_inputs_) report_ += fmt::format("  inputs   {}\n", describe_inputs_());
    report_ += common_.lines("last transactions");
    report_ += expected_.lines("last transactions of the reference");
    report_ += got_.lines("last transactions of the module");
    report_ += fmt::format("  again    {}\n", reproduce_);
}

}  // namespace tessera
