// GTKWave's saved views, for tests of whether they fit the waveforms.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/vcd_reader.h"

namespace tessera::test {

/// Contents of a .gtkw file in `folder`.
struct SavedView {
    std::vector<std::string> groups;
    std::vector<std::string> signals;  ///< "sm0.ldst.opcode[3:0]"
    std::vector<std::string> filters;  ///< files that translate values

    /// Throws std::runtime_error if the file cannot be read.
    [[nodiscard]] static SavedView read(const std::string& path);
    /// Signals that `vcd` does not have, or has in another width.
    [[nodiscard]] std::vector<std::string> missing_in(const VcdFile& vcd) const;
};

/// Label by value of a filter file. Throws std::runtime_error if it cannot be read.
[[nodiscard]] std::map<std::uint64_t, std::string> read_filter(const std::string& path);

}  // namespace tessera::test
