// Matrix product whose operands are staged through shared memory: dense fragments or SpWMMA.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/workload/product_shape.h"
#include "sc_models/workload/staged/compressed_lines.h"
#include "sc_models/workload/staged/staged_operand.h"
#include "sc_models/workload/staged/staged_registers.h"
#include "sc_models/workload/tile_order.h"

namespace tessera {

/// Function of the register operations on a warp's sums after the last step, if values are on. The
/// call's variant selects the operation, its position the column of tiles of sums.
class StagedEpilogue : public RegisterFunction {
public:
    /// Both arguments must outlive this.
    StagedEpilogue(const StagedProduct& product, const StagedRegisters& registers)
        : product_(product), registers_(registers) {}

    /// kRound: rounds the call's elements, rows of all tiles of sums at src_a, which are side by
    /// side, to halves at dst; its position is the first row. kAddC: adds the halves at src_a to
    /// the sums at dst. kRequantise: requantises the sums at dst, with the bias and the factors of
    /// the warp's columns from src_a on. kPack: packs what kRound rounds, to bytes. kStep and
    /// above: applies that epilogue step to the sums at dst.
    enum What : std::uint32_t { kRound, kAddC, kRequantise, kPack, kStep };
    void apply(const WarpInstruction& instruction, std::byte* registers) const override;

private:
    void round(const WarpInstruction& w, std::byte* registers) const;
    void requantise(const WarpInstruction& w, std::byte* registers) const;

    const StagedProduct& product_;
    const StagedRegisters& registers_;
};

/// Throws ConfigError for tilings that do not divide.
void check_staged_tiling(const TilingConfig& tiling, bool sparse);

/// D = A x B + C by the scheme of libraries: a CTA copies its lines of A and B for a k-step from
/// global to shared memory while it computes the preceding step (two buffers, one barrier per
/// step).
///
/// With `asynchronous` the copies bypass the registers and run `stages - 1` steps ahead, a group of
/// copies a step (CUTLASS 2, "Efficient GEMM in CUDA": multistage pipelines). Fragments of the next
/// 16 k are loaded before the products of these 16 k, and the wait for the next step's copies and
/// its barrier come before the last 16 k of a step. B may then be CompressedLines: products are
/// 16x16x32, of a compressed fragment, its metadata and two fragments of A.
///
/// A warp computes warp_m x warp_n of the CTA's tile:
/// - Dense operands (DenseLines): 16x16x16 fragments from shared memory, FEDP or dense outer
///   product.
/// - Bitmap operands (BitmapTiles): 32x32x16 SpWMMAs. A warp reads the descriptors, skips tiles
///   without elements, loads bitmaps, counts bits (one POPC for 32 bitmaps), loads values and
///   passes the SpWMMA to the tensor cores (dual-side sparse tensor core, Figures 16 and 17). The
///   k-tiles of a step are consecutive for each 32x32 of the warp, so that the accumulation buffer
///   switches tiles once per step.
///
/// With skip_unmet_tiles a CTA omits copies of tiles of A (32 lines x 16 k) at whose k all its
/// tiles of B are empty; a copy of several tiles is cut to the range from the first to the last
/// tile that meets an element. B's descriptors determine this, so they are copied separately, 32 k
/// tiles at a time:
/// - The first ones come before everything else: a load from global memory, a store and a barrier
///   precede the first copies of a CTA.
/// - Later ones are copied two steps before the first step that needs them. Their latency is not on
///   the critical path.
/// - For every step every warp loads the step's descriptors from shared memory, votes (3
///   instructions for 32 of them, 2 to join those of two line tiles) and tests each of its copies
///   of A (1 instruction, whether it is made or not). The loads of A wait for that.
/// Slots and registers per step are the same as without it, apart from the descriptors: the fullest
/// step may have no empty tile. Tiles keep their places in a slot, and copies their warps.
///
/// CTAs of a batch process one member after the other.
///
/// With steps_per_part, CTAs after those of the first part compute the next part of k, and so on:
/// every part has its own D with a partial sum, and another kernel adds them.
///
/// Sums are kept in registers; C is read into them and D written from them, 512 B per instruction,
/// clipped to m x n. With halves, C is added, the epilogue applied and the result rounded in the
/// operands' registers, and rows of a warp's whole tile are written: epilogue operands per element
/// are loaded for as many strips of 16 rows (SpWMMAs: 32) as registers permit, operands per column
/// once per warp. Slots in shared memory and registers match the fullest step of the operands, so
/// sparse operands permit longer steps.
class StagedProductKernel : public Kernel {
public:
    /// Both operands must be of the same kind. Throws ConfigError for tilings that do not divide,
    /// or need more than 255 registers per thread.
    StagedProductKernel(std::string name, const StagedProduct& product,
                        std::unique_ptr<StagedOperand> a, std::unique_ptr<StagedOperand> b);
    ~StagedProductKernel() override;

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const StagedProduct& product() const { return product_; }
    [[nodiscard]] const StagedOperand& a() const { return *a_; }
    [[nodiscard]] const StagedOperand& b() const { return *b_; }
    /// Null if the operands are dense.
    [[nodiscard]] const SpwmmaMatrices* sparse() const {
        return sparse_.a != nullptr ? &sparse_ : nullptr;
    }
    /// B if it is compressed, otherwise null.
    [[nodiscard]] const CompressedLines* compressed() const { return compressed_; }
    /// Part of D that a CTA computes: first row and column, member of a batch, part of k.
    struct Tile {
        std::uint64_t row = 0, column = 0;
        std::uint32_t member = 0, part = 0;
    };
    [[nodiscard]] Tile tile(CtaId cta) const;
    /// Order of the CTAs of a member.
    [[nodiscard]] TileOrder order(std::size_t member) const;
    [[nodiscard]] const StagedProduct::Member& member(std::uint32_t index) const {
        return members_[index];
    }
    [[nodiscard]] bool tells_results() const override { return parts_ == 1; }
    /// Whether the launch computes the element. Valid for D of a single product whose k is not
    /// divided.
    [[nodiscard]] bool makes(std::uint64_t row, std::uint64_t column) const;

    /// Line tiles of A and of B per CTA, and steps of the product.
    [[nodiscard]] std::uint32_t a_tiles() const { return resources_.a_tiles; }
    [[nodiscard]] std::uint32_t b_tiles() const { return resources_.b_tiles; }
    [[nodiscard]] std::uint32_t steps() const { return steps_; }
    /// Number of parts that k is divided into.
    [[nodiscard]] std::uint32_t parts() const { return parts_; }
    /// Offset of the slot of line tile `tile` (A's, then B's) of buffer `buffer`.
    [[nodiscard]] std::uint32_t slot(std::uint32_t buffer, std::uint32_t tile) const;
    [[nodiscard]] std::uint32_t a_slot_bytes() const { return resources_.a_slot; }
    [[nodiscard]] std::uint32_t b_slot_bytes() const { return resources_.b_slot; }
    [[nodiscard]] const StagedRegisters& registers() const { return resources_.registers; }
    [[nodiscard]] const StagedEpilogue& epilogue() const { return epilogue_; }
    /// Instructions of warp `warp` of every CTA on the operands of a whole step in buffer `buffer`;
    /// null if CTAs differ.
    [[nodiscard]] const std::vector<WarpInstruction>* fragments(std::uint32_t warp,
                                                                std::uint32_t buffer) const {
        return fragments_.empty() ? nullptr : &fragments_[product_.stages * warp + buffer];
    }
    /// Identifies the kernel in the process; never reused, even if another kernel takes its place
    /// in memory.
    [[nodiscard]] std::uint64_t number() const { return number_; }

private:
    StagedProduct product_;
    std::unique_ptr<StagedOperand> a_, b_;
    const CompressedLines* compressed_ = nullptr;
    SpwmmaMatrices sparse_;
    std::vector<StagedProduct::Member> members_;  ///< at least one
    std::vector<std::uint64_t> first_tile_;       ///< in a part, by member, with an end entry
    std::uint64_t tiles_n_;
    std::uint32_t steps_, parts_ = 1;
    StagedResources resources_;
    const StagedEpilogue epilogue_{product_, resources_.registers};
    KernelInfo info_;
    const std::uint64_t number_;
    /// Instructions by warp and buffer, set by the first program(). No program of the kernel is
    /// read before that, so there are no concurrent readers.
    mutable std::vector<std::vector<WarpInstruction>> fragments_;
};

}  // namespace tessera
