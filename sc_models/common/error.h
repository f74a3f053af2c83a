// The errors a run can end with, each with its exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// What the process returns to the shell.
enum class ExitCode : int {
    kGood = 0,
    kCheckFailed = 1,   ///< a run finished but a value, invariant or comparison is wrong
    kUserError = 2,     ///< configuration, command line or file system
    kDeadlock = 3,      ///< nothing can happen any more and work is left
    kInterrupted = 130  ///< Ctrl-C, as shells report SIGINT
};

/// A user's mistake: one line, ready to print.
class ConfigError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A check of the model failed: an invariant, a wrong value, a protocol violation.
class CheckError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Work is left and no block can make progress; what() lists who waits for whom.
class DeadlockError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace tessera
