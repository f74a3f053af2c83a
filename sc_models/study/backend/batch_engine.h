// Interface of batch systems, the extension point for further ones (docs/clusters.md).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "sc_models/study/backend/job_list.h"

namespace tessera {

/// State of an element that disappeared before its runs ended.
struct ElementState {
    std::string words;      ///< short; empty if the engine has no information
    bool try_again = true;  ///< whether another attempt may succeed
};

/// A batch system. It runs JobList::command(element) for each element of a batch on any machine
/// that shares the batch's folder. Results are read from that folder, and elements that disappear
/// without a result are submitted again.
class BatchEngine {
public:
    virtual ~BatchEngine() = default;
    /// Description for messages: "job arrays of Slurm".
    [[nodiscard]] virtual std::string description() const = 0;
    /// Starts all elements of the batch. On failure, none stays started, and a ConfigError has the
    /// engine's own message in one line.
    virtual void submit(const JobList& batch) = 0;
    /// Elements, from 0, that wait or run, also of batches that another process submitted; empty if
    /// the engine does not answer now. Throws ConfigError if they would wait forever.
    virtual std::optional<std::set<std::size_t>> at_work(const JobList& batch) = 0;
    /// Cause of a lost element. Throws ConfigError if all other elements would fail likewise.
    virtual ElementState state(const JobList& batch, std::size_t element) = 0;
    /// Cancels all elements of the batch.
    virtual void cancel(const JobList& batch) = 0;
};

}  // namespace tessera
