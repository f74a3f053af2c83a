// A batch engine of a page: every element is a process of this machine without a parent that waits.
#pragma once

#include <fmt/format.h>
#include <csignal>
#include <fstream>

#include "sc_models/common/command_line.h"
#include "sc_models/common/error.h"
#include "sc_models/study/backend/batch_engine.h"
#include "sc_models/study/backend/captured_process.h"

namespace tessera::test {

// [docs/clusters.md shows what follows]
class ShellEngine final : public BatchEngine {
public:
    [[nodiscard]] std::string description() const override { return "the shell"; }

    // PBS: qsub -N NAME -J 1-ELEMENTS, with "$PBS_ARRAY_INDEX" in the place of the number.
    void submit(const JobList& batch) override {
        for (std::size_t element = 0; element < batch.elements(); ++element) {
            const CapturedProcess shell =
                capture({"sh", "-c",
                         fmt::format("setsid {} >/dev/null 2>&1 & echo $! >{}",
                                     batch.command(std::to_string(element + 1)),
                                     shell_quoted({pid_file(batch, element)}))});
            if (shell.exit_code == 0) continue;
            cancel(batch);
            throw ConfigError("--backend shell: " + last_error(shell.err));
        }
    }

    // PBS: qstat -t, of the arrays of this name. Nothing is returned if the server is away.
    std::optional<std::set<std::size_t>> at_work(const JobList& batch) override {
        std::set<std::size_t> at_work;
        for (std::size_t element = 0; element < batch.elements(); ++element) {
            const std::string folder = fmt::format("/proc/{}", pid(batch, element));
            std::ifstream command(folder + "/cmdline");
            if (command.get() != std::char_traits<char>::eof()) at_work.insert(element);
        }
        return at_work;
    }

    // PBS: qstat -xf has the exit code, and whether it was the wall time.
    ElementState state(const JobList& /*batch*/, std::size_t /*element*/) override { return {}; }

    // PBS: qdel.
    void cancel(const JobList& batch) override {
        for (std::size_t element = 0; element < batch.elements(); ++element) {
            if (const int leader = pid(batch, element)) kill(-leader, SIGTERM);
        }
    }

private:
    static std::string pid_file(const JobList& batch, std::size_t element) {
        return (batch.folder() / fmt::format("pid{}", element + 1)).string();
    }
    static int pid(const JobList& batch, std::size_t element) {
        int pid = 0;
        std::ifstream(pid_file(batch, element)) >> pid;
        return pid;
    }
};
// [until here]

}  // namespace tessera::test
