// A child process: a program with the streams it is given.
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// A file descriptor, or none, that is closed with this object. Those of this file are closed in
/// children, too.
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

/// What is written to one end is read from the other. Throws ConfigError if there can be none.
struct Pipe {
    Pipe();
    Descriptor reads, writes;
};

/// Nothing to read. Throws ConfigError if there are too many files.
[[nodiscard]] Descriptor empty_input();

/// The descriptors that a child has as its standard streams.
struct ChildStreams {
    const Descriptor &input, &output, &error;
};

/// What becomes of a child when this process dies.
enum class Orphan : std::uint8_t {
    kLivesOn,
    kEnds,  ///< it gets a SIGTERM
};

/// Starts argv[0] (looked up in PATH if it has no slash) in a process group of its own, out of
/// reach of a Ctrl-C at the terminal, with the variables of `environment` over ours. A program that
/// cannot be executed says so on its error stream and ends with code 127. Throws ConfigError if no
/// process can be made.
[[nodiscard]] pid_t start_child(
    const std::vector<std::string>& argv, const ChildStreams& streams, Orphan orphan,
    const std::vector<std::pair<std::string, std::string>>& environment = {});

enum class Waiting : std::uint8_t { kNo, kYes };
/// Exit code of a child of which the system knows nothing, as something else waited for it.
inline constexpr int kUnknownEnd = 126;

/// Exit code of a child that has ended: its own, or 128 + signal if one ended it, as shells say.
/// Nothing as long as it runs, if `waiting` is kNo.
[[nodiscard]] std::optional<int> end_of(pid_t pid, Waiting waiting);

}  // namespace tessera
