#include "sc_models/trace/trace_workload.h"

#include <filesystem>

#include "sc_models/common/logging.h"
#include "sc_models/trace/trace_command_list.h"
#include "sc_models/trace/trace_kernel.h"

namespace tessera {

namespace {

/// Name of a trace: the folder of its list.
std::string name_of(const std::string& list) {
    const auto folder = std::filesystem::absolute(list).lexically_normal().parent_path();
    return "trace." + folder.filename().string();
}

/// Compute capability of a machine with HMMA.884, of Turing's and of Ampere's, in traces.
constexpr std::uint32_t kVolta = 70, kTuring = 75, kAmpere = 80;

std::uint32_t generation_of(const MmaShapeSet& rates) {
    const auto has = [&](MmaShape shape) { return rates[static_cast<std::size_t>(shape)]; };
    if (has(MmaShape::kHmma884)) return kVolta;
    return has(MmaShape::kHmma16816) ? kAmpere : kTuring;
}

void warn_of_generation(const TraceKernel& kernel, const MmaShapeSet& rates) {
    const std::uint32_t version = kernel.header().binary_version;
    const std::uint32_t machine = generation_of(rates);
    if (version == machine) return;
    logger("run").warn(
        "kernel {}: its binary version {} is not that of this machine's tensor cores ({}); its "
        "instructions take the times of this machine",
        kernel.info().name, version, machine);
}

}  // namespace

TraceWorkload::TraceWorkload(const WorkloadConfig& config, std::uint64_t seed,
                             const TargetMachine& machine)
    : Workload(name_of(config.trace), config, seed, false) {
    const TraceCommandList list(config.trace);
    for (const TraceCommand& command : list.commands()) {
        if (command.kind != TraceCommand::Kind::kKernel) continue;
        auto kernel = std::make_unique<TraceKernel>(command.path, machine.granularity,
                                                    kernels().size() + 1, machine.mma_shapes);
        warn_of_generation(*kernel, machine.mma_shapes);
        add(std::move(kernel));
    }
}

}  // namespace tessera
