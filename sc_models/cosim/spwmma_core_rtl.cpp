#include "sc_models/cosim/spwmma_core_rtl.h"

#include <Vspwmma_core.h>
#include <Vspwmma_core_spwmma_core.h>
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/spwmma_core_ports.h"
#include "sc_models/cosim/verilated_block.h"

namespace tessera {

static_assert(Vspwmma_core_spwmma_core::TagBits == SpwmmaCorePins::kTagBits);

const SpwmmaCoreRtl::Build& SpwmmaCoreRtl::default_build() {
    static const Build kBuild = verilated_build<SpwmmaCoreRtl, SpwmmaCorePorts, Vspwmma_core>({});
    return kBuild;
}

SpwmmaCoreRtl::SpwmmaCoreRtl(std::uint32_t seed, const Build& build) : block_(build.make(seed)) {}
SpwmmaCoreRtl::~SpwmmaCoreRtl() = default;

void SpwmmaCoreRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void SpwmmaCoreRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t SpwmmaCoreRtl::clock_cycles() const {
    return block_->clock_cycles();
}

void SpwmmaCoreRtl::reset() {
    block_->reset();
}

SpwmmaCorePins::Outputs& SpwmmaCoreRtl::step(const SpwmmaCorePins::Inputs& in) {
    return block_->step(in);
}

}  // namespace tessera
