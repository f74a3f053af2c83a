#include "sc_models/study/backend/sweep_backend.h"

#include <fmt/format.h>
#include <algorithm>
#include <thread>

#include "sc_models/common/error.h"
#include "sc_models/study/backend/batch_backend.h"
#include "sc_models/study/backend/captured_process.h"
#include "sc_models/study/backend/local_backend.h"
#include "sc_models/study/backend/parallel_engine.h"
#include "sc_models/study/backend/slurm_engine.h"

namespace tessera {
namespace {

void refuse(const BackendOptions& options, const char* option, const char* backends) {
    throw ConfigError(fmt::format("{}: got '--backend {}', expected '--backend {}'", option,
                                  options.name, backends));
}

}  // namespace

const std::vector<std::string>& backend_names() {
    static const std::vector<std::string> kNames = {"local", "slurm", "parallel"};
    return kNames;
}

RunEnd could_not_start(std::size_t id, const ConfigError& error) {
    return {id, static_cast<int>(ExitCode::kUserError), 0, error.what()};
}

void check_backend(const BackendOptions& options) {
    const std::vector<std::string>& names = backend_names();
    if (std::find(names.begin(), names.end(), options.name) == names.end()) {
        throw ConfigError(fmt::format("--backend: got '{}', expected one of {{{}}}", options.name,
                                      fmt::join(names, ", ")));
    }
    if (options.name != "slurm") {
        for (const auto& [option, value] :
             {std::pair("--partition", &options.partition),
              std::pair("--account", &options.account), std::pair("--time", &options.time),
              std::pair("--mem", &options.memory)}) {
            if (!value->empty()) refuse(options, option, "slurm");
        }
    }
    if (options.name != "parallel" && !options.ssh_logins.empty()) {
        refuse(options, "--sshlogin", "parallel");
    }
    if (options.name == "local" && options.pack != 1)
        refuse(options, "--pack", "slurm or parallel");
    if (options.name == "slurm") SlurmEngine::check();
    if (options.name == "parallel") ParallelEngine::check();
}

std::unique_ptr<SweepBackend> make_backend(const BackendOptions& options, const std::string& sweep,
                                           const std::string& stamp,
                                           const std::filesystem::path& folder) {
    check_backend(options);
    std::unique_ptr<BatchEngine> engine;
    if (options.name == "slurm") engine = std::make_unique<SlurmEngine>(options);
    if (options.name == "parallel") engine = std::make_unique<ParallelEngine>(options);

    const std::string at_work = BatchBackend::engine_of(folder);
    if (!at_work.empty() && (engine == nullptr || engine->description() != at_work)) {
        throw ConfigError(
            fmt::format("--backend: got '{}', expected the one of {}, which may have runs of an "
                        "earlier sweep at work (if it has none, remove {}/.jobs)",
                        options.name, at_work, folder.string()));
    }
    if (engine == nullptr) {
        const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
        return std::make_unique<LocalBackend>(options.jobs.value_or(cores));
    }
    return std::make_unique<BatchBackend>(std::move(engine), sweep, stamp, folder, options.pack);
}

}  // namespace tessera
