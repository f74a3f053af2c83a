// Steps of SpWMMAs on operands in bitmaps.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/workload/staged/sparse_step.h"
#include "sc_models/workload/staged/staged_steps.h"

namespace tessera {

/// Steps of 32x32x16 SpWMMAs. Copies go through registers two steps ahead: their loads are spread
/// over the step before the stores.
class SpwmmaSteps : public StagedSteps {
public:
    SpwmmaSteps(const StagedWarp& at, StagedInstructions& out) : StagedSteps(at, out) {}

    void begin() override;
    void run(std::uint32_t step) override;
    bool finish() override;
    void compute(std::uint32_t /*buffer*/) override {}

private:
    /// A 32x32 tile's share of a step whose operands are in registers.
    struct SparsePair {
        std::uint32_t set = 0;  ///< of bitmap registers
        std::uint8_t a_values = kNoRegister, b_values = kNoRegister;
        std::uint8_t a_bitmaps = kNoRegister, b_bitmaps = kNoRegister;
        std::vector<WarpInstruction> spwmmas;
        std::size_t given = 0;  ///< number of `spwmmas` already in the program
    };
    /// Scratch data, as that of StagedCopies.
    struct Scratch {
        SparseStep plan;
        std::vector<std::uint32_t> pieces;
    };

    [[nodiscard]] static Scratch& scratch_of_thread();
    void multiply(std::uint32_t step);
    void merge_copies(std::uint32_t step);
    void load_bitmaps(const SparseLine& line, std::uint32_t slot, std::uint8_t reg);
    void lower_bitmaps(std::uint32_t slot, std::uint8_t reg);
    void count_bits(std::uint32_t bitmaps, std::uint8_t reg);
    void gather(const SparseLine& line, std::uint32_t slot, std::uint32_t begin, std::size_t from,
                bool bitmaps);
    void load_values(const SparseLine& line, std::uint32_t slot, std::uint8_t reg,
                     std::uint8_t predicates);
    void load_pieces(std::uint32_t address, std::uint32_t pieces, std::uint32_t bytes,
                     std::uint8_t dst, std::uint8_t predicates);
    void load_a(std::uint32_t i, std::uint32_t step, std::uint8_t reg, std::uint8_t predicates);
    void load_shared(std::uint32_t address, std::uint32_t bytes, std::uint8_t dst);
    void prepare_pair(std::uint32_t i, std::uint32_t j, SparsePair& pair) const;
    /// Emits the waiting pair's SpWMMAs, except the last `keep`.
    void multiply_waiting(std::size_t keep = 0);
    [[nodiscard]] std::uint32_t a_slot(std::uint32_t buffer, std::uint32_t i) const;
    [[nodiscard]] std::uint32_t b_slot(std::uint32_t buffer, std::uint32_t j) const;

    Scratch* scratch_ = nullptr;  ///< of the thread that generates the step
    SparsePair waiting_;
    std::uint32_t a_loads_ = 0, b_loads_ = 0;  ///< line tiles whose values were loaded
    bool summed_ = false;                      ///< some SpWMMA has run
    std::vector<BitGather::Move> moves_;
};

}  // namespace tessera
