#include "sc_models/study/backend/local_backend.h"

#include <fmt/format.h>

namespace tessera {

std::string LocalBackend::description() const {
    return fmt::format("{} at a time", jobs_);
}

void LocalBackend::start(const std::vector<RunJob>& jobs) {
    for (const RunJob& job : jobs) pool_.start(job.id, job.command, job.log);
}

std::optional<RunEnd> LocalBackend::poll() {
    auto end = pool_.poll();
    if (!end) return std::nullopt;
    return RunEnd{end->id, end->exit_code, end->seconds, std::move(end->output)};
}

}  // namespace tessera
