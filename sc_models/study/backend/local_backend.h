// Sweep backend that runs child processes.
#pragma once

#include <map>

#include "sc_models/study/backend/process_pool.h"
#include "sc_models/study/backend/sweep_backend.h"

namespace tessera {

/// Runs one process per run, a bounded number at a time; they end with this process.
class LocalBackend final : public SweepBackend {
public:
    explicit LocalBackend(std::size_t jobs) : jobs_(jobs) {}

    [[nodiscard]] std::string description() const override;
    [[nodiscard]] std::string activity() const override { return "running"; }
    [[nodiscard]] std::size_t running() const override { return pool_.running(); }
    [[nodiscard]] std::size_t free_slots() const override { return jobs_ - pool_.running(); }
    std::vector<std::size_t> resume(const std::vector<RunJob>& /*jobs*/,
                                    const std::vector<RunJob>& /*done*/) override {
        return {};
    }
    std::vector<RunEnd> start(const std::vector<RunJob>& jobs) override;
    std::optional<RunEnd> poll() override;
    void cancel() override { pool_.terminate(); }

private:
    std::size_t jobs_;
    ProcessPool pool_;
};

}  // namespace tessera
