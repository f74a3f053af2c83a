// Ctrl-C as a flag that a run looks at.
#pragma once

#include <atomic>

namespace tessera {

namespace detail {
inline std::atomic<bool> interrupt_flag{false};
}

/// Whether someone asked the run to stop; cheap enough for every event.
[[nodiscard]] inline bool interrupt_requested() {
    return detail::interrupt_flag.load(std::memory_order_relaxed);
}
/// Asks the run to stop at the next event; safe in a signal handler.
inline void request_interrupt() {
    detail::interrupt_flag.store(true, std::memory_order_relaxed);
}

}  // namespace tessera
