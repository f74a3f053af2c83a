// Errors of an LDST unit, planted in its configuration.
#pragma once

#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Returns the configuration of the session with the error that it plants in the unit.
inline Config planted_config(const Session& session) {
    Config config = session.config();
    if (session.plants("fewer_slots")) --config.ldst.sectors_per_cycle;
    if (session.plants("wrong_banks"))
        config.l1.bank_interleave_bytes = 2 * config.l1.bank_interleave_bytes;
    if (session.plants("other_arbiter")) {
        config.ldst.arbitration = config.ldst.arbitration == LdstArbitration::kRoundRobin
                                      ? LdstArbitration::kGreedyThenOldest
                                      : LdstArbitration::kRoundRobin;
    }
    return config;
}

}  // namespace tessera::testbench
