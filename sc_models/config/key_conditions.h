// Conditions under which keys of the machine act, for their declarations.
#pragma once

#include "sc_models/config/config.h"
#include "sc_models/config/engine/key_condition.h"

namespace tessera::acts {

inline constexpr KeyCondition kLooselyTimed = {
    "timing lt", [](const Config& c) { return c.timing == Timing::kLooselyTimed; }};
inline constexpr KeyCondition kApproximatelyTimed = {
    "timing at", [](const Config& c) { return c.timing == Timing::kApproximatelyTimed; }};

}  // namespace tessera::acts
