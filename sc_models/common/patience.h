// How a thread of the host waits for another that will be ready in microseconds.
#pragma once

#include <cstdint>
#include <thread>

namespace tessera {

/// Looks again and again at what another thread does, then gives its core away between two looks.
/// To sleep and wake up takes as long as many of the things that are waited for.
class Patience {
public:
    /// Waits a little each time.
    void wait() {
        if (++waits_ < kSpins) {
            __builtin_ia32_pause();
        } else {
            std::this_thread::yield();
        }
    }
    /// It has been so long that sleeping costs less.
    [[nodiscard]] bool lost() const { return waits_ > kSpins + kYields; }

private:
    static constexpr std::uint32_t kSpins = 200, kYields = 200;
    std::uint32_t waits_ = 0;
};

}  // namespace tessera
