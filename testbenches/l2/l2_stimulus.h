// Stimulus of an L2 slice: directed and random accesses of its part of the memory.
#pragma once

#include <vector>

#include "testbenches/harness/memory_operations.h"
#include "testbenches/harness/naive_address_map.h"
#include "testbenches/harness/session.h"
#include "testbenches/l2/plan.h"

namespace tessera::testbench {

/// Makes accesses of a few sets: the first, the middle and the last one, a third more lines than
/// the ways of each.
class L2Stimulus {
public:
    explicit L2Stimulus(Session& session);

    /// Returns each situation once.
    [[nodiscard]] std::vector<MemoryOperation> cases() const;
    /// Returns reads at cycle `at` that fill the miss registers and the queue before the lookup.
    [[nodiscard]] std::vector<MemoryOperation> burst(Cycle at) const;
    /// Draws an access, often of the same lines: a whole sector, a whole line or any bytes.
    [[nodiscard]] MemoryOperation draw();
    /// Returns a read of one byte of the first line.
    [[nodiscard]] MemoryOperation first_byte() const { return read(lines_.front(), 1); }
    /// Returns the operations of a file. Throws ConfigError for an address of another slice.
    [[nodiscard]] std::vector<MemoryOperation> operations_of(const Stimulus& stimulus) const;

    /// Returns reads of all lines.
    [[nodiscard]] std::vector<MemoryOperation> fills() const;
    /// Draws a read of a sector that is present after fills().
    [[nodiscard]] MemoryOperation draw_present();
    /// Draws a read of a sector that is absent.
    [[nodiscard]] MemoryOperation draw_absent();

private:
    [[nodiscard]] MemoryOperation access(tlm::tlm_command command, Address local,
                                         std::uint32_t bytes) const {
        return {0, command, naive_map_.global_of(kSlice, local), bytes};
    }
    [[nodiscard]] MemoryOperation read(Address local, std::uint32_t bytes) const {
        return access(tlm::TLM_READ_COMMAND, local, bytes);
    }
    [[nodiscard]] MemoryOperation write(Address local, std::uint32_t bytes) const {
        return access(tlm::TLM_WRITE_COMMAND, local, bytes);
    }

    Session& session_;
    const L2Config config_;
    const NaiveAddressMap naive_map_;
    std::vector<Address> lines_;  ///< of the sets, as addresses within the slice
};

}  // namespace tessera::testbench
