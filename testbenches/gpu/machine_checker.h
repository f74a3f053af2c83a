// Checker of runs of machines: values, repetition, and the other level of timing.
#pragma once

#include <vector>

#include "testbenches/gpu/machine_run.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Checks results of runs, and counts the mechanisms that they used.
class MachineChecker {
public:
    explicit MachineChecker(Session& session)
        : session_(session), bins_(make_bins(session.coverage)) {}

    /// Checks that values equal those of the golden model, and that all rules of conservation hold.
    void check_run(const char* which, const MachineResult& result);
    /// Compares all statistics of the same run, line by line.
    void check_repetition(const MachineResult& first, const MachineResult& again);
    /// Compares cycles and counts at both levels of timing.
    void check_timings(const MachineCase& machine, const MachineResult& chosen,
                       const MachineResult& other);
    void count(const MachineCase& machine, const MachineResult& result);

private:
    struct Bins {
        std::vector<Coverage::Bin> kinds;
        Coverage::Bin duplo_hits, skipped, predicted, assigned, dram;
    };
    static Bins make_bins(Coverage& c);

    Session& session_;
    const Bins bins_;
};

}  // namespace tessera::testbench
