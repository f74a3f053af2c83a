#include "testbenches/l1/l1_stimulus.h"

#include "testbenches/harness/random_accesses.h"
#include "testbenches/l1/plan.h"

namespace tessera::testbench {

Address L1Stimulus::round() const {
    return kCapacity / config_.ways;
}

std::vector<MemoryOperation> L1Stimulus::cases() const {
    const Address line = config_.line_bytes;
    const std::uint32_t sector = config_.sector_bytes;
    const auto read = tlm::TLM_READ_COMMAND;
    const auto write = tlm::TLM_WRITE_COMMAND;
    std::vector<MemoryOperation> cases = {
        {0, read, 0, sector},    {0, read, 0, sector},      {0, read, 0, config_.line_bytes},
        {0, write, sector, 8},   {0, read, sector, sector}, {0, write, 5 * line, 16},
        {0, read, 5 * line, 16}, {0, read, 7, 1},           {0, read, 9 * line, 8, true},
        {0, read, 9 * line, 8},  {0, read, line - 1, 1}};
    for (std::uint32_t way = 1; way <= config_.ways; ++way) {
        cases.push_back({0, read, way * round(), sector});
    }
    cases.push_back({0, read, 0, sector});  // evicted by them, unless a hash spreads the lines
    return cases;
}

std::vector<MemoryOperation> L1Stimulus::burst(Cycle at) const {
    const auto read = tlm::TLM_READ_COMMAND;
    const Address line = config_.line_bytes;
    const std::uint32_t sector = config_.sector_bytes;
    const Address far = Address{1} << 30U;
    const std::uint32_t lines =
        config_.mshr_entries * sector / config_.line_bytes + config_.request_queue_entries + 8;
    std::vector<MemoryOperation> burst;
    for (std::uint32_t i = 0; i < lines; ++i) {
        burst.push_back({at, read, far + i * line, config_.line_bytes});
    }
    burst.push_back({at, read, far + (lines - 1) * line, sector});
    return burst;
}

MemoryOperation L1Stimulus::draw() {
    const std::uint32_t line = config_.line_bytes;
    // Both halves of the sets are used, so that all index bits matter.
    const Address set = session_.below(2) * line + session_.below(2) * (round() / 2);
    MemoryOperation operation;
    operation.address = session_.below(3) == 0 ? set : session_.below(8) * round() + set;
    if (session_.below(2) == 0) {
        draw_sector(session_, operation, line, config_.sector_bytes);
    } else {
        draw_bytes(session_, operation, line);
    }
    if (session_.below(4) == 0) {
        operation.command = tlm::TLM_WRITE_COMMAND;
    } else {
        operation.bypass_l1 = session_.below(16) == 0;
    }
    return operation;
}

std::vector<MemoryOperation> L1Stimulus::fills() const {
    std::vector<MemoryOperation> fills;
    for (Address a = 0; a < kCapacity / 2; a += config_.line_bytes) {
        fills.push_back({0, tlm::TLM_READ_COMMAND, a, config_.line_bytes});
    }
    return fills;
}

MemoryOperation L1Stimulus::draw_present() {
    const Address sector = session_.below(kCapacity / 2 / config_.sector_bytes);
    return {0, tlm::TLM_READ_COMMAND, sector * config_.sector_bytes, config_.sector_bytes};
}

}  // namespace tessera::testbench
