// How far a long command has got.
#pragma once

#include <unistd.h>
#include <chrono>
#include <cstdint>
#include <string>

namespace tessera {

/// As people say it: `45 s`, `1:30 min`, `2:05 h`.
[[nodiscard]] std::string duration_text(double seconds);

/// A line on the terminal that counts CTAs and says how long it will still take; silent elsewhere.
class ProgressLine {
public:
    ~ProgressLine() { clear(); }
    /// `done` of `total` CTAs of `kernel`, which are `share` (0..1) of all there is to do.
    void show(const std::string& kernel, std::uint64_t done, std::uint64_t total, double share);
    void clear();

private:
    const bool terminal_ = isatty(STDERR_FILENO) != 0;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    bool drawn_ = false;
    std::chrono::steady_clock::time_point shown_;
};

}  // namespace tessera
