// Instructions of the softmax in a fused attention kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/workload/attention/flash_registers.h"

namespace tessera {

/// Appends the instructions of a block's softmax, which work on registers, to a list.
class FlashSoftmax {
public:
    FlashSoftmax(const FlashFunction& function, const FlashRegisters& registers,
                 std::vector<WarpInstruction>& out)
        : function_(function), registers_(registers), out_(out) {}

    /// Maxima and sums of weights before the first block.
    void begin(std::uint32_t strip);
    /// Adds the mask of the block, whose halves lie at `slot` of shared memory, to the scores.
    void add_mask(std::uint32_t slot);
    /// Scores of the block at `key`, of the strip at `row` of its head, that are masked out.
    void mask(std::uint32_t strip, std::uint64_t row, std::uint64_t key);
    /// Maxima of a strip with this block, and what they do to the sums of weights. The output is
    /// scaled by scale_output().
    void maxima(std::uint32_t strip, bool first);
    void scale_output(std::uint32_t strip);
    /// Weights of all tiles: exponentials of one tile while those of the one before are added and,
    /// with `packs`, packed.
    void weights(bool packs);
    /// Rounds the weights of all tiles to halves.
    void pack();
    /// Divides a strip's output by the sums of its weights.
    void divide(std::uint32_t strip);
    /// Rounds a strip's output to halves of the result.
    void round(std::uint32_t strip);

protected:
    /// `count` instructions of kind `operation` that apply a function to the tile: `registers`
    /// registers from src on are read, dst is written.
    struct Step {
        Operation operation = Operation::kFp32;
        std::uint32_t count = 1;
        std::uint8_t dst = kNoRegister, src = kNoRegister;
        std::uint32_t registers = 1;
    };
    FunctionCall& apply(const Step& step, FlashFunction::What what, std::uint32_t strip,
                        std::uint32_t tile = 0);
    /// The same without a function.
    WarpInstruction& work(const Step& step);
    WarpInstruction& emit(Opcode opcode) { return out_.emplace_back(opcode); }

    const FlashFunction& function_;
    const FlashRegisters& registers_;

private:
    void pack(std::uint32_t strip, std::uint32_t tile);

    std::vector<WarpInstruction>& out_;
};

}  // namespace tessera
