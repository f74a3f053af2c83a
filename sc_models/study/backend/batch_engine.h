// What runs batches on many machines: the page of code that another one takes (docs/clusters.md).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "sc_models/study/backend/job_list.h"

namespace tessera {

/// What became of an element that is gone without having ended its runs.
struct ElementFate {
    std::string words;      ///< a few; empty if the engine does not know
    bool try_again = true;  ///< whether it may go better another time
};

/// A batch system, of which nothing is asked but to run the elements of a batch somewhere:
/// JobList::command(element) for each, where the batch's folder is shared. What has ended is read
/// from that folder, and elements that are gone without it are submitted again.
class BatchEngine {
public:
    virtual ~BatchEngine() = default;
    /// For people: "job arrays of Slurm".
    [[nodiscard]] virtual std::string description() const = 0;
    /// Starts all elements of the batch. Throws ConfigError with the engine's own message in one
    /// line, and with none of them left started.
    virtual void submit(const JobList& batch) = 0;
    /// Elements, from 0, that wait or run, also of a batch that another process submitted; nothing
    /// if the engine gives no answer now. Throws ConfigError if they will wait for ever.
    virtual std::optional<std::set<std::size_t>> at_work(const JobList& batch) = 0;
    /// What became of an element that is gone. Throws ConfigError if no other will do better.
    virtual ElementFate fate(const JobList& batch, std::size_t element) = 0;
    /// Ends all elements of the batch.
    virtual void cancel(const JobList& batch) = 0;
};

}  // namespace tessera
