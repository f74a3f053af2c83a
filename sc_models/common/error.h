// Errors that end a run, each with its exit code.
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// Exit codes of the process.
enum class ExitCode : int {
    kGood = 0,
    kCheckFailed = 1,   ///< a finished run has a wrong value, invariant or comparison
    kUserError = 2,     ///< configuration, command line or file system
    kDeadlock = 3,      ///< no event is pending and work is left
    kInterrupted = 130  ///< Ctrl-C, as shells report SIGINT
};

/// An error of the user: a one-line message, ready to print.
class ConfigError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A check of the model failed: an invariant, a wrong value, a protocol violation.
class CheckError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Work is left and no block can make progress; what() lists each waiting block and its reason.
class DeadlockError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace tessera
