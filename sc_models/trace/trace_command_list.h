// Command list of a trace: the kernels in execution order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/trace/byte_source.h"

namespace tessera {

/// A command line of a kernelslist.g.
struct TraceCommand {
    enum class Kind : std::uint8_t { kCopyToDevice, kKernel };

    Kind kind = Kind::kKernel;
    std::string path;         ///< kKernel: path of the trace, with the list's folder in front
    Address address = 0;      ///< kCopyToDevice
    std::uint64_t bytes = 0;  ///< kCopyToDevice
    std::uint64_t line = 0;   ///< line number in the list, from 1
};

/// The commands of a kernelslist.g in the order of execution.
class TraceCommandList {
public:
    /// Throws ConfigError, "file:line: ...", for malformed lines, for kernels whose trace does not
    /// exist or has another extension than .traceg, .xz or .tracez, and for a list without kernels.
    /// Lines that start neither with "kernel" nor with "MemcpyHtoD" are ignored.
    explicit TraceCommandList(const std::string& path);
    /// Reads a list from any source, without checking the kernels' files. Paths stay as written.
    TraceCommandList(std::unique_ptr<ByteSource> source, const std::string& name);

    [[nodiscard]] const std::vector<TraceCommand>& commands() const { return commands_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    std::string name_;
    std::vector<TraceCommand> commands_;
};

}  // namespace tessera
