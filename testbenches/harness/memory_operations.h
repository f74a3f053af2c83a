// Stimulus of memory-mapped modules: columns of its files, and the operations they mean.
#pragma once

#include <tlm>
#include <vector>

#include "sc_models/common/types.h"
#include "testbenches/harness/stimulus.h"

namespace tessera::testbench {

/// Access of a memory-mapped module.
struct MemoryOperation {
    Cycle at = 0;  ///< earliest cycle
    tlm::tlm_command command = tlm::TLM_READ_COMMAND;
    Address address = 0;
    std::uint32_t bytes = 0;
    bool bypass_l1 = false;
    std::uint32_t port = 0;  ///< initiator, of modules with several
};

/// Columns cycle, operation, address, bytes and port. `has_bypass`: a read may bypass the L1.
[[nodiscard]] std::vector<Column> memory_columns(bool has_bypass = false);

/// Operations of a file with memory_columns(), each checked: `block_bytes` is the largest aligned
/// block that an operation may touch, `ports` the number of initiators. Throws ConfigError that
/// names file, line and column.
[[nodiscard]] std::vector<MemoryOperation> memory_operations(const Stimulus& stimulus,
                                                             std::uint32_t block_bytes,
                                                             std::uint32_t ports = 1);

}  // namespace tessera::testbench
