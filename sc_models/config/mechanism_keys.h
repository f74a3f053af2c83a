// Keys of all mechanisms.
#pragma once

#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/opportunistic/keys/opportunistic_config.h"

namespace tessera {

/// Keys of the mechanisms. A new mechanism adds its struct here and its section in bind().
struct MechanismKeys {
    DuploConfig duplo;
    OpportunisticConfig opportunistic;

protected:
    void bind_mechanisms(ConfigVisitor& v) {
        v.section("duplo", "Duplo's detection unit and register renaming.", [&] { duplo.bind(v); });
        v.section("opportunistic",
                  "Precompute tables, assistant warps and assign tables (opportunistic computing).",
                  [&] { opportunistic.bind(v); });
    }
};

}  // namespace tessera
