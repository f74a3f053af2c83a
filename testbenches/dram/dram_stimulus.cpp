#include "testbenches/dram/dram_stimulus.h"

#include <fmt/format.h>
#include <map>

#include "testbenches/dram/plan.h"
#include "testbenches/harness/random_accesses.h"

namespace tessera::testbench {
namespace {

constexpr std::size_t kPortColumn = 4;  ///< of memory_columns()

}  // namespace

MemoryOperation DramStimulus::draw() {
    if (session_.below(3) != 0) {
        row_ = {static_cast<std::uint32_t>(session_.below(config_.banks)), session_.below(4)};
    }
    MemoryOperation operation =
        access(session_.below(3) == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, row_,
               static_cast<std::uint32_t>(session_.below(columns())));
    if (session_.below(4) == 0) draw_bytes(session_, operation, sector_);
    operation.port = static_cast<std::uint32_t>(operation.address / sector_ % kPorts);
    return operation;
}

MemoryOperation DramStimulus::draw_read(std::uint64_t rows) {
    row_ = {static_cast<std::uint32_t>(session_.below(config_.banks)), session_.below(rows)};
    const auto column = static_cast<std::uint32_t>(session_.below(columns()));
    MemoryOperation operation = read(row_, column);
    operation.port = column % kPorts;
    return operation;
}

std::vector<MemoryOperation> DramStimulus::operations_of(const Stimulus& stimulus) const {
    std::vector<MemoryOperation> operations = memory_operations(stimulus, sector_, kPorts);
    std::map<Address, std::uint32_t> ports;  // by sector
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const MemoryOperation& operation = operations[i];
        const Address sector = operation.address / sector_;
        const std::uint32_t port = ports.emplace(sector, operation.port).first->second;
        if (port == operation.port) continue;
        stimulus.fail(stimulus.rows()[i], kPortColumn,
                      fmt::format("got {}, expected {}, which uses this sector of {} bytes above "
                                  "(accesses of different ports have no order)",
                                  operation.port, port, sector_));
    }
    return operations;
}

}  // namespace tessera::testbench
