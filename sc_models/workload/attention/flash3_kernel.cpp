#include "sc_models/workload/attention/flash3_kernel.h"

#include <algorithm>
#include <utility>

#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/attention/cta_count.h"
#include "sc_models/workload/attention/flash3_program.h"

namespace tessera {
namespace {

constexpr std::uint32_t kOtherRegisters = 16;  // chosen: addresses and indices
constexpr std::uint32_t kWarpgroupRows = 64;
constexpr std::uint32_t kReserved = 1024;  // for the system (CUDA C++ Programming Guide, 16.8)

/// Heads of queries whose keys and values are meant to stay in the L2 together.
std::uint64_t heads_of_group(const FlashProblem& problem, std::uint64_t row_bytes) {
    constexpr std::uint64_t kGroupBytes = 32U << 20U;
    std::uint64_t heads = 1;
    while (2 * heads * (2 * problem.keys * row_bytes) <= kGroupBytes) heads *= 2;
    return std::min(heads * problem.heads_of_keys, std::uint64_t{problem.batch} * problem.heads);
}

}  // namespace

Flash3Kernel::Flash3Kernel(std::string name, const FlashProblem& problem, std::uint32_t sms,
                           bool multicast)
    : problem_(problem),
      registers_(FlashRegisters::of_warpgroup(problem.tile, problem.head_size)),
      tiles_(std::uint64_t{problem.row_tiles()} * problem.batch * problem.heads) {
    info_.name = std::move(name);
    info_.ctas = std::min(checked_ctas(tiles_, "workload.attention.batch"), sms);
    group_heads_ = heads_of_group(problem, row_bytes());
    multicast_ = multicast && problem.row_tiles() % 2 == 0 && info_.ctas % 2 == 0;
    const std::uint32_t consumers = warpgroups() * kFlashWarps;
    info_.warps_per_cta = consumers + 1;
    info_.registers_per_thread = round_up(registers_.named() + kOtherRegisters, 8U);
    info_.scoreboard_registers = registers_.named();
    info_.shared_memory_bytes = values_slot(kStages) + kReserved;
    info_.arrivals.assign(kTurn, 1);
    for (const std::uint32_t barrier : {kQueriesEmpty, kKeysEmpty, kValuesEmpty}) {
        const std::uint32_t stages = barrier == kQueriesEmpty ? 1 : kStages;
        std::fill_n(info_.arrivals.begin() + barrier, stages, consumers);
    }
    info_.arrivals.insert(info_.arrivals.end(), warpgroups(),
                          std::max(1U, consumers - kFlashWarps));
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::uint32_t Flash3Kernel::warpgroups() const {
    return problem_.tile.rows / kWarpgroupRows;
}

std::uint32_t Flash3Kernel::row_bytes() const {
    return problem_.head_size * std::uint32_t{sizeof(HalfBits)};
}

std::optional<Flash3Kernel::Tile> Flash3Kernel::tile(CtaId cta, std::uint32_t round) const {
    const bool backwards = problem_.causal && round % 2 == 1;
    const std::uint32_t place = backwards ? info_.ctas - 1 - cta.value() : cta.value();
    const std::uint64_t index = std::uint64_t{round} * info_.ctas + place;
    if (index >= tiles_) return std::nullopt;
    const std::uint32_t row_tiles = problem_.row_tiles();
    std::uint64_t head = index / row_tiles, row_tile = index % row_tiles;
    if (problem_.causal) {
        const std::uint64_t all_heads = std::uint64_t{problem_.batch} * problem_.heads;
        const std::uint64_t first = index / (group_heads_ * row_tiles) * group_heads_;
        const std::uint64_t in_group = index - first * row_tiles;
        const std::uint64_t heads = std::min(group_heads_, all_heads - first);
        head = first + in_group % heads;
        row_tile = row_tiles - 1 - in_group / heads;
    }
    Tile tile;
    tile.row_tile = static_cast<std::uint32_t>(row_tile);
    tile.head = static_cast<std::uint32_t>(head % problem_.heads);
    tile.sequence = static_cast<std::uint32_t>(head / problem_.heads);
    tile.blocks = problem_.blocks(tile.row_tile, 0);
    return tile;
}

std::unique_ptr<WarpProgram> Flash3Kernel::program(CtaId cta, std::uint32_t warp) const {
    if (warp + 1 == info_.warps_per_cta) return std::make_unique<Flash3Producer>(*this, cta);
    return std::make_unique<Flash3Consumer>(*this, cta, warp);
}

}  // namespace tessera
