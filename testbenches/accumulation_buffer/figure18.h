// Figure 18 of the dual-side sparse tensor core paper: bank conflicts of scattered outputs.
#pragma once

#include <cstdint>

#include "sc_models/tensor_core/accumulation_buffer.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// The buffer at the size of the figure (V-B2): 16 ports, an 8x8x1 tile, 4 by 4 non-zeros an OHMMA.
/// Counts the cycles without an operand collector, and runs the same OHMMAs through the model's.
class Figure18 {
public:
    explicit Figure18(Session& session);
    void run();

private:
    void play_dense();
    /// Prints an OHMMA; returns the outputs of its fullest port.
    std::uint32_t show(std::uint32_t number);
    /// Returns the cycles in which the collector's ports add.
    [[nodiscard]] std::uint64_t measure();
    void check_sums(AccumulationBuffer& buffer);

    Session& session_;
    WaveRecorder* const wave_;
    WaveRecorder::Signal ohmma_ = 0, accepted_ = 0, outputs_ = 0, added_ = 0, idle_ = 0;
};

}  // namespace tessera::testbench
