#include "testbenches/gpu/machine_run.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "sc_models/common/logging.h"
#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_text.h"
#include "sc_models/run/simulation.h"
#include "testbenches/harness/child_process.h"
#include "testbenches/harness/memory_target.h"

namespace tessera::testbench {
namespace {

constexpr Cycle kForeignLatency = 200;  ///< cycles of a memory with an error

std::vector<std::string> pieces_of(MachineKind kind) {
    switch (kind) {
        case MachineKind::kFragments:
            return {"duplo_titan_v", "resnet.C2"};
        case MachineKind::kLibrary:
            return {"v100", "library"};
        case MachineKind::kDuplo:
            return {"duplo_titan_v", "duplo_paper", "resnet.C2"};
        case MachineKind::kDualSide:
            return {"dual_side_v100", "dual_side_ideal", "spgemm_grid.a0500_b0500"};
        case MachineKind::kOpportunistic:
            return {"gtx480_56sm", "opportunistic", "lenet5.C1.forward"};
    }
    return {};
}

void add_sizes(ConfigSource& source, const MachineCase& c) {
    const auto set = [&source](const char* key, std::uint64_t value) {
        source.add_set(fmt::format("{}={}", key, value));
    };
    if (c.kind == MachineKind::kLibrary || c.kind == MachineKind::kDualSide) {
        set("workload.gemm.m", c.size);
        set("workload.gemm.k", c.inputs);
        set("workload.gemm.n", c.outputs);
    } else {
        set("workload.layer.batch", 1);
        set("workload.layer.height", c.size);
        set("workload.layer.width", c.size);
        set("workload.layer.channels", c.inputs);
        set("workload.layer.filters", c.outputs);
    }
    if (c.kind != MachineKind::kOpportunistic) set("gpu.sms", c.sms);
    set("seed", c.seed);
}

/// Sums of a run's statistics over all kernels.
void add_statistics(const RunReport& report, MachineResult& result) {
    for (const KernelReport& kernel : report.kernels) {
        result.cycles += kernel.result.cycles;
        result.ctas += kernel.result.ctas;
        result.statistics += kernel.statistics_text;
        const auto sum = [&kernel](const char* pointer) -> std::uint64_t {
            const nlohmann::ordered_json::json_pointer at(pointer);
            return kernel.statistics.contains(at) ? kernel.statistics.at(at).get<std::uint64_t>()
                                                  : 0;
        };
        result.instructions += sum("/sm/sub_core/instructions");
        result.products += sum("/sm/sub_core/mmas");
        result.dram_reads += sum("/memory/dram/reads");
        result.duplo_hits += sum("/sm/ldst/detection/hits_lowering_other_warp") +
                             sum("/sm/ldst/detection/hits_lowering_same_warp") +
                             sum("/sm/ldst/detection/hits_octet_copy") +
                             sum("/sm/ldst/detection/hits_same_address_other_warp");
        result.skipped += sum("/sm/sub_core/tensor/ohmmas_skipped");
        result.predicted += sum("/sm/opportunistic/precompute_table/used");
        result.assigned += sum("/sm/opportunistic/assignments/executed");
    }
}

std::string packed(const MachineResult& r) {
    return nlohmann::json{{"error", r.error},
                          {"checked", r.checked},
                          {"outputs", r.outputs},
                          {"mismatches", r.mismatches},
                          {"first_mismatch", r.first_mismatch},
                          {"violations", r.violations},
                          {"cycles", r.cycles},
                          {"statistics", r.statistics},
                          {"counts",
                           {r.instructions, r.products, r.ctas, r.duplo_hits, r.skipped,
                            r.predicted, r.assigned, r.dram_reads}}}
        .dump();
}

MachineResult unpacked(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    MachineResult r;
    r.error = json["error"];
    r.checked = json["checked"];
    r.outputs = json["outputs"];
    r.mismatches = json["mismatches"];
    r.first_mismatch = json["first_mismatch"];
    r.violations = json["violations"].get<std::vector<std::string>>();
    r.cycles = json["cycles"];
    r.statistics = json["statistics"];
    std::uint64_t* const counts[] = {&r.instructions, &r.products,  &r.ctas,     &r.duplo_hits,
                                     &r.skipped,      &r.predicted, &r.assigned, &r.dram_reads};
    for (std::size_t i = 0; i < std::size(counts); ++i) *counts[i] = json["counts"][i];
    return r;
}

}  // namespace

const std::vector<std::string>& machine_words() {
    static const std::vector<std::string> kWords = {"fragments", "library", "duplo", "dual_side",
                                                    "opportunistic"};
    return kWords;
}

std::string MachineCase::describe() const {
    return fmt::format("{} on {} SMs: size {}, inputs {}, outputs {}, seed {}",
                       machine_words()[static_cast<std::size_t>(kind)], sms, size, inputs, outputs,
                       seed);
}

Config machine_config(const MachineCase& machine, const std::vector<std::string>& sets) {
    const ConfigCatalog catalog;
    ConfigSource source;
    for (const std::string& piece : pieces_of(machine.kind)) catalog.add_to(source, piece);
    add_sizes(source, machine);
    source.add_set("values=on");
    source.add_set("gpu.core_clock_mhz=1000");
    source.add_set("logging.level=error");
    for (const std::string& set : sets) source.add_set(set);
    return load_config(source);
}

MachineResult run_here(const Config& config, MemoryFault fault, const Observers& observers) {
    std::unique_ptr<MemoryTarget> memory;
    MachineSeams seams;
    if (fault != MemoryFault::kNone) {
        seams.memory.make = [&](std::uint32_t links) {
            memory = std::make_unique<MemoryTarget>(
                "memory", links, ClockDomain(config.gpu.core_clock_mhz), kForeignLatency);
            (fault == MemoryFault::kLostWrites ? memory->lost_write_every
                                               : memory->wrong_read_every) = 16;
            ForeignMemory::Sockets sockets;
            for (MemoryTarget::Socket& socket : memory->sockets) sockets.push_back(&socket);
            return sockets;
        };
    }
    configure_logging(config.logging.level, config.logging.modules);
    MachineResult result;
    RunObservers watched;
    watched.blocks = observers;
    Simulation simulation(config, watched, nullptr, seams);
    const RunReport report = simulation.run();
    result.checked = report.verification.checked;
    result.outputs = report.verification.outputs;
    result.mismatches = report.verification.mismatches + report.verification.scalar_mismatches;
    result.first_mismatch = report.verification.first_mismatch;
    result.violations = report.violations;
    add_statistics(report, result);
    return result;
}

MachineResult run_in_child(const Config& config, MemoryFault fault) {
    return unpacked(in_child([&] {
        MachineResult result;
        try {
            result = run_here(config, fault, {});
        } catch (const std::exception& error) {
            result.error = error.what();
        }
        return packed(result);
    }));
}

}  // namespace tessera::testbench
