// Progress display of a long command.
#pragma once

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <string>

namespace tessera {

/// A readable duration: `45 s`, `1:30 min`, `2:05 h`.
[[nodiscard]] std::string duration_text(double seconds);

/// Format of the progress on a command's error output.
enum class ProgressStyle : std::uint8_t {
    kPeople,  ///< a line on a terminal
    kJson     ///< one line of JSON per update, for programs
};

/// Adds --progress to a command.
void add_progress_option(CLI::App& command, ProgressStyle& style);

/// Line on a terminal with the number of finished CTAs and the remaining time; prints nothing
/// elsewhere.
class ProgressLine {
public:
    explicit ProgressLine(ProgressStyle style = ProgressStyle::kPeople) : style_(style) {}
    ~ProgressLine() { clear(); }
    /// Whether show() prints anything.
    [[nodiscard]] bool shows() const { return terminal_ || style_ == ProgressStyle::kJson; }
    /// Reports `done` of `total` CTAs of `kernel`; `share` (0..1) is the finished part of all work.
    void show(const std::string& kernel, std::uint64_t done, std::uint64_t total, double share);
    void clear();

private:
    const ProgressStyle style_;
    const bool terminal_ = isatty(STDERR_FILENO) != 0;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    bool drawn_ = false;
    std::chrono::steady_clock::time_point shown_;
};

}  // namespace tessera
