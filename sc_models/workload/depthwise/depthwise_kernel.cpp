#include "sc_models/workload/depthwise/depthwise_kernel.h"

#include <limits>

#include "sc_models/common/error.h"
#include "sc_models/workload/depthwise/depthwise_program.h"

namespace tessera {

DepthwiseKernel::DepthwiseKernel(DepthwiseTask task)
    : task_(std::move(task)),
      registers_(*task_.pass, task_.tile, DepthwiseOperands(task_.epilogue.epilogue.get())),
      columns_(depthwise_columns(*task_.pass, task_.tile.strip)),
      blocks_(depthwise_blocks(*task_.pass, task_.tile)),
      row_groups_(ceil_div(static_cast<std::uint64_t>(task_.pass->rows().outputs()),
                           std::uint64_t{task_.tile.warps})) {
    const std::uint64_t ctas = task_.pass->batch() * row_groups_ * blocks_;
    if (ctas > std::numeric_limits<std::int32_t>::max()) {
        throw ConfigError(task_.name + ": expected fewer than 2^31 CTAs, not " +
                          std::to_string(ctas));
    }
    info_.name = task_.name;
    info_.ctas = static_cast<std::uint32_t>(ctas);
    info_.warps_per_cta = task_.tile.warps;
    info_.registers_per_thread = registers_.per_thread;
    info_.scoreboard_registers = registers_.named;
    for (std::uint32_t warp = 0; warp < task_.tile.warps; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

std::unique_ptr<WarpProgram> DepthwiseKernel::program(CtaId cta, std::uint32_t warp) const {
    const std::uint64_t block = cta.value() % blocks_;
    const std::uint64_t group = cta.value() / blocks_;
    const auto row = static_cast<std::int64_t>(group % row_groups_ * task_.tile.warps + warp);
    if (row >= task_.pass->rows().outputs()) return make_idle_depthwise_program(*this);
    return make_depthwise_program(*this, group / row_groups_, row, block);
}

}  // namespace tessera
