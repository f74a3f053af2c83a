// Interrupt flag (Ctrl-C) that a run polls.
#pragma once

#include <atomic>
#include <stdexcept>

namespace tessera {

namespace detail {
// A signal handler can access only a global variable.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline std::atomic<bool> interrupt_flag{false};
}  // namespace detail

/// Whether the run should stop; cheap enough to call at every event.
[[nodiscard]] inline bool interrupt_requested() {
    return detail::interrupt_flag.load(std::memory_order_relaxed);
}
/// Requests a stop at the next event; safe in a signal handler.
inline void request_interrupt() {
    detail::interrupt_flag.store(true, std::memory_order_relaxed);
}

/// Ends a command that has no results so far.
class Interrupted : public std::runtime_error {
public:
    Interrupted() : std::runtime_error("interrupted") {}
};

/// Throws Interrupted if a stop was requested; for loops before and after a simulation.
inline void stop_if_interrupted() {
    if (interrupt_requested()) throw Interrupted();
}

}  // namespace tessera
