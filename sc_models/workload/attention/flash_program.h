// Instruction program of a warp of the fused attention kernel.
#pragma once

#include <vector>

#include "sc_models/workload/attention/flash_instructions.h"

namespace tessera {

/// Instructions of a warp, a segment at a time: its own copies, masks and stores, and lists that
/// all CTAs of the kernel share.
class FlashProgram : public WarpProgram {
public:
    FlashProgram(const FlashKernel& kernel, CtaId cta, std::uint32_t warp);

    std::size_t fill(WarpInstruction* out, std::size_t capacity) override;
    InstructionBatch next(WarpInstruction* room) override;

private:
    enum class Stage { kBegin, kValues, kScores, kMask, kKeys, kUpdate, kEnd, kDone };

    /// Goes to the next segment that has instructions, unless the program has ended.
    void advance();
    void make_segment();
    void begin();
    void end();
    void mask();
    void load_mask(std::uint32_t block);
    void store_mask();
    /// Waits for the copies of all warps.
    void await();
    void commit() { emit(Opcode::kCommitCopies); }
    void copy_queries();
    void copy_block(const HeadTensor& tensor, std::uint32_t slot, bool clears);
    void copy_rows(Address from, std::uint32_t to, std::uint32_t rows, std::uint64_t pitch);
    void clear_rows(std::uint32_t to, std::uint32_t rows);
    void find_page(std::uint32_t key);
    void store_sums(std::uint32_t strip, std::uint32_t live);

    WarpInstruction& emit(Opcode opcode) { return own_.emplace_back(opcode); }
    void integer(std::uint32_t count);
    /// First row of a strip in the head, and the number of rows of it that there are.
    [[nodiscard]] std::uint32_t first_row(std::uint32_t strip) const {
        return part_.row_tile * problem_.tile.rows + (strip * kFlashWarps + warp_) * kFragmentRows;
    }
    [[nodiscard]] std::uint32_t live_rows(std::uint32_t strip) const;
    [[nodiscard]] std::uint32_t head_of_keys() const { return part_.head / problem_.heads_of_keys; }

    const FlashKernel& kernel_;
    const FlashProblem& problem_;
    const FlashRegisters& registers_;
    const FlashKernel::Part part_;
    const std::uint32_t warp_;
    const FlashProblem::Blocks blocks_;
    FlashEmitter emitter_;
    std::uint32_t block_;  ///< that is worked on, from the last one down
    Stage stage_ = Stage::kBegin;
    std::vector<WarpInstruction> own_;
    const WarpInstruction* segment_ = nullptr;
    std::size_t given_ = 0, count_ = 0;
};

}  // namespace tessera
