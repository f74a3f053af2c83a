#include "sc_models/trace/trace_workload.h"

#include <filesystem>

#include "sc_models/trace/trace_command_list.h"
#include "sc_models/trace/trace_kernel.h"

namespace tessera {

namespace {

/// A trace is called after the folder its list lies in.
std::string name_of(const std::string& list) {
    const auto folder = std::filesystem::absolute(list).lexically_normal().parent_path();
    return "trace." + folder.filename().string();
}

}  // namespace

TraceWorkload::TraceWorkload(const WorkloadConfig& config, std::uint64_t seed,
                             const AccessGranularity& granularity)
    : Workload(name_of(config.trace), config, seed, false) {
    const TraceCommandList list(config.trace);
    for (const TraceCommand& command : list.commands()) {
        if (command.kind != TraceCommand::Kind::kKernel) continue;
        add(std::make_unique<TraceKernel>(command.path, granularity, kernels().size() + 1));
    }
}

}  // namespace tessera
