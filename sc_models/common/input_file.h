// Reading of files that people hand us, which a signal can end.
#pragma once

#include <cstddef>
#include <streambuf>
#include <string>
#include <vector>

namespace tessera {

/// A file, pipe or device, read from its start. A signal that asks the program to stop ends the
/// wait for bytes that do not come: what would wait on throws Interrupted then.
class InputFile {
public:
    /// Throws ConfigError, the system's reason alone, if it is a folder or cannot be opened.
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    /// Puts up to `capacity` bytes at `out` and returns how many; 0 at the end. Throws ConfigError
    /// with the system's reason.
    [[nodiscard]] std::size_t read(char* out, std::size_t capacity) const;

private:
    void wait() const;

    int file_;
};

/// An InputFile for std::istream, which turns what `read` throws into badbit unless told otherwise
/// (std::ios::exceptions).
class InputFileBuffer final : public std::streambuf {
public:
    explicit InputFileBuffer(const std::string& path);

private:
    int_type underflow() override;

    InputFile file_;
    std::vector<char> buffer_;
};

}  // namespace tessera
