// Instruction programs of the warps of FlashAttention-3.
#pragma once

#include <cstdint>
#include <optional>

#include "sc_models/workload/attention/flash3_kernel.h"
#include "sc_models/workload/attention/flash_softmax.h"
#include "sc_models/workload/batched_program.h"

namespace tessera {

/// A warp of a Flash3Kernel: makes the instructions of one block of keys at a time, tile after
/// tile.
class Flash3Program : public BatchedProgram {
public:
    Flash3Program(const Flash3Kernel& kernel, CtaId cta);

protected:
    using Barrier = Flash3Kernel::Barrier;

    /// Appends the instructions before the first block of tile_, of block block_, and behind the
    /// last one.
    virtual void begin_tile() = 0;
    virtual void make_block() = 0;
    virtual void end_tile() = 0;

    void arrive(std::uint32_t barrier, std::uint32_t bytes = 0);
    void await(std::uint32_t barrier, std::uint32_t phase);
    [[nodiscard]] bool first_block() const { return block_ + 1 == tile_->blocks.end; }
    /// Buffer of a block, which the CTA counts over all tiles, and the phase of its barriers.
    [[nodiscard]] static std::uint32_t stage(std::uint32_t block) {
        return block % Flash3Kernel::kStages;
    }
    [[nodiscard]] static std::uint32_t phase(std::uint32_t block) {
        return block / Flash3Kernel::kStages;
    }

    const Flash3Kernel& kernel_;
    const FlashProblem& problem_;
    const CtaId cta_;
    std::uint32_t round_ = 0;  ///< tiles that are over
    std::optional<Flash3Kernel::Tile> tile_;
    std::uint32_t block_ = 0;   ///< of the tile, from the last one down
    std::uint32_t blocks_ = 0;  ///< that were begun before, of all tiles

private:
    void make_batch() override;

    bool begun_ = false;  ///< tile_
};

/// The producer: keys of a block before the values of the block before it.
class Flash3Producer : public Flash3Program {
public:
    using Flash3Program::Flash3Program;

private:
    void begin_tile() override {}
    void make_block() override;
    void end_tile() override;
    void copy_values();
    void copy_block(const HeadTensor& tensor, std::uint32_t block, std::uint32_t count,
                    std::uint32_t full, std::uint32_t slot);
    /// Copies of `rows` rows to shared memory at `to`, announced on `barrier`.
    void copy(Address from, std::uint64_t pitch, std::uint32_t rows, std::uint32_t to,
              std::uint32_t barrier, bool shared_by_two);
};

/// A warp of a consumer warpgroup.
class Flash3Consumer : public Flash3Program {
public:
    Flash3Consumer(const Flash3Kernel& kernel, CtaId cta, std::uint32_t warp);

private:
    void begin_tile() override;
    void make_block() override;
    void end_tile() override;
    /// Products of the queries with the keys of the block.
    void multiply_keys();
    /// Products of the weights of block `block`, counted over all tiles, with its values.
    void multiply_values(std::uint32_t block);
    void await_turn();
    void pass_turn();
    void store(std::uint32_t row);

    const FlashRegisters& registers_;
    const std::uint32_t warp_, warpgroup_;
    const std::uint32_t row_;  ///< the warp's first in a tile
    FlashSoftmax softmax_;
    std::uint32_t turns_ = 0;
    bool output_begun_ = false;  ///< of the tile
};

}  // namespace tessera
