#include "sc_models/workload/attention/flash_kernel.h"

#include <algorithm>
#include <utility>

#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/attention/cta_count.h"
#include "sc_models/workload/attention/flash_program.h"

namespace tessera {
namespace {

constexpr std::uint32_t kOtherRegisters = 16;  // chosen: addresses and indices
constexpr std::uint32_t kMostRegisters = 255;  // of a thread; with entries of copies, too
constexpr std::uint32_t kMostCopies = 24;      // of a warp: queries and the first keys

}  // namespace

FlashKernel::FlashKernel(std::string name, const FlashProblem& problem)
    : problem_(problem),
      registers_(FlashRegisters::of_warp(problem.tile, problem.head_size, problem.masked)) {
    const std::uint64_t ctas =
        std::uint64_t{problem.row_tiles()} * problem.splits * problem.batch * problem.heads;
    info_.name = std::move(name);
    info_.ctas = checked_ctas(ctas, "workload.attention.batch");
    info_.row_ctas = problem.row_tiles() * problem.splits;
    info_.warps_per_cta = kFlashWarps;
    info_.registers_per_thread =
        std::min(kMostRegisters, round_up(registers_.named() + kOtherRegisters, 8U));
    info_.scoreboard_registers = registers_.named();
    info_.copies_in_flight = std::min(kMostCopies, kMostRegisters - registers_.named());
    info_.shared_memory_bytes = mask_slot() + (problem.masked ? mask_bytes() : 0);
    for (std::uint32_t warp = 0; warp < kFlashWarps; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
        FlashEmitter(*this, scores_.emplace_back()).scores(warp);
    }
    FlashEmitter(*this, first_update_).update(true);
    FlashEmitter(*this, update_).update(false);
}

std::uint32_t FlashKernel::row_bytes() const {
    return problem_.head_size * std::uint32_t{sizeof(HalfBits)};
}

/// Tiles of rows are the fastest, then splits; with splits sequences before heads, as the grids of
/// FlashAttention-2 are.
FlashKernel::Part FlashKernel::part(CtaId cta) const {
    Part part;
    std::uint32_t rest = cta.value();
    part.row_tile = rest % problem_.row_tiles();
    rest /= problem_.row_tiles();
    if (problem_.splits > 1) {
        part.split = rest % problem_.splits;
        rest /= problem_.splits;
        part.head = rest % problem_.heads;
        part.sequence = rest / problem_.heads;
        return part;
    }
    part.sequence = rest % problem_.batch;
    part.head = rest / problem_.batch;
    return part;
}

std::unique_ptr<WarpProgram> FlashKernel::program(CtaId cta, std::uint32_t warp) const {
    return std::make_unique<FlashProgram>(*this, cta, warp);
}

}  // namespace tessera
