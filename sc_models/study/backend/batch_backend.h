// Sweep backend that runs batches on a batch system.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "sc_models/study/backend/batch_engine.h"
#include "sc_models/study/backend/job_list.h"
#include "sc_models/study/backend/sweep_backend.h"

namespace tessera {

/// Submits runs to an engine as batches, in the folder `.jobs` of the sweep, and polls for their
/// files. Elements that the engine loses are submitted again, a bounded number of times. Batches
/// continue if this process is killed, and the next process resumes them.
///
/// Polling adapts to its cost: the file system and the engine each take at most a fiftieth of the
/// time.
class BatchBackend final : public SweepBackend {
public:
    /// Maximum delay until a shared file system shows a node's files.
    static constexpr std::chrono::milliseconds kGrace{4000};

    /// Backend of the sweep of this name in `folder`. Batches of another stamp are not taken over.
    BatchBackend(std::unique_ptr<BatchEngine> engine, const std::string& sweep, std::string stamp,
                 const std::filesystem::path& folder, std::size_t pack,
                 std::chrono::milliseconds grace = kGrace);
    /// Removes the folder if no batch can be running.
    ~BatchBackend() override;
    BatchBackend(const BatchBackend&) = delete;
    BatchBackend& operator=(const BatchBackend&) = delete;

    /// Description of the engine that may still run batches of an earlier sweep in this folder;
    /// empty if none.
    [[nodiscard]] static std::string engine_of(const std::filesystem::path& folder);

    [[nodiscard]] std::string description() const override;
    [[nodiscard]] std::string activity() const override { return "queued or running"; }
    [[nodiscard]] std::size_t running() const override;
    [[nodiscard]] std::size_t free_slots() const override { return kUnlimited; }
    std::vector<std::size_t> resume(const std::vector<RunJob>& jobs,
                                    const std::vector<RunJob>& done) override;
    std::vector<RunEnd> start(const std::vector<RunJob>& jobs) override;
    std::optional<RunEnd> poll() override;
    void cancel() override;

private:
    using Clock = std::chrono::steady_clock;
    /// Schedule of a periodic action.
    struct Rhythm {
        std::chrono::duration<double> least, most;
        Clock::time_point next{};
        /// Calls `action` when due; the pause is proportional to the time that the action took.
        template <class Action>
        void tick(Action action);
    };
    struct Batch {
        JobList list;
        std::vector<std::optional<RunJob>> jobs;        ///< by line
        std::map<std::size_t, Clock::time_point> gone;  ///< elements that the engine lost, with the
                                                        ///< time of detection
    };
    void submit(const std::vector<RunJob>& jobs);
    void read_ended();
    void find_lost();
    void lose(Batch& batch, std::size_t element, std::vector<RunJob>& again);
    void report(Batch& batch, const JobList::Ended& ended);
    void drop_finished();
    /// Waits, with a time limit, until no element of the batch is active.
    void end(const JobList& list);

    std::unique_ptr<BatchEngine> engine_;
    std::filesystem::path folder_;
    std::string name_;  ///< prefix of batch names, before the number
    std::string stamp_;
    std::size_t pack_;
    std::chrono::milliseconds grace_;
    std::size_t next_number_ = 1;
    bool has_looked_ = false;  ///< batches of earlier sweeps were searched
    std::deque<Batch> batches_;
    std::deque<RunEnd> ends_;
    std::map<std::size_t, int> losses_;  ///< by run
    Rhythm reading_, asking_;
};

}  // namespace tessera
