// What a run tells its user.
#pragma once

#include <string>

#include "sc_models/run/simulation.h"

namespace tessera {

/// A page of text: the mechanisms that acted, each with its key figure; of each kernel cycles, what
/// bounds it, stalls and hits by class; services, rates, checks.
[[nodiscard]] std::string summary_text(const Config& config, const RunReport& report);

/// What is wrong with a run, a line each; empty if nothing is.
[[nodiscard]] std::string failure_text(const RunReport& report);

/// What `tessera run --dry-run` prints: kernels and how they fill the machine.
[[nodiscard]] std::string plan_text(const Config& config, const Workload& workload);

/// The kinds of issue slots by name with their meanings, a line each.
[[nodiscard]] std::string issue_slot_help();

}  // namespace tessera
