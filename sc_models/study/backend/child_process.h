// Child process with given standard streams.
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Owner of a file descriptor, or of none. Descriptors created by this file are close-on-exec.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        other.close();
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    [[nodiscard]] int number() const { return number_; }
    void close();

private:
    int number_ = -1;
};

/// Pipe with its two ends. Throws ConfigError if it cannot be created.
struct Pipe {
    Pipe();
    Descriptor reads, writes;
};

/// Empty input stream. Throws ConfigError if there are too many open files.
[[nodiscard]] Descriptor empty_input();

/// Standard streams of a child.
struct ChildStreams {
    const Descriptor &input, &output, &error;
};

/// State of a child after the death of this process.
enum class OnParentDeath : std::uint8_t {
    kLivesOn,
    kEnds,  ///< receives a SIGTERM
};

/// Starts argv[0] (looked up in PATH if it has no slash) in its own process group, which a Ctrl-C
/// at the terminal does not reach, with `environment` added to the environment. If the program
/// cannot be executed, the child prints an error to its error stream and ends with code 127. Throws
/// ConfigError if no process can be created.
[[nodiscard]] pid_t start_child(
    const std::vector<std::string>& argv, const ChildStreams& streams,
    OnParentDeath on_parent_death,
    const std::vector<std::pair<std::string, std::string>>& environment = {});

enum class Waiting : std::uint8_t { kNo, kYes };
/// Exit code of a child whose status is unavailable because other code waited for it.
inline constexpr int kUnknownEnd = 126;

/// Exit code of an ended child: its own, or 128 + signal as in shells. Empty while it runs, if
/// `waiting` is kNo.
[[nodiscard]] std::optional<int> end_of(pid_t pid, Waiting waiting);

}  // namespace tessera
