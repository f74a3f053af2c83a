// Matrix product whose operands are staged through shared memory: dense fragments or SpWMMA.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/workload/product_shape.h"
#include "sc_models/workload/staged_operand.h"
#include "sc_models/workload/staged_registers.h"

namespace tessera {

/// What operations do to a warp's sums, behind the last step, where values are on. An instruction's
/// row_pitch_bytes says what, its address on which column of tiles of sums.
class StagedEpilogue : public RegisterFunction {
public:
    /// Both must live as long.
    StagedEpilogue(const StagedProduct& product, const StagedRegisters& registers)
        : product_(product), registers_(registers) {}

    /// kRound: `rows` rows of all tiles of sums at src_a, which lie side by side, to halves at dst;
    /// its address is the first row. kAddC: adds the halves at src_a to the sums at dst. kStep on:
    /// that step on the sums at dst.
    enum What : std::uint32_t { kRound, kAddC, kStep };
    void apply(const WarpInstruction& instruction, std::byte* registers) const override;

private:
    void round(const WarpInstruction& w, std::byte* registers) const;

    const StagedProduct& product_;
    const StagedRegisters& registers_;
};

/// Throws ConfigError on tilings that do not divide.
void check_staged_tiling(const TilingConfig& tiling, bool sparse);

/// D = A x B + C as libraries do it: a CTA copies its lines of A and B for a k-step from global to
/// shared memory while it computes on the step before (two buffers, one barrier a step).
///
/// A warp computes warp_m x warp_n of the CTA's tile:
/// - Dense operands (DenseLines): 16x16x16 fragments from shared memory, FEDP or dense outer
/// product.
/// - Bitmap operands (BitmapTiles): 32x32x16 SpWMMAs. A warp looks at the descriptors, skips tiles
///   without elements, loads bitmaps, counts bits (one POPC for 32 bitmaps), loads values and gives
///   the SpWMMA to the tensor cores (dual-side sparse tensor core, Figures 16 and 17). The k-tiles
///   of a step follow each other for each 32x32 of the warp, so that the accumulation buffer
///   changes hands once a step.
///
/// With skip_unmet_tiles a CTA leaves out copies of tiles of A (32 lines x 16 k) at whose k all its
/// tiles of B are empty; a copy of several tiles is cut to those from the first to the last that
/// something meets. B's descriptors say which, so these are copied apart, 32 k tiles at a time:
/// - The first ones come before everything else: a load from global memory, a store and a barrier
///   stand before the first copies of a CTA.
/// - Later ones travel with the copies of two steps before the first that needs them. Their latency
///   is on nobody's path.
/// - For every step every warp loads the step's descriptors from shared memory, votes (3
///   instructions for 32 of them, 2 to join those of two line tiles) and tests each of its copies
///   of A (1 instruction, whether it is made or not). The loads of A wait for that.
/// What a step needs of slots and registers stays as without, apart from the descriptors: the
/// fullest step may have no empty tile. Tiles keep their places in a slot, and copies their warps.
///
/// CTAs of a batch make one member after the other.
///
/// With steps_per_part, CTAs that follow those of the first part compute the next part of k, and so
/// on: D has a part of the sum each, which another kernel adds up.
///
/// Sums live in registers, C is read into them and D written from them, 512 B an instruction,
/// clipped to m x n. With halves, C is added, the epilogue done and the result rounded where the
/// operands were, and rows of a warp's whole tile are written: what an epilogue reads of each
/// element comes for as many strips of 16 rows (SpWMMAs: 32) as there are registers for, what it
/// reads of columns once a warp. Slots in shared memory and registers are as many as the
/// fullest step of the operands needs, so sparse operands allow longer steps.
class StagedProductKernel : public Kernel {
public:
    /// Both operands of the same kind. Throws ConfigError on tilings that do not divide, or need
    /// more than 255 registers a thread.
    StagedProductKernel(std::string name, const StagedProduct& product,
                        std::unique_ptr<StagedOperand> a, std::unique_ptr<StagedOperand> b);
    ~StagedProductKernel() override;

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const StagedProduct& product() const { return product_; }
    [[nodiscard]] const StagedOperand& a() const { return *a_; }
    [[nodiscard]] const StagedOperand& b() const { return *b_; }
    /// Null where the operands are dense.
    [[nodiscard]] const SpwmmaMatrices* sparse() const {
        return sparse_.a != nullptr ? &sparse_ : nullptr;
    }
    /// What a CTA makes of D: from which row and column on, of which member of a batch, in which
    /// part of k.
    struct Tile {
        std::uint64_t row = 0, column = 0;
        std::uint32_t member = 0, part = 0;
    };
    [[nodiscard]] Tile tile(CtaId cta) const;
    [[nodiscard]] const StagedProduct::Member& member(std::uint32_t index) const {
        return members_[index];
    }
    [[nodiscard]] bool tells_results() const override { return parts_ == 1; }
    /// Of D that is no batch's, and whose k is not divided.
    [[nodiscard]] bool makes(std::uint64_t row, std::uint64_t column) const;

    /// Line tiles of a CTA of A and of B, and the steps of the product.
    [[nodiscard]] std::uint32_t a_tiles() const { return resources_.a_tiles; }
    [[nodiscard]] std::uint32_t b_tiles() const { return resources_.b_tiles; }
    [[nodiscard]] std::uint32_t steps() const { return steps_; }
    /// Parts that k is divided into.
    [[nodiscard]] std::uint32_t parts() const { return parts_; }
    /// Where the slot of line tile `tile` (A's, then B's) of buffer `buffer` begins.
    [[nodiscard]] std::uint32_t slot(std::uint32_t buffer, std::uint32_t tile) const;
    [[nodiscard]] std::uint32_t a_slot_bytes() const { return resources_.a_slot; }
    [[nodiscard]] std::uint32_t b_slot_bytes() const { return resources_.b_slot; }
    [[nodiscard]] const StagedRegisters& registers() const { return resources_.registers; }
    [[nodiscard]] const StagedEpilogue& epilogue() const { return epilogue_; }
    /// What warp `warp` of every CTA does with the operands of a whole step in buffer `buffer`;
    /// null where CTAs differ in that.
    [[nodiscard]] const std::vector<WarpInstruction>* fragments(std::uint32_t warp,
                                                                std::uint32_t buffer) const {
        return fragments_.empty() ? nullptr : &fragments_[2 * warp + buffer];
    }
    /// No other kernel of the process has it, not even one that takes this one's place in memory.
    [[nodiscard]] std::uint64_t number() const { return number_; }

private:
    StagedProduct product_;
    std::unique_ptr<StagedOperand> a_, b_;
    SpwmmaMatrices sparse_;
    std::vector<StagedProduct::Member> members_;  ///< at least one
    std::vector<std::uint64_t> first_tile_;       ///< of a part, by member, and behind the last
    std::uint64_t tiles_n_;
    std::uint32_t steps_, parts_ = 1;
    StagedResources resources_;
    const StagedEpilogue epilogue_{product_, resources_.registers};
    KernelInfo info_;
    const std::uint64_t number_;
    /// By warp and buffer, from the first program() on: no program of the kernel is read before, so
    /// that none reads them meanwhile.
    mutable std::vector<std::vector<WarpInstruction>> fragments_;
};

}  // namespace tessera
