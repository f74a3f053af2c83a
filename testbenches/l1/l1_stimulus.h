// Stimulus of the L1: directed and random accesses.
#pragma once

#include <vector>

#include "testbenches/harness/memory_operations.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// Makes accesses of a few sets, whose number and order depend on the organisation of the L1.
class L1Stimulus {
public:
    explicit L1Stimulus(Session& session) : session_(session), config_(session.config().l1) {}

    /// Returns each situation once.
    [[nodiscard]] std::vector<MemoryOperation> cases() const;
    /// Returns accesses at cycle `at` that fill registers and queues.
    [[nodiscard]] std::vector<MemoryOperation> burst(Cycle at) const;
    /// Draws an access of one of a few sets, often of the same line: a whole sector or any bytes.
    [[nodiscard]] MemoryOperation draw();
    /// Returns reads of lines that half fill the cache.
    [[nodiscard]] std::vector<MemoryOperation> fills() const;
    /// Draws a read of a sector of fills().
    [[nodiscard]] MemoryOperation draw_present();

private:
    /// Distance of lines of one set, without a hash.
    [[nodiscard]] Address round() const;

    Session& session_;
    const L1Config config_;
};

}  // namespace tessera::testbench
