// What is wrong with a run whose values are on.
#pragma once

#include <string>

#include "sc_models/run/simulation.h"
#include "sc_models/workload/onednn_check.h"

namespace tessera::test {

inline Config small_machine(Timing timing) {
    Config config;
    config.gpu.sms = 4;
    config.timing = timing;
    config.protocol_check = timing == Timing::kApproximatelyTimed;
    return config;
}

/// Nothing if all is well.
inline std::string problems_of(const Config& config) {
    Simulation simulation(config, {});
    const RunReport report = simulation.run();
    std::string text = report.complete ? "" : "not complete\n";
    for (const std::string& violation : report.violations) text += violation + "\n";
    if (!report.verification.checked || report.verification.outputs == 0) text += "not checked\n";
    text += report.verification.first_mismatch;
    const OnednnReport onednn = compare_with_onednn(
        simulation.workload(),
        [&](Address address, void* to, std::size_t n) { simulation.read_memory(address, to, n); });
    if (onednn.violations > 0) {
        text += "oneDNN: " + std::to_string(onednn.violations) + " outputs beyond the bound\n";
    }
    // The golden model looks at elements that round up channels too, oneDNN does not have them.
    if (onednn.skipped.empty() &&
        (onednn.outputs == 0 || onednn.outputs > report.verification.outputs)) {
        text += "oneDNN saw other outputs\n";
    }
    return text;
}

}  // namespace tessera::test
