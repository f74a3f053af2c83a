// Detection of keys that a user set and that no part of the run reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_source.h"
#include "sc_models/config/engine/parameter.h"

namespace tessera {

/// Keys that the user set (in a file given by its path, or with --set) and whose use in `log` is
/// less than `least`. Keys of shipped configurations and of machine descriptions (part: gpu) may be
/// unread, because these serve many runs.
///
/// Before a run, `least` is kPossible: no block of the machine and the workload refers to the key.
/// After it, kRead: for example, no instruction whose rate the key sets was issued.
[[nodiscard]] std::vector<std::string> unused_keys(const ConfigSource& source, const ReadLog& log,
                                                   ParameterUse least);
/// Condition under which the key would be read.
[[nodiscard]] std::string what_acts(std::string_view key);
/// Throws a ConfigError for the key: its location, that it has no effect, and what_acts().
[[noreturn]] void refuse_unused(const ConfigSource& source, const std::string& key);

}  // namespace tessera
