#include "sc_models/workload/library/wgmma_kernel.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/workload/library/wgmma_program.h"

namespace tessera {
namespace {

constexpr std::uint32_t kBytesOfHalves = sizeof(HalfBits);
constexpr std::uint32_t kOtherRegisters = 24;   // chosen: a consumer of 128x256 has CUTLASS's 168
constexpr std::uint32_t kStagedRegisters = 16;  // of halves on their way to D

}  // namespace

std::uint32_t wgmma_registers(const DenseKernel& kernel) {
    return kernel.warp_m * kernel.warp_n / kWarpLanes + kStagedRegisters + kOtherRegisters;
}

std::uint32_t wgmma_shared_bytes(const DenseKernel& kernel) {
    constexpr std::uint32_t kReserved = 1024;  // for the system (CUDA C++ Programming Guide, 16.8)
    return kernel.stages * (kernel.cta_m + kernel.cta_n) * kernel.step * kBytesOfHalves + kReserved;
}

WgmmaKernel::WgmmaKernel(std::string name, const WgmmaProduct& product)
    : product_(product),
      order_(product.raster, ceil_div(product.second.lines, std::uint64_t{product.kernel->cta_n}),
             ceil_div(product.first.lines, std::uint64_t{product.kernel->cta_m})),
      tiles_(ceil_div(product.second.lines, std::uint64_t{product.kernel->cta_n}) *
             ceil_div(product.first.lines, std::uint64_t{product.kernel->cta_m})),
      steps_(static_cast<std::uint32_t>(ceil_div(product.k, std::uint64_t{product.kernel->step}))),
      first_bytes_(product.kernel->cta_m * product.kernel->step * kBytesOfHalves),
      step_bytes_(first_bytes_ + product.kernel->cta_n * product.kernel->step * kBytesOfHalves) {
    const DenseKernel& kernel = *product_.kernel;
    if (product_.steps_per_part > 0) parts_ = ceil_div(steps_, product_.steps_per_part);
    const std::uint64_t ctas = tiles_ * parts_;
    if (ctas >= std::numeric_limits<std::uint32_t>::max()) {
        throw ConfigError("workload.wgmma: got " + std::string(kernel.name) +
                          ", expected a tile that cuts D into less than 2^32 CTAs");
    }
    info_.name = std::move(name);
    info_.ctas = static_cast<std::uint32_t>(ctas);
    info_.row_ctas = static_cast<std::uint32_t>(order_.period());
    info_.warps_per_cta = kernel.warps() + 1;
    info_.registers_per_thread = wgmma_registers(kernel);
    info_.shared_memory_bytes = wgmma_shared_bytes(kernel);
    info_.arrivals.assign(kernel.stages, 1);
    info_.arrivals.insert(info_.arrivals.end(), kernel.stages, kernel.warps());
    for (std::uint32_t warp = 0; warp < info_.warps_per_cta; ++warp) {
        info_.sub_core_of_warp.push_back(warp);
    }
}

WgmmaKernel::Tile WgmmaKernel::tile(CtaId cta) const {
    const TileOrder::Tile at = order_.tile(cta.value() % tiles_);
    return {at.m * product_.kernel->cta_n, at.n * product_.kernel->cta_m,
            static_cast<std::uint32_t>(cta.value() / tiles_)};
}

WgmmaKernel::Shared WgmmaKernel::shared(CtaId cta) const {
    const CtaId other(cta.value() ^ 1U);
    if (!product_.multicast || other.value() >= info_.ctas) return Shared::kNone;
    const Tile mine = tile(cta), others = tile(other);
    if (mine.part != others.part) return Shared::kNone;
    return mine.column == others.column ? Shared::kFirst
           : mine.row == others.row     ? Shared::kSecond
                                        : Shared::kNone;
}

bool WgmmaKernel::makes(std::uint64_t row, std::uint64_t column) const {
    return ran(order_.index(row / product_.kernel->cta_n, column / product_.kernel->cta_m));
}

std::unique_ptr<WarpProgram> WgmmaKernel::program(CtaId cta, std::uint32_t warp) const {
    if (warp + 1 == info_.warps_per_cta) return std::make_unique<WgmmaProducer>(*this, cta);
    return std::make_unique<WgmmaConsumer>(*this, cta, warp);
}

}  // namespace tessera
