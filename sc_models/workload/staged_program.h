// The instructions of one warp of a staged product.
#pragma once

#include <vector>

#include "sc_models/workload/staged_product_kernel.h"

namespace tessera {

class StagedProgram : public WarpProgram {
public:
    StagedProgram(const StagedProductKernel& kernel, CtaId cta, std::uint32_t warp);
    std::size_t fill(WarpInstruction* out, std::size_t capacity) override;

private:
    enum class Phase { kBegin, kSteps, kEnd, kDone };

    void make_more();
    void read_c();
    void write_d();
    void move_sums(Opcode opcode, Address base, std::uint32_t i, std::uint32_t j);
    void load_copies(std::uint32_t step);
    void store_copies();
    void spread_loads();
    void run_step(std::uint32_t step);
    void run_fragments(std::uint32_t buffer);
    void run_sparse(std::uint32_t step, std::uint32_t buffer);
    void load_sparse_side(const BitmapTiles& side, std::uint32_t slot, std::uint64_t first,
                          std::uint32_t depth, std::uint8_t bitmaps, std::uint8_t values);
    void lower_bitmaps(std::uint32_t slot, std::uint32_t depth, std::uint8_t bitmaps,
                       std::uint8_t values);
    void count_bits(std::uint32_t bitmaps, std::uint8_t reg);
    /// A 32x32 tile's share of a step: `depth` SpWMMAs at most.
    struct SparsePair {
        std::uint32_t i = 0, j = 0;
        std::uint64_t a_first = 0, b_first = 0;  ///< tiles
        std::uint32_t depth = 0;
        std::uint32_t a_set = 0, b_set = 0;  ///< where in registers
    };
    /// Whether these two tiles must be multiplied.
    [[nodiscard]] bool needed(std::uint64_t a_tile, std::uint64_t b_tile) const;
    void load_pair(const SparsePair& pair, std::uint32_t buffer, bool with_a);
    void multiply_pair(const SparsePair& pair);
    void load_fragment(FragmentRole role, std::uint32_t line, std::uint32_t slot,
                       std::uint32_t tile, std::uint8_t dst);
    void load_shared(std::uint32_t address, std::uint32_t bytes, std::uint8_t dst);
    WarpInstruction& emit();
    void emit_alu(std::uint32_t count);

    const StagedProductKernel& kernel_;
    const StagedProduct& product_;
    const StagedRegisters registers_;
    const std::uint32_t warp_;
    const std::uint64_t row_, column_;            ///< of D, where the CTA begins
    const std::uint32_t warp_row_, warp_column_;  ///< in the CTA's tile
    Phase phase_ = Phase::kBegin;
    std::uint32_t step_ = 0;
    bool summed_ = false;  ///< some SpWMMA has run
    std::vector<StagedCopy> all_copies_, copies_;
    std::vector<WarpInstruction> pending_, loads_, computation_;
    std::size_t next_ = 0;
};

}  // namespace tessera
