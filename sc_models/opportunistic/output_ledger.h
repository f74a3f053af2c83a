// Ledger of the vector operations that each output has received.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/direct/lane_layout.h"

namespace tessera {

/// Counts the vector operations whose results were added to each output in memory, by any executor:
/// every output of a kernel must receive each of its operations exactly once.
class OutputLedger {
public:
    void start_kernel(const KernelInfo& info);
    /// Records that each lane of `layout` adds the results of `operations` operations to memory,
    /// lane 0 at `output`.
    void add(Address output, const LaneLayout& layout, std::uint32_t operations);
    /// Appends a line that names the first output with a wrong count, if there is one.
    void check(std::vector<std::string>& violations) const;

private:
    std::string kernel_;
    Address outputs_ = 0;
    std::uint64_t output_count_ = 0;
    std::uint32_t expected_ = 0;
    bool partial_ = false;  ///< some outputs lack operations
    std::vector<std::uint32_t> counts_;
};

}  // namespace tessera
