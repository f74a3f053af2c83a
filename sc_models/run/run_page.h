// Text reports of a run.
#pragma once

#include <string>

#include "sc_models/run/simulation.h"

namespace tessera {

/// Summary page: the mechanisms that acted, each with its key figure; for each kernel cycles, its
/// limit, stalls and hits by class; services, rates, checks.
[[nodiscard]] std::string summary_text(const Config& config, const RunReport& report);

/// Faults of a run, one line each; empty if there is none.
[[nodiscard]] std::string failure_text(const RunReport& report);

/// Output of `tessera run --dry-run`: kernels and their occupancy of the machine.
[[nodiscard]] std::string plan_text(const Config& config, const Workload& workload);

/// Names and meanings of the kinds of issue slots, one line each.
[[nodiscard]] std::string issue_slot_help();

}  // namespace tessera
