// Batches as job arrays of Slurm.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/study/backend/batch_engine.h"

namespace tessera {

/// Numbers of elements as Slurm prints those of an array: "3", "1-5,8", "1-9:2%4". Nothing if
/// `text` is none.
[[nodiscard]] std::optional<std::set<std::size_t>> array_elements(const std::string& text);

/// An element of a batch is an element of a job array; a batch of more than MaxArraySize allows is
/// several arrays, which the batch's name finds again. An element with a run that was killed
/// requeues itself; Slurm requeues those of a node that fails.
class SlurmEngine final : public BatchEngine {
public:
    explicit SlurmEngine(BackendOptions options) : options_(std::move(options)) {}
    /// Throws ConfigError if Slurm's commands are not there.
    static void check();

    [[nodiscard]] std::string description() const override { return "Slurm"; }
    void submit(const JobList& batch) override;
    std::optional<std::set<std::size_t>> at_work(const JobList& batch) override;
    ElementFate fate(const JobList& batch, std::size_t element) override;
    void cancel(const JobList& batch) override;

private:
    /// How many elements an array may have.
    std::size_t array_size();
    [[nodiscard]] std::size_t arrays(const JobList& batch);
    [[nodiscard]] static std::string array_name(const JobList& batch, std::size_t array);
    [[nodiscard]] std::string names(const JobList& batch);
    /// sbatch for one array of the batch; its message if it refuses.
    std::string submit_array(const JobList& batch, std::size_t array);

    BackendOptions options_;
    std::size_t array_size_ = 0;  ///< 0: not asked yet
};

}  // namespace tessera
