// Sums of a warp of a staged product: from C, and to D.
#pragma once

#include <cstdint>

#include "sc_models/workload/staged/staged_part.h"

namespace tessera {

/// Reading of C into the sums before the steps, and conversion of the sums to D after them.
class StagedResult : private StagedPart {
public:
    StagedResult(const StagedWarp& at, StagedInstructions& out) : StagedPart(at, out) {}

    void read_c();
    /// `summed`: the sums are in accumulation buffers.
    void write_d(bool summed);

private:
    void write_narrow(bool summed);
    void load_columns();
    void load_strip(std::uint32_t i);
    void add_c(std::uint32_t i);
    void run_epilogue(std::uint32_t i);
    void requantise(std::uint32_t i);
    void load_column(Address base, std::uint32_t element_bytes, std::uint32_t slot);
    void round_strip(std::uint32_t i);
    void flush(std::uint32_t i, std::uint32_t j);
    void move_narrow(Opcode opcode, Address base, std::uint32_t i, std::uint8_t reg);
    void change_floats(FloatOperation what, std::uint32_t i, std::uint32_t j);
    /// Destination of the rounding of a strip of the warp's tile, as many rows as a tile of sums,
    /// once the operands of steps are no longer needed.
    [[nodiscard]] std::uint8_t halves(std::uint32_t i) const { return registers_.slot(i, 0); }
    /// Whether the tiles of sums have the size of kFloats.
    [[nodiscard]] bool rows_of_floats() const { return registers_.sum_edge == kFragmentRows; }
    [[nodiscard]] std::uint32_t instructions_of_tile() const { return registers_.sum_registers(); }
    void move_sums(Opcode opcode, Address base, std::uint32_t i, std::uint32_t j);
    void place_rows(WarpInstruction& w, Address base, std::uint32_t element_bytes,
                    std::uint64_t row, std::uint64_t column);
};

}  // namespace tessera
