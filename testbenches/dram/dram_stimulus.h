// Stimulus of a DRAM channel: accesses of rows, random ones and those of files.
#pragma once

#include <vector>

#include "testbenches/dram/naive_dram.h"
#include "testbenches/harness/memory_operations.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Makes accesses. Each drawn sector belongs to one port, as accesses of different ports have no
/// order.
class DramStimulus {
public:
    /// `session` and `naive` must outlive it.
    DramStimulus(Session& session, const NaiveDram& naive)
        : session_(session),
          config_(session.config().dram),
          sector_(session.config().l2.sector_bytes),
          naive_(naive) {}

    /// Returns an access of the sector `column` of a row.
    [[nodiscard]] MemoryOperation access(tlm::tlm_command command, const DramRow& row,
                                         std::uint32_t column) const {
        return {0, command, naive_.address_of(row) + Address{column} * sector_, sector_};
    }
    [[nodiscard]] MemoryOperation read(const DramRow& row, std::uint32_t column) const {
        return access(tlm::TLM_READ_COMMAND, row, column);
    }
    [[nodiscard]] MemoryOperation write(const DramRow& row, std::uint32_t column) const {
        return access(tlm::TLM_WRITE_COMMAND, row, column);
    }
    /// Returns the number of sectors in a row.
    [[nodiscard]] std::uint32_t columns() const { return config_.row_bytes / sector_; }

    /// Draws an access of a few rows of all banks, often of the row used last: a whole sector or a
    /// part of it.
    [[nodiscard]] MemoryOperation draw();
    /// Draws a read of the first `rows` rows of all banks.
    [[nodiscard]] MemoryOperation draw_read(std::uint64_t rows);
    /// Returns the operations of a file. Throws ConfigError if two ports use one sector.
    [[nodiscard]] std::vector<MemoryOperation> operations_of(const Stimulus& stimulus) const;

private:
    Session& session_;
    const DramConfig config_;
    const std::uint32_t sector_;  ///< bytes
    const NaiveDram& naive_;
    DramRow row_;  ///< drawn last
};

}  // namespace tessera::testbench
