// Batch engine that uses job arrays of Slurm.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/study/backend/batch_engine.h"

namespace tessera {

/// Parses element numbers of an array as Slurm prints them: "3", "1-5,8", "1-9:2%4". Empty if
/// `text` has another format.
[[nodiscard]] std::optional<std::set<std::size_t>> array_elements(const std::string& text);

/// Maps elements of a batch to elements of job arrays. A batch larger than MaxArraySize allows
/// becomes several arrays, which are found by the batch's name. An element with a killed run
/// requeues itself; Slurm requeues those of a failed node.
class SlurmEngine final : public BatchEngine {
public:
    explicit SlurmEngine(BackendOptions options) : options_(std::move(options)) {}
    /// Throws ConfigError if Slurm's commands are not installed.
    static void check();

    [[nodiscard]] std::string description() const override { return "Slurm"; }
    void submit(const JobList& batch) override;
    std::optional<std::set<std::size_t>> at_work(const JobList& batch) override;
    ElementState state(const JobList& batch, std::size_t element) override;
    void cancel(const JobList& batch) override;

private:
    /// Maximum number of elements in an array.
    std::size_t array_size();
    [[nodiscard]] std::size_t arrays(const JobList& batch);
    [[nodiscard]] static std::string array_name(const JobList& batch, std::size_t array);
    [[nodiscard]] std::string names(const JobList& batch);
    /// Calls sbatch for one array of the batch; returns its error message, or "".
    std::string submit_array(const JobList& batch, std::size_t array);

    BackendOptions options_;
    std::size_t array_size_ = 0;  ///< 0: not queried so far
};

}  // namespace tessera
