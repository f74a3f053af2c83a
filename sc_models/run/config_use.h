// Keys that a user set and that nothing in the run reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/config_source.h"
#include "sc_models/config/knob.h"

namespace tessera {

/// The keys that the user set himself (in a file given by its path, or with --set) and whose use in
/// `log` is less than `least`. Shipped configurations are made for many runs, and so is a
/// description of a machine (part: gpu): their keys need not act.
///
/// Before a run `least` is kPossible: no block of the machine and the workload has looked at the
/// key. After it, kRead: none of the instructions whose rate it is was ever issued.
[[nodiscard]] std::vector<std::string> unused_keys(const ConfigSource& source, const ReadLog& log,
                                                   KnobUse least);
/// What would make such a key act.
[[nodiscard]] std::string what_acts(std::string_view key);
/// Throws a ConfigError for the key: where it was set, that it does nothing, and what would make it
/// act.
[[noreturn]] void refuse_unused(const ConfigSource& source, const std::string& key);

}  // namespace tessera
