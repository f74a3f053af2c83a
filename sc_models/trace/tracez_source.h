// Text of a packed trace (.tracez), decompressed while it is read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/trace/byte_source.h"

namespace tessera {

/// Bytes that can be read at any offset.
class RandomBytes {
public:
    virtual ~RandomBytes() = default;
    [[nodiscard]] virtual std::uint64_t size() const = 0;
    /// Reads up to `capacity` bytes from `offset` on and returns their number; 0 at the end. Throws
    /// ConfigError, without the source's name, if reading fails.
    [[nodiscard]] virtual std::size_t read_at(std::uint64_t offset, char* out,
                                              std::size_t capacity) = 0;
};

/// The bytes of a regular file. Throws ConfigError with the system's reason if it cannot be opened
/// or is a pipe or device.
[[nodiscard]] std::unique_ptr<RandomBytes> open_random_bytes(const std::string& path);

/// Bytes in memory.
[[nodiscard]] std::unique_ptr<RandomBytes> memory_random_bytes(std::string bytes);

/// Unpacks a .tracez, Accel-Sim 2.0's trace whose instruction lines are packed by warp in zstd
/// frames, to the text of tracer 6 that it stands for. Line numbers of errors count that text.
/// Memory holds one dictionary of at most 16 MiB and zstd's window, and does not grow with the
/// trace. Each length and offset of the file is checked before it is used, and errors name what
/// contradicts.
[[nodiscard]] std::unique_ptr<ByteSource> tracez_byte_source(std::unique_ptr<RandomBytes> packed);

}  // namespace tessera
