// Table II of the Duplo paper, played step by step.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "sc_models/duplo/id_generator.h"
#include "sc_models/duplo/rename_table.h"
#include "sc_models/reproduction/duplo_examples.h"
#include "testbenches/load_history_buffer/history_driver.h"

namespace tessera::testbench {

/// The four loads of Table II (Duplo IV-C) through ID generator, load history buffer and rename
/// table. Each element of Figure 6 is one 32-byte chunk of 16 channels, as the hardware loads it.
class Table2Example {
public:
    /// Sends one operation to the buffer at a cycle, checks its result and returns it.
    using Play = std::function<HistoryResult(const HistoryOperation&, Cycle)>;

    Table2Example(Session& session, Play play);
    /// Organisation of the table's buffer.
    [[nodiscard]] static HistoryOrganisation organisation();
    /// Plays the loads, prints each step and checks it against the table.
    void run();

private:
    static constexpr Cycle kStepCycles = 4;  ///< from one load to the next

    /// Outcome of a load in the words of the table.
    struct Outcome {
        std::optional<std::uint32_t> element, entry;
        std::string status = "-", operation = "N/A";
        PhysRegId physical;
    };
    [[nodiscard]] Outcome load(std::size_t step, Address address);
    [[nodiscard]] Outcome look_up(std::uint32_t architectural, const DataId& id, Cycle at);
    void check(std::size_t step, const Outcome& outcome);
    void print(std::size_t step, Address address, const Outcome& outcome);
    void record(Cycle at);
    void make_signals();

    Session& session_;
    const Play play_;
    IdGenerator ids_;
    LoadHistoryBuffer index_;  ///< for the numbers of entries only
    RenameTable table_;
    struct Entry {
        std::uint32_t element, physical;
    };
    std::array<std::optional<Entry>, DuploTable2::kEntries> entries_{};
    WaveRecorder* const wave_;
    WaveRecorder::Signal address_ = 0, in_workspace_ = 0, element_ = 0;
    std::array<WaveRecorder::Signal, DuploTable2::kEntries> elements_{}, registers_{};
    std::array<WaveRecorder::Signal, DuploTable2::kArchitectural> mappings_{};
};

}  // namespace tessera::testbench
