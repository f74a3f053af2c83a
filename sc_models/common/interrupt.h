// Ctrl-C as a flag that a run looks at.
#pragma once

#include <atomic>

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

}  // namespace tessera
