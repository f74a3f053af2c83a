// Spin-wait for another host thread that will be ready within microseconds.
#pragma once

#include <cstdint>
#include <thread>

namespace tessera {

/// Spins, then yields. Sleeping and waking up takes as long as many of the awaited events.
class SpinWait {
public:
    /// Pauses briefly; spins at first and yields later.
    void wait() {
        if (++waits_ < kSpins) {
            __builtin_ia32_pause();
        } else {
            std::this_thread::yield();
        }
    }
    /// Whether the wait has been so long that sleeping is cheaper.
    [[nodiscard]] bool exhausted() const { return waits_ > kSpins + kYields; }

private:
    static constexpr std::uint32_t kSpins = 200, kYields = 200;
    std::uint32_t waits_ = 0;
};

}  // namespace tessera
