// Keys that a user set and that cannot act in a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sc_models/config/config.h"
#include "sc_models/config/engine/config_entries.h"
#include "sc_models/config/engine/config_source.h"
#include "sc_models/config/engine/recorded_parameter.h"

namespace tessera {

/// Conditions under which a key acts: those of its declaration, those that mechanisms add, and
/// those of kernels that the program selects itself.
[[nodiscard]] std::vector<KeyCondition> conditions_of(const ConfigEntry& entry);

/// Keys that the user set (in a file given by its path, or with --set) and that cannot act in a run
/// of `config`. Keys of shipped configurations and of machine descriptions (part: gpu) need not
/// act, because these serve many runs. With `issued`, the record of a finished run, also timings of
/// instructions that no warp issued.
[[nodiscard]] std::vector<std::string> idle_keys(const ConfigSource& source, const Config& config,
                                                 const UseLog* issued = nullptr);
/// Text on when `key` acts: its conditions, without those that hold in `config`.
[[nodiscard]] std::string what_acts(std::string_view key, const Config* config = nullptr);
/// Sentence on when a key with these conditions acts, for lists of keys; empty for none.
[[nodiscard]] std::string acts_sentence(const std::vector<KeyCondition>& conditions);
/// Throws a ConfigError for the key: its location, that it has no effect, and what_acts().
[[noreturn]] void refuse_idle(const ConfigSource& source, const std::string& key,
                              const Config& config);

}  // namespace tessera
