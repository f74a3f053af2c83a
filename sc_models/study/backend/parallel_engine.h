// Batch engine that uses GNU parallel over ssh.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sc_models/study/backend/batch_engine.h"
#include "sc_models/study/backend/process_pool.h"

namespace tessera {

/// Runs one GNU parallel per batch, with the elements as its jobs. It ends with this process, and
/// its jobs end with it. Hosts are checked before the first submission.
class ParallelEngine final : public BatchEngine {
public:
    explicit ParallelEngine(BackendOptions options) : options_(std::move(options)) {}
    /// Throws ConfigError if GNU parallel is not installed.
    static void check();

    [[nodiscard]] std::string description() const override { return "GNU parallel"; }
    void submit(const JobList& batch) override;
    std::optional<std::set<std::size_t>> at_work(const JobList& batch) override;
    ElementState state(const JobList& batch, std::size_t element) override;
    void cancel(const JobList& batch) override;

private:
    /// Throws ConfigError unless every host can be reached and shares the batch's folder.
    void check_hosts(const JobList& batch) const;

    BackendOptions options_;
    ProcessPool pool_;
    std::map<std::string, std::size_t> numbers_;     ///< of batches, by name
    std::map<std::size_t, std::string> last_words_;  ///< of ended batches, by number
    bool hosts_are_checked_ = false;
};

}  // namespace tessera
