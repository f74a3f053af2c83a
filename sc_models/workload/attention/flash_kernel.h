// Fused attention in one kernel, as FlashAttention-2 computes it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/attention/flash_registers.h"

namespace tessera {

/// Forward pass of FlashAttention-2 (Dao, "FlashAttention-2: Faster Attention with Better
/// Parallelism and Work Partitioning", ICLR 2024; csrc/flash_attn/src/flash_fwd_kernel.h): a CTA of
/// four warps computes tile.rows rows of a head. A warp has 16 rows of each 64 and all keys of a
/// block, so that no warp needs another's sums.
///
/// - LDGSTS brings queries, keys and values to shared memory, 128 bytes a row and four rows an
///   instruction. There is one buffer of keys and one of values: while scores are computed, the
///   values of the block arrive, and the keys of the next block while its output is. Rows behind
///   the end are not copied; those of values are cleared.
/// - Scores are HMMA.16816 products of fragments that LDSM loads, a few fragments ahead. The
///   softmax works on registers: maxima by FMNMX and two shuffles, weights by FFMA and MUFU.EX2,
///   their sums, and the rescaling of the output. Weights are rounded to halves in registers, and
///   are operands of the second product.
/// - Blocks are taken from the last to the first. The last blocks mask scores: as many as a causal
///   mask may touch, and one if sizes are no multiples of tiles.
/// - With a mask each warp loads a quarter of a block's while the block before is worked on, and
///   stores it to shared memory; each thread reads the halves of its columns and adds them to its
///   scores by FFMA, as FlashAttention-2 adds the biases of ALiBi.
/// - The output is divided by the sum of weights, rounded, turned in shared memory and stored.
///
/// With splits the kernel is flash_fwd_splitkv_kernel: a CTA has part of the keys, and writes its
/// output in FP32 with the logarithm of its sum of weights. Sums go from registers to memory, 64
/// bytes a row, where FlashAttention turns them in shared memory. With pages each row of four finds
/// its page in the table first.
///
/// Instructions that are no products, copies or steps of the softmax are chosen, as
/// flash_program.cpp says. Elements of a thread are those of FlashAttention; an operation on a
/// 16x16 tile is one record of eight instructions.
class FlashKernel : public Kernel {
public:
    FlashKernel(std::string name, const FlashProblem& problem);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const FlashProblem& problem() const { return problem_; }
    [[nodiscard]] const FlashRegisters& registers() const { return registers_; }
    [[nodiscard]] const FlashFunction& function() const { return function_; }
    /// Work of a CTA.
    struct Part {
        std::uint32_t row_tile = 0, split = 0, sequence = 0, head = 0;
    };
    [[nodiscard]] Part part(CtaId cta) const;
    /// Addresses in shared memory, and bytes of a row.
    [[nodiscard]] std::uint32_t row_bytes() const;
    [[nodiscard]] std::uint32_t keys_slot() const { return problem_.tile.rows * row_bytes(); }
    [[nodiscard]] std::uint32_t values_slot() const {
        return keys_slot() + problem_.tile.keys * row_bytes();
    }
    /// Mask of a block of keys, in halves.
    [[nodiscard]] std::uint32_t mask_slot() const {
        return values_slot() + problem_.tile.keys * row_bytes();
    }
    [[nodiscard]] std::uint32_t mask_bytes() const {
        return problem_.tile.keys * FlashProblem::kMaskBytes;
    }
    /// Instructions that are the same in every CTA: scores of a block by warp, and its softmax and
    /// output, of the first block of a CTA and of the others.
    [[nodiscard]] const std::vector<WarpInstruction>& scores(std::uint32_t warp) const {
        return scores_[warp];
    }
    [[nodiscard]] const std::vector<WarpInstruction>& update(bool first) const {
        return first ? first_update_ : update_;
    }

private:
    FlashProblem problem_;
    FlashRegisters registers_;
    FlashFunction function_{problem_, registers_};
    KernelInfo info_;
    std::vector<std::vector<WarpInstruction>> scores_;
    std::vector<WarpInstruction> first_update_, update_;
};

}  // namespace tessera
