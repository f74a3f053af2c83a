#include "sc_models/cosim/scoreboard.h"

#include <fmt/format.h>
#include <algorithm>

namespace tessera {

void Scoreboard::differ(std::string_view signal, std::uint64_t expected, std::uint64_t got) {
    if (errors_++ > 0) return;
    report_ = fmt::format("first divergence in cycle {}: {}\n  expected {:#x}\n  got      {:#x}\n",
                          cycle_, signal, expected, got);
    if (describe_inputs_) report_ += fmt::format("  inputs   {}\n", describe_inputs_());
    if (noted_ > 0) report_ += "  last transactions:\n";
    for (std::uint64_t i = noted_ - std::min<std::uint64_t>(noted_, kNotes); i < noted_; ++i) {
        const Note& note = notes_[i % kNotes];
        report_ +=
            fmt::format("    cycle {}: {}\n", note.cycle,
                        fmt::format(fmt::runtime(note.format), note.arguments[0], note.arguments[1],
                                    note.arguments[2], note.arguments[3]));
    }
    report_ += fmt::format("  again    {}\n", reproduce_);
}

}  // namespace tessera
