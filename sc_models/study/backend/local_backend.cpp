#include "sc_models/study/backend/local_backend.h"

#include <fmt/format.h>

namespace tessera {

std::string LocalBackend::description() const {
    return fmt::format("{} at a time", jobs_);
}

std::vector<RunEnd> LocalBackend::start(const std::vector<RunJob>& jobs) {
    std::vector<RunEnd> refused;
    for (const RunJob& job : jobs) {
        try {
            pool_.start(job.id, job.command, job.log);
        } catch (const ConfigError& error) {
            refused.push_back(could_not_start(job.id, error));
        }
    }
    return refused;
}

std::optional<RunEnd> LocalBackend::poll() {
    auto end = pool_.poll();
    if (!end) return std::nullopt;
    return RunEnd{end->id, end->exit_code, end->seconds, std::move(end->output)};
}

}  // namespace tessera
