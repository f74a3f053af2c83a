// Where the bytes of a trace come from: a file, memory, or an .xz of either.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace tessera {

/// A stream of bytes.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Puts up to `capacity` bytes at `out` and returns how many; 0 at the end. Throws ConfigError,
    /// without naming the source, if there is no reading on.
    [[nodiscard]] virtual std::size_t read(char* out, std::size_t capacity) = 0;
};

/// The bytes of a regular file or pipe; decompressed if its name ends in .xz. Throws ConfigError
/// with the system's reason if it cannot be opened.
[[nodiscard]] std::unique_ptr<ByteSource> open_byte_source(const std::string& path);

/// Bytes already there, taken as they are.
[[nodiscard]] std::unique_ptr<ByteSource> memory_byte_source(std::string bytes);

/// `compressed` (one .xz stream or several), decompressed while it is read. Never takes more than
/// half a GiB for its dictionary.
[[nodiscard]] std::unique_ptr<ByteSource> xz_byte_source(std::unique_ptr<ByteSource> compressed);

}  // namespace tessera
