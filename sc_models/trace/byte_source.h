// Sources of a trace's bytes: a file, memory, or an .xz of either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tessera {

/// A stream of bytes.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Reads up to `capacity` bytes into `out` and returns their number; 0 at the end. Throws
    /// ConfigError, without the source's name, if reading fails.
    [[nodiscard]] virtual std::size_t read(char* out, std::size_t capacity) = 0;
    /// Thread blocks of a trace that states their number. Such a trace may leave blocks of the grid
    /// out, and have warps without instructions.
    [[nodiscard]] virtual std::optional<std::uint64_t> thread_blocks() const { return {}; }
};

/// The bytes of a regular file or pipe; decompressed if its name ends in .xz or .tracez. Throws
/// ConfigError with the system's reason if it cannot be opened.
[[nodiscard]] std::unique_ptr<ByteSource> open_byte_source(const std::string& path);

/// Bytes in memory, returned unchanged.
[[nodiscard]] std::unique_ptr<ByteSource> memory_byte_source(std::string bytes);

/// Decompresses `compressed` (one or more .xz streams) while it is read. The dictionary takes at
/// most half a GiB.
[[nodiscard]] std::unique_ptr<ByteSource> xz_byte_source(std::unique_ptr<ByteSource> compressed);

}  // namespace tessera
