// The list of a trace: which kernels run in which order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/common/types.h"
#include "sc_models/trace/byte_source.h"

namespace tessera {

/// One line of a kernelslist.g that means something.
struct TraceCommand {
    enum class Kind : std::uint8_t { kCopyToDevice, kKernel };

    Kind kind = Kind::kKernel;
    std::string path;         ///< kKernel: the trace, the list's folder in front
    Address address = 0;      ///< kCopyToDevice
    std::uint64_t bytes = 0;  ///< kCopyToDevice
    std::uint64_t line = 0;   ///< in the list, from 1
};

/// The commands of a kernelslist.g in the order of execution.
class TraceCommandList {
public:
    /// Throws ConfigError, "file:line: ...", for malformed lines, for kernels whose trace does not
    /// exist or has another extension than .traceg or .xz, and for a list without kernels. Lines
    /// that start neither with "kernel" nor with "MemcpyHtoD" are ignored.
    explicit TraceCommandList(const std::string& path);
    /// The same from anywhere, without looking for the kernels' files. Paths stay as written.
    TraceCommandList(std::unique_ptr<ByteSource> source, const std::string& name);

    [[nodiscard]] const std::vector<TraceCommand>& commands() const { return commands_; }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    std::string name_;
    std::vector<TraceCommand> commands_;
};

}  // namespace tessera
