// How far a long command has got.
#pragma once

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <string>

namespace tessera {

/// As people say it: `45 s`, `1:30 min`, `2:05 h`.
[[nodiscard]] std::string duration_text(double seconds);

/// How a command tells on its error output how far it is.
enum class ProgressStyle : std::uint8_t {
    kPeople,  ///< a line on a terminal
    kJson     ///< a line of JSON each time, for programs
};

/// Adds --progress to a command.
void add_progress_option(CLI::App& command, ProgressStyle& style);

/// A line on the terminal that counts CTAs and says how long it will still take; silent elsewhere.
class ProgressLine {
public:
    explicit ProgressLine(ProgressStyle style = ProgressStyle::kPeople) : style_(style) {}
    ~ProgressLine() { clear(); }
    /// Whether anybody sees it.
    [[nodiscard]] bool shows() const { return terminal_ || style_ == ProgressStyle::kJson; }
    /// `done` of `total` CTAs of `kernel`, which are `share` (0..1) of all there is to do.
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
