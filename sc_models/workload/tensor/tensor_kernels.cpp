#include "sc_models/workload/tensor/tensor_kernels.h"

#include <limits>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {

TensorKernel::TensorKernel(TensorTask task) : task_(std::move(task)) {
    access_.reserve(task_.plan.parts.size());
    for (const TensorPart& part : task_.plan.parts) {
        access_.emplace_back(task_.plan, part, task_.addresses, task_.granularity, task_.values);
    }
    info_.name = task_.name;
}

void TensorKernel::set_grid(std::uint64_t ctas, std::uint32_t warps) {
    if (ctas > std::numeric_limits<std::uint32_t>::max() / 2) {
        throw ConfigError(task_.name + ": expected fewer than 2^31 CTAs, not " +
                          std::to_string(ctas));
    }
    info_.ctas = static_cast<std::uint32_t>(ctas);
    info_.warps_per_cta = warps;
    for (std::uint32_t warp = 0; warp < warps; ++warp) info_.sub_core_of_warp.push_back(warp);
}

std::vector<std::unique_ptr<Kernel>> make_tensor_kernels(TensorTask task) {
    std::vector<std::unique_ptr<Kernel>> kernels;
    if (task.plan.mapping == TensorMapping::kRows) {
        kernels.push_back(std::make_unique<TensorRowKernel>(std::move(task)));
    } else if (task.plan.mapping == TensorMapping::kColumns) {
        const bool shares = task.plan.column.ctas > 1;
        if (shares) {
            kernels.push_back(std::make_unique<TensorColumnKernel>(task, ColumnStage::kShare));
        }
        kernels.push_back(std::make_unique<TensorColumnKernel>(
            std::move(task), shares ? ColumnStage::kJoin : ColumnStage::kWhole));
    } else if (TensorTileKernel::suits(task.plan)) {
        kernels.push_back(std::make_unique<TensorTileKernel>(std::move(task)));
    } else {
        kernels.push_back(std::make_unique<TensorMapKernel>(std::move(task)));
    }
    return kernels;
}

}  // namespace tessera
