#include "sc_models/workload/tensor_kernels.h"

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

std::unique_ptr<Kernel> make_tensor_kernel(TensorTask task) {
    if (task.plan.mapping == TensorMapping::kRows) {
        return std::make_unique<TensorRowKernel>(std::move(task));
    }
    if (TensorTileKernel::suits(task.plan)) {
        return std::make_unique<TensorTileKernel>(std::move(task));
    }
    return std::make_unique<TensorMapKernel>(std::move(task));
}

}  // namespace tessera
