// Example: a matrix product on Tessera's GPU with an external memory.
#include <cstdio>
#include <exception>
#include <string>

#include <sc_models/common/clock.h>
#include <sc_models/run/simulation.h>

#include "plain_memory.h"

namespace {

/// Four SMs that multiply matrices of 256 x 128 and 128 x 128, with values.
tessera::Config product(tessera::Timing timing) {
    tessera::Config config;
    config.timing = timing;
    config.values = true;          // operands and results are moved, and compared with a reference
    config.protocol_check = true;  // reports violations of TLM-2.0's rules
    config.gpu.sms = 4;
    config.logging.level = "warn";
    config.workload.kind = tessera::WorkloadKind::kGemm;
    config.workload.gemm = {256, 128, 128};
    return config;
}

int run(const std::string& timing, const std::string& place) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);  // no abort()
    tessera::init_time_resolution();
    example::PlainMemory memory("memory", {120, sc_core::SC_NS}, 64);

    tessera::MachineSeams seams;
    seams.memory.place = place == "l1"    ? tessera::MemoryPlace::kBelowL1
                         : place == "noc" ? tessera::MemoryPlace::kBelowNoc
                                          : tessera::MemoryPlace::kBelowL2;
    // One multi-socket serves all links here; a memory with simple sockets provides one for each.
    seams.memory.make = [&memory](std::uint32_t links) {
        return tessera::ForeignMemory::Sockets(links, &memory.socket);
    };

    tessera::Simulation simulation(product(timing == "at" ? tessera::Timing::kApproximatelyTimed
                                                          : tessera::Timing::kLooselyTimed),
                                   {}, nullptr, seams);
    const tessera::RunReport report = simulation.run();
    std::printf("%s, memory below %s: %llu cycles, %llu reads and %llu writes of the memory\n",
                timing.c_str(), place.c_str(),
                static_cast<unsigned long long>(report.kernels.back().result.cycles),
                static_cast<unsigned long long>(memory.reads()),
                static_cast<unsigned long long>(memory.writes()));
    for (const std::string& line : report.violations) std::printf("%s\n", line.c_str());
    const bool exact = report.complete && report.verification.checked && report.good();
    std::printf("%llu results compared: %s\n",
                static_cast<unsigned long long>(report.verification.outputs),
                exact ? "all values are exact" : "FAILED");
    return exact ? 0 : 1;
}

}  // namespace

int sc_main(int argc, char** argv) {
    try {
        return run(argc > 1 ? argv[1] : "lt", argc > 2 ? argv[2] : "l2");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
