// Fused attention by warpgroups, as FlashAttention-3 computes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/attention/flash_registers.h"

namespace tessera {

/// Forward pass of FlashAttention-3 (Shah et al., "FlashAttention-3: Fast and Accurate Attention
/// with Asynchrony and Low-precision", NeurIPS 2024; Dao-AILab/flash-attention, hopper/). A CTA has
/// a producer warp and a warpgroup of consumers for each 64 rows of its tile.
///
/// - The producer brings the queries of a tile, and blocks of keys and values into two buffers
///   each, by bulk copies of 128 bytes a row. Rows behind the end are not copied.
/// - Scores are products of a warpgroup with queries and keys in shared memory, the output those of
///   weights in registers with values in shared memory. While the softmax of a block runs, the
///   output of the block before is computed (paper, 3.2), and the warpgroups take turns with the
///   tensor cores, so that one computes products while another works on its softmax (3.1).
/// - CTAs are persistent, one an SM: each takes a tile after the other. With a causal mask heads
///   come in groups whose keys and values take 32 MiB, and in a group the tiles with the most keys
///   first (hopper/tile_scheduler.hpp). FlashAttention's CTAs count tiles then; here tiles are
///   dealt, every second round backwards.
/// - With `multicast` CTAs 2i and 2i + 1 are a cluster, whose tiles share keys and values: each
///   fetches half of a block. They are assumed to run in step.
///
/// Simplified: the other three warps of the producer do not exist, and it has as many registers as
/// a consumer; a warp arrives where FlashAttention has one thread arrive; arrival barriers stand
/// for the named barriers of turns; the output goes through the queries' part of shared memory and
/// is stored from registers, where FlashAttention has a bulk store.
class Flash3Kernel : public Kernel {
public:
    Flash3Kernel(std::string name, const FlashProblem& problem, std::uint32_t sms, bool multicast);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const FlashProblem& problem() const { return problem_; }
    [[nodiscard]] const FlashRegisters& registers() const { return registers_; }
    [[nodiscard]] const FlashFunction& function() const { return function_; }
    [[nodiscard]] bool multicast() const { return multicast_; }
    [[nodiscard]] std::uint32_t warpgroups() const;
    /// Rows of a head that a CTA computes together.
    struct Tile {
        std::uint32_t row_tile = 0, sequence = 0, head = 0;
        FlashProblem::Blocks blocks;
    };
    /// Tile of a CTA in a round; none: it has no more.
    [[nodiscard]] std::optional<Tile> tile(CtaId cta, std::uint32_t round) const;

    static constexpr std::uint32_t kStages = 2;  ///< buffers of keys, and of values
    /// Addresses in shared memory: queries at 0, and bytes of a row.
    [[nodiscard]] std::uint32_t row_bytes() const;
    [[nodiscard]] std::uint32_t keys_slot(std::uint32_t stage) const {
        return (problem_.tile.rows + stage * problem_.tile.keys) * row_bytes();
    }
    [[nodiscard]] std::uint32_t values_slot(std::uint32_t stage) const {
        return keys_slot(kStages + stage);
    }
    /// Arrival barriers: bytes are there, and a buffer is empty again, which is kStages behind.
    enum Barrier : std::uint32_t {
        kQueriesFull,
        kQueriesEmpty,
        kKeysFull,
        kKeysEmpty = kKeysFull + kStages,
        kValuesFull = kKeysEmpty + kStages,
        kValuesEmpty = kValuesFull + kStages,
        kTurn = kValuesEmpty + kStages  ///< of the first warpgroup; the others follow
    };

private:
    FlashProblem problem_;
    FlashRegisters registers_;
    FlashFunction function_{problem_, registers_};
    KernelInfo info_;
    std::uint64_t tiles_ = 0, group_heads_ = 1;
    bool multicast_ = false;
};

}  // namespace tessera
