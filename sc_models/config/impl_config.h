// Implementation of a block: its model, its RTL, or both in lock-step.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sc_models/config/engine/config_visitor.h"
#include "sc_models/config/fault_plan.h"

namespace tessera {

enum class Implementation {
    kTlm,  ///< the model
    kRtl,  ///< the Verilated RTL instead of the model
    kBoth  ///< both, compared at every operation; the first difference ends the run
};

/// Blocks that have RTL inside the GPU. kRtlBlocks lists their names.
enum class RtlBlock : std::uint8_t {
    kIdGenerator,
    kLoadHistoryBuffer,
    kFeopArray,
    kAccumulationBuffer,
    kBitmapUnit,
    kRenameTable,
    kDuploCore,
    kPrecomputeTable,
    kAssignTable,
    kSpwmmaCore
};

/// Unit that contains the block.
enum class RtlHome : std::uint8_t { kDetectionUnit, kTensorCores, kOpportunisticUnit };

/// Name of a block with RTL, and the help of its key.
struct RtlBlockText {
    std::string_view name;  ///< folder under rtl/, key under `impl`, scope in waveforms
    RtlHome home;
    std::string_view help;
};
/// Texts by RtlBlock.
inline constexpr std::array<RtlBlockText, 10> kRtlBlocks = {{
    {"id_generator", RtlHome::kDetectionUnit,
     "Duplo's ID generator: its model (tlm), the Verilated RTL, or both compared at every load. "
     "RTL needs duplo.enabled, id_formula corrected and granularity row16."},
    {"load_history_buffer", RtlHome::kDetectionUnit,
     "Duplo's load history buffer, likewise. RTL needs duplo.enabled and a finite buffer."},
    {"feop_array", RtlHome::kTensorCores,
     "The outer-product multipliers of every sub-core, likewise. RTL needs tensor_core.kind "
     "outer_product and values on."},
    {"accumulation_buffer", RtlHome::kTensorCores,
     "The accumulation buffer of every sub-core, likewise. RTL needs tensor_core.kind "
     "outer_product and values on. With SpWMMAs array, buffer and bitmap unit need "
     "tensor_core.spwmma.accumulation collector and the other defaults of the buffer."},
    {"bitmap_unit", RtlHome::kTensorCores,
     "The bitmap unit of every sub-core, likewise: makes the OHMMAs of sparse tiles. RTL needs "
     "workload.sparse.method single or dual, too."},
    {"rename_table", RtlHome::kDetectionUnit,
     "Duplo's rename table: its model (tlm), the Verilated RTL, or both compared at every mapping. "
     "RTL needs duplo.enabled, lifetime mapped or in_flight and release issue."},
    {"duplo_core", RtlHome::kDetectionUnit,
     "The detection unit as one block in RTL, clocked with the machine: both compares every "
     "answer and its cycle with the model; rtl does so, too, while the RTL of its three blocks "
     "answers the machine. RTL needs duplo.pipe built, duplo.lookups_per_cycle 1 and "
     "duplo.latency_cycles 20."},
    {"precompute_table", RtlHome::kOpportunisticUnit,
     "The precompute table of an SM: its model (tlm), the Verilated RTL, or both compared at every "
     "operation. RTL needs opportunistic.scheme intra or both (or assign_predicts with inter) and "
     "at most 512 entries."},
    {"assign_table", RtlHome::kOpportunisticUnit,
     "The assign table of a cluster of SMs, likewise. RTL needs opportunistic.scheme inter or "
     "both, at most 1024 entries, and clusters of at most 8 SMs."},
    {"spwmma_core", RtlHome::kTensorCores,
     "The outer-product tensor cores of every sub-core as one block in RTL, with their bitmap "
     "unit, operand fetch and accumulation buffer: their model (tlm), the Verilated RTL, or both "
     "compared in every clock cycle. RTL needs what impl.bitmap_unit needs, which stays tlm, as do "
     "impl.feop_array and impl.accumulation_buffer."},
}};
[[nodiscard]] constexpr const RtlBlockText& text_of(RtlBlock block) {
    return kRtlBlocks[static_cast<std::size_t>(block)];
}
static_assert(static_cast<std::size_t>(RtlBlock::kSpwmmaCore) + 1 == kRtlBlocks.size());

/// Implementation of each block that has RTL.
struct ImplConfig {
    std::array<Implementation, kRtlBlocks.size()> blocks{};  ///< by RtlBlock
    std::string fault;  ///< "BLOCK:KIND:BIT@CYCLE", empty: none

    [[nodiscard]] const Implementation& of(RtlBlock block) const {
        return blocks[static_cast<std::size_t>(block)];
    }
    [[nodiscard]] bool has_rtl(RtlBlock block) const { return of(block) != Implementation::kTlm; }
    /// Whether the RTL of `block` answers the machine, alone or beside its model: by its own key,
    /// or as a part of the detection unit.
    [[nodiscard]] bool is_made(RtlBlock block) const {
        const bool part = block == RtlBlock::kIdGenerator ||
                          block == RtlBlock::kLoadHistoryBuffer || block == RtlBlock::kRenameTable;
        return has_rtl(block) || (part && of(RtlBlock::kDuploCore) == Implementation::kRtl);
    }
    /// Whether some block of `home` has RTL.
    [[nodiscard]] bool has_rtl(RtlHome home) const;
    /// Whether the RTL of a block that dense products use is enabled.
    [[nodiscard]] bool has_dense_rtl() const {
        return has_rtl(RtlBlock::kFeopArray) || has_rtl(RtlBlock::kAccumulationBuffer);
    }

    /// Fault for the RTL of `block`, or none. Throws ConfigError if `fault` cannot be parsed.
    [[nodiscard]] FaultPlan fault_of(RtlBlock block) const;

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
