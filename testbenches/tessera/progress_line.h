// How far a long command has got.
#pragma once

#include <unistd.h>
#include <chrono>
#include <cstdint>
#include <string>

namespace tessera {

/// A line on the terminal that counts CTAs; silent elsewhere.
class ProgressLine {
public:
    ~ProgressLine() { clear(); }
    void show(const std::string& kernel, std::uint64_t done, std::uint64_t total);
    void clear();

private:
    const bool terminal_ = isatty(STDERR_FILENO) != 0;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point shown_;
};

}  // namespace tessera
