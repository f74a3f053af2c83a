// The text of a value change dump (IEEE 1364-2005, 18.2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/observe/partial_file.h"

namespace tessera {

/// Signal of a dump; the dots of `scope` make the hierarchy.
struct VcdVariable {
    std::string scope, name;
    std::uint32_t width_bits = 1;
};

/// Writes a dump, in this order: `header`, then for each point in time `time` and the `value`s that
/// change. One time unit is 1 fs.
class VcdWriter {
public:
    explicit VcdWriter(PartialFile& file) : file_(file) {}

    /// Declares the variables; the other calls name them by their place in the list.
    void header(const std::vector<VcdVariable>& variables);
    /// What follows holds from `femtoseconds` on; `first` opens the block of initial values.
    void time(std::uint64_t femtoseconds, bool first = false);
    /// A value that does not fit the width is written as unknown (x).
    void value(std::size_t variable, std::uint64_t value);
    /// Closes the block of initial values.
    void end_of_first_values() { file_.write("$end\n"); }

private:
    void declare(const std::vector<VcdVariable>& variables);

    PartialFile& file_;
    std::vector<std::uint32_t> widths_;
    std::vector<std::string> codes_;
    std::string line_;
};

}  // namespace tessera
