// Checks of a run whose values are on.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
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

/// Simulates run `i` of a test on one, two or three host threads, where allowed; every quantum then
/// runs ahead of time.
inline void spread_over_threads(Config& config, std::uint32_t i) {
    setenv("TESSERA_TAKE_ALL_TURNS", "1", 1);
    config.host.threads = 1 + i % 3;
}

/// Nothing if all is well. `elements`: of the result, which oneDNN has to see all; without, as many
/// as the golden model.
inline std::string problems_of(const Config& config,
                               std::optional<std::uint64_t> elements = std::nullopt) {
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
    if (onednn.skipped.empty() &&
        onednn.outputs != elements.value_or(report.verification.outputs)) {
        text += "oneDNN saw other outputs\n";
    }
    return text;
}

}  // namespace tessera::test
