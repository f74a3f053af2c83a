#include "testbenches/harness/memory_operations.h"

#include <fmt/format.h>

namespace tessera::testbench {
namespace {

enum : std::size_t { kCycle, kOperation, kAddress, kBytes, kPort };
enum : std::uint64_t { kRead, kWrite, kBypass };

/// Limit of addresses: L1 tags hold 48 bits of line number.
constexpr Address kAddressEnd = Address{1} << 48U;

}  // namespace

std::vector<Column> memory_columns(bool has_bypass) {
    std::vector<std::string> operations = {"read", "write"};
    if (has_bypass) operations.emplace_back("bypass");
    return {{"cycle", Column::Kind::kNumber, "earliest cycle, not before that of the line above"},
            {"operation", Column::Kind::kChoice, "", operations},
            {"address", Column::Kind::kAddress, "of the first byte, below 2^48"},
            {"bytes", Column::Kind::kNumber, "within one line"},
            {"port", Column::Kind::kNumber, "initiator, from 0", {}, true}};
}

std::vector<MemoryOperation> memory_operations(const Stimulus& stimulus, std::uint32_t block_bytes,
                                               std::uint32_t ports) {
    std::vector<MemoryOperation> operations;
    for (const StimulusRow& row : stimulus.rows()) {
        const Address first = row[kAddress];
        const std::uint64_t bytes = row[kBytes];
        if (first >= kAddressEnd) stimulus.fail(row, kAddress, "is outside, expected below 2^48");
        if (bytes == 0 || bytes > block_bytes || first % block_bytes + bytes > block_bytes) {
            stimulus.fail(row, kBytes,
                          fmt::format("got {} bytes at {:#x}, expected 1 or more within one block "
                                      "of {} bytes",
                                      bytes, first, block_bytes));
        }
        if (row[kPort] >= ports) {
            stimulus.fail(row, kPort, fmt::format("got {}, expected below {}", row[kPort], ports));
        }
        operations.push_back(
            {row[kCycle],
             row[kOperation] == kWrite ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, first,
             static_cast<std::uint32_t>(bytes), row[kOperation] == kBypass,
             static_cast<std::uint32_t>(row[kPort])});
    }
    return operations;
}

}  // namespace tessera::testbench
