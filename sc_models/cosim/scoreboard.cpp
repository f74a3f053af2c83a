#include "sc_models/cosim/scoreboard.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera {

void Scoreboard::differ(std::string_view signal, std::uint64_t expected, std::uint64_t got) {
    if (errors_++ > 0) return;
    report_ = fmt::format("first divergence in cycle {}: {}\n  expected {:#x}\n  got      {:#x}\n",
                          cycle_, signal, expected, got);
    if (describe_inputs_) report_ += fmt::format("  inputs   {}\n", describe_inputs_());
    if (logged_ > 0) report_ += "  last transactions:\n";
    for (std::uint64_t i = logged_ - std::min<std::uint64_t>(logged_, kEvents); i < logged_; ++i) {
        const LoggedEvent& event = events_[i % kEvents];
        report_ +=
            fmt::format("    cycle {}: {}\n", event.cycle,
                        fmt::format(fmt::runtime(event.format), event.arguments[0],
                                    event.arguments[1], event.arguments[2], event.arguments[3]));
    }
    report_ += fmt::format("  again    {}\n", reproduce_);
}

}  // namespace tessera
