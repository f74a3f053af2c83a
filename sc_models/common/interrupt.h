// Ctrl-C as a flag that a run looks at.
#pragma once

#include <atomic>
#include <stdexcept>

namespace tessera {

namespace detail {
// A signal handler reaches nothing else.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline std::atomic<bool> interrupt_flag{false};
}  // namespace detail

/// Whether someone asked the run to stop; cheap enough for every event.
[[nodiscard]] inline bool interrupt_requested() {
    return detail::interrupt_flag.load(std::memory_order_relaxed);
}
/// Asks the run to stop at the next event; safe in a signal handler.
inline void request_interrupt() {
    detail::interrupt_flag.store(true, std::memory_order_relaxed);
}

/// Ends a command that has nothing to show yet.
class Interrupted : public std::runtime_error {
public:
    Interrupted() : std::runtime_error("interrupted") {}
};

/// For loops before and after a simulation: throws Interrupted if someone asked to stop.
inline void stop_if_interrupted() {
    if (interrupt_requested()) throw Interrupted();
}

}  // namespace tessera
