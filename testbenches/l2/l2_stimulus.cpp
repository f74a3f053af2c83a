#include "testbenches/l2/l2_stimulus.h"

#include <fmt/format.h>

#include "testbenches/harness/random_accesses.h"
#include "testbenches/l2/naive_l2.h"

namespace tessera::testbench {
namespace {

constexpr std::size_t kAddressColumn = 2;  ///< of memory_columns()

}  // namespace

L2Stimulus::L2Stimulus(Session& session)
    : session_(session), config_(session.config().l2), naive_map_(config_) {
    const NaiveL2 naive(config_);
    const std::size_t sets = config_.sets_per_slice;
    const std::size_t wanted = config_.ways + config_.ways / 3 + 1;
    for (const std::size_t set : {std::size_t{0}, sets / 2, sets - 1}) {
        std::size_t found = 0;
        for (std::uint64_t line = 0; found < wanted; ++line) {
            if (naive.set_of(line) != set) continue;
            lines_.push_back(line * config_.line_bytes);
            ++found;
        }
    }
}

std::vector<MemoryOperation> L2Stimulus::cases() const {
    const std::uint32_t sector = config_.sector_bytes;
    const std::uint32_t line = config_.line_bytes;
    const Address a = lines_[0], b = lines_[1], c = lines_[2];
    std::vector<MemoryOperation> cases = {
        read(a, sector),        read(a, sector),
        read(a, line),          write(a, line),    // all sectors are dirty
        read(a + 7, 1),         write(b, sector),  // allocates without a fetch
        write(b + 1, 1),        read(b, line),
        write(c + 1, line - 2),  // fetches its first and its last sector
        read(c, line)};
    // The last of these lines replaces the first one, which is dirty.
    for (std::size_t i = 3; i <= config_.ways; ++i) cases.push_back(read(lines_[i], sector));
    cases.push_back(read(a, line));
    return cases;
}

std::vector<MemoryOperation> L2Stimulus::burst(Cycle at) const {
    const std::uint32_t line = config_.line_bytes;
    const Address far = Address{1} << 30U;
    const std::uint32_t lines =
        3 * config_.mshr_entries * config_.sector_bytes / line + config_.request_queue_entries + 8;
    std::vector<MemoryOperation> burst;
    for (std::uint32_t i = 0; i < lines; ++i) {
        burst.push_back(read(far + Address{i} * line, line));
        burst.back().at = at;
    }
    return burst;
}

MemoryOperation L2Stimulus::draw() {
    const std::uint32_t line = config_.line_bytes;
    MemoryOperation operation;
    operation.address =
        lines_[session_.below(4) == 0 ? session_.below(3) : session_.below(lines_.size())];
    operation.bytes = line;
    const std::uint64_t shape = session_.below(4);
    if (shape < 2) {
        draw_sector(session_, operation, line, config_.sector_bytes);
    } else if (shape == 2) {
        draw_bytes(session_, operation, line);
    }
    if (session_.below(3) == 0) operation.command = tlm::TLM_WRITE_COMMAND;
    operation.address = naive_map_.global_of(kSlice, operation.address);
    return operation;
}

std::vector<MemoryOperation> L2Stimulus::operations_of(const Stimulus& stimulus) const {
    std::vector<MemoryOperation> operations = memory_operations(stimulus, config_.line_bytes);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const Address address = operations[i].address;
        const std::uint32_t slice = naive_map_.slice_of(address);
        if (slice == kSlice) continue;
        stimulus.fail(stimulus.rows()[i], kAddressColumn,
                      fmt::format("{:#x} belongs to slice {} of {}, expected slice {} (which has "
                                  "all with --set l2.slices=1 --set dram.channels=1)",
                                  address, slice, config_.slices, kSlice));
    }
    return operations;
}

std::vector<MemoryOperation> L2Stimulus::fills() const {
    std::vector<MemoryOperation> fills;
    for (const Address line : lines_) fills.push_back(read(line, config_.line_bytes));
    return fills;
}

MemoryOperation L2Stimulus::draw_present() {
    const std::uint32_t sector = config_.sector_bytes;
    const std::size_t present = config_.ways;  // of the last set
    const Address line = lines_[lines_.size() - 1 - session_.below(present)];
    const Address first = session_.below(config_.line_bytes / sector) * sector;
    return read(line + first, sector);
}

MemoryOperation L2Stimulus::draw_absent() {
    const std::uint32_t sector = config_.sector_bytes;
    return read((Address{1} << 40U) + session_.below(1U << 30U) * sector, sector);
}

}  // namespace tessera::testbench
