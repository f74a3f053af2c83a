#include "sc_models/run/foreign_models.h"

#include <fmt/format.h>

#include "sc_models/configure/config_catalog.h"

namespace tessera {
namespace {

bool has_volta_kernels(const WorkloadConfig& workload) {
    const WorkloadKind kind = workload.kind;
    const ProductKernel kernel = workload.kernel;
    const bool product = kind == WorkloadKind::kGemm || kind == WorkloadKind::kConvolution;
    return product && kernel != ProductKernel::kMultistage && kernel != ProductKernel::kWgmma &&
           kernel != ProductKernel::kFragments && kernel != ProductKernel::kDepthwise &&
           !is_fp32(kernel);
}

}  // namespace

std::vector<std::string> foreign_models(const Config& config) {
    std::vector<std::string> lines;
    const MmaShapeSet shapes = config.sm.tensor_rates.available();
    if (shapes[static_cast<std::size_t>(MmaShape::kHmma884)]) return lines;
    if (has_volta_kernels(config.workload)) {
        lines.emplace_back(
            "the kernels and the rule that chooses among them are Volta's cuBLAS and cuDNN, and "
            "this machine has no HMMA.884 (Ampere's kernels: configuration multistage)");
    }
    if (config.workload.kind == WorkloadKind::kGemm &&
        config.workload.kernel == ProductKernel::kFragments) {
        lines.emplace_back(
            "the kernel is the WMMA kernel of Duplo's authors on Volta, whose fragments have a "
            "copy for each octet");
    }
    const std::string& table = config.gpu.energy_table;
    if (table != kNoEnergyTable) {
        lines.push_back(
            fmt::format("the prices of {} are another machine's: this one has no HMMA.884", table));
    }
    return lines;
}

}  // namespace tessera
