// Organisations of a module that a testbench plays one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Returns the configured organisation; without other settings also those of `others` that the
/// implementation behind `driver` has.
template <class Driver, class Organisation>
std::vector<Organisation> organisations_of(const Session& session, const Driver& driver,
                                           const Organisation& configured,
                                           const std::vector<Organisation>& others) {
    std::vector<Organisation> all = {configured};
    if (session.has_settings()) return all;
    for (const Organisation& organisation : others) {
        if (driver.supports(organisation)) all.push_back(organisation);
    }
    return all;
}

/// Calls `play` with each organisation and its share of --count, until a check differs.
template <class Organisation, class Play>
void play_each(const Session& session, const std::vector<Organisation>& all, const Play& play) {
    const std::uint64_t count = ceil_div(session.options().count, std::uint64_t{all.size()});
    for (const Organisation& organisation : all) {
        play(organisation, count);
        if (session.scoreboard.errors() != 0) return;
    }
}

}  // namespace tessera::testbench
