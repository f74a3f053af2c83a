// Batches by GNU parallel, over ssh.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sc_models/study/backend/batch_engine.h"
#include "sc_models/study/backend/process_pool.h"

namespace tessera {

/// A GNU parallel a batch, whose jobs are the elements. It ends with this process, and its jobs
/// with it. Hosts are looked at before anything is sent to them.
class ParallelEngine final : public BatchEngine {
public:
    explicit ParallelEngine(BackendOptions options) : options_(std::move(options)) {}
    /// Throws ConfigError if GNU parallel is not there.
    static void check();

    [[nodiscard]] std::string description() const override { return "GNU parallel"; }
    void submit(const JobList& batch) override;
    std::optional<std::set<std::size_t>> at_work(const JobList& batch) override;
    ElementFate fate(const JobList& batch, std::size_t element) override;
    void cancel(const JobList& batch) override;

private:
    /// Throws ConfigError unless every host can be reached and shares the batch's folder.
    void check_hosts(const JobList& batch) const;

    BackendOptions options_;
    ProcessPool pool_;
    std::map<std::string, std::size_t> numbers_;     ///< of batches, by their names
    std::map<std::size_t, std::string> last_words_;  ///< of those that have ended, by their numbers
    bool hosts_are_checked_ = false;
};

}  // namespace tessera
