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

/// Compute capability of the modelled machines.
constexpr std::uint32_t kVolta = 70;

void warn_of_generation(const TraceKernel& kernel) {
    const std::uint32_t version = kernel.header().binary_version;
    if (version == kVolta) return;
    logger("run").warn(
        "kernel {}: its binary version {} is not Volta's ({}); its instructions take the times of "
        "this machine, larger HMMAs by their size",
        kernel.info().name, version, kVolta);
}

}  // namespace

TraceWorkload::TraceWorkload(const WorkloadConfig& config, std::uint64_t seed,
                             const AccessGranularity& granularity)
    : Workload(name_of(config.trace), config, seed, false) {
    const TraceCommandList list(config.trace);
    for (const TraceCommand& command : list.commands()) {
        if (command.kind != TraceCommand::Kind::kKernel) continue;
        auto kernel =
            std::make_unique<TraceKernel>(command.path, granularity, kernels().size() + 1);
        warn_of_generation(*kernel);
        add(std::move(kernel));
    }
}

}  // namespace tessera
