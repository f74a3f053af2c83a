// Interruptible reading of user files.
#pragma once

#include <cstddef>
#include <streambuf>
#include <string>
#include <vector>

namespace tessera {

/// A file, pipe or device, read from its start. A signal that stops the program ends a blocking
/// wait for bytes; the wait then throws Interrupted.
class InputFile {
public:
    /// Throws ConfigError with only the system's reason for a folder or a file that cannot be
    /// opened.
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    /// Reads up to `capacity` bytes into `out` and returns their number; 0 at the end. Throws
    /// ConfigError with the system's reason.
    [[nodiscard]] std::size_t read(char* out, std::size_t capacity) const;

private:
    void wait() const;

    int file_;
};

/// An InputFile for std::istream. The stream converts exceptions of `read` to badbit unless
/// std::ios::exceptions is set.
class InputFileBuffer final : public std::streambuf {
public:
    explicit InputFileBuffer(const std::string& path);

private:
    int_type underflow() override;

    InputFile file_;
    std::vector<char> buffer_;
};

}  // namespace tessera
