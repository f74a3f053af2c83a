// Cases of a DRAM channel: accesses that meet in its banks.
#pragma once

#include "testbenches/dram/dram_checker.h"
#include "testbenches/dram/dram_stimulus.h"

namespace tessera::testbench {

/// Plays cases one after the other, each in a channel without other accesses.
class DramCases {
public:
    /// All arguments must outlive it.
    DramCases(Session& session, MemoryTraffic& traffic, DramStimulus& stimulus,
              DramChecker& checker)
        : session_(session),
          traffic_(traffic),
          stimulus_(stimulus),
          checker_(checker),
          config_(session.config().dram) {}

    /// Plays each outcome of a bank's row.
    void rows();
    /// Plays each rule of order that the settings have.
    void rules();
    /// Plays a drawn access alone.
    void lone() { lone(stimulus_.draw()); }
    /// Plays an access, and a read of its row or of another row of its bank that waits for it.
    void pair();
    /// Plays drawn accesses that overlap, on average `gap` / 8 cycles apart.
    void overlapping(std::uint64_t count, Cycle gap);

private:
    void lone(const MemoryOperation& operation);
    [[nodiscard]] Cycle open(const DramRow& row, Cycle span);
    void overtaking();
    void hit_cap();
    void turnaround();
    void close_rows();
    /// Returns the DRAM cycles of an access and the one behind it.
    [[nodiscard]] Cycle span() const { return checker_.naive().span(); }

    Session& session_;
    MemoryTraffic& traffic_;
    DramStimulus& stimulus_;
    DramChecker& checker_;
    const DramConfig config_;
};

}  // namespace tessera::testbench
