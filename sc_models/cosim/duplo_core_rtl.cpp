#include "sc_models/cosim/duplo_core_rtl.h"

#include <Vduplo_core.h>
#include <Vduplo_core_duplo_core.h>

#include "sc_models/cosim/duplo_core_ports.h"
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/verilated_block.h"

namespace tessera {

static_assert(DuploCoreRtl::kLatency == Vduplo_core_duplo_core::Latency);
static_assert(DuploCoreRtl::kUnitBits == Vduplo_core_duplo_core::UnitBits);
static_assert(DuploCoreRtl::kPhysBits == Vduplo_core_duplo_core::PhysBits);

const DuploCoreRtl::Build& DuploCoreRtl::default_build() {
    static const Build kBuild = verilated_build<DuploCoreRtl, DuploCorePorts, Vduplo_core>({});
    return kBuild;
}

DuploCoreRtl::DuploCoreRtl(std::uint32_t seed, const Build& build) : block_(build.make(seed)) {
    reset();
}

DuploCoreRtl::~DuploCoreRtl() = default;

void DuploCoreRtl::reset() {
    block_->reset();
}

DuploCoreRtl::Outputs DuploCoreRtl::step(const Inputs& inputs) {
    Outputs outputs = block_->step(inputs);
    fault_.apply(outputs, block_->clock_cycles() - 1);
    return outputs;
}

void DuploCoreRtl::break_by(const FaultPlan& fault) {
    fault_ = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void DuploCoreRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void DuploCoreRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t DuploCoreRtl::clock_cycles() const {
    return block_->clock_cycles();
}

bool DuploCoreRtl::program(const Setup& setup) {
    Inputs inputs;
    inputs.setup_valid = true;
    inputs.setup = setup;
    return run_until_ready(inputs).setup_error == 0;
}

void DuploCoreRtl::clear() {
    Inputs inputs;
    inputs.clear_valid = true;
    run_until_ready(inputs);
}

/// Offers a set-up or a clear until it is taken, then waits until the core is ready again.
DuploCoreRtl::Outputs DuploCoreRtl::run_until_ready(const Inputs& inputs) {
    AnswerLimit limit(kName);
    for (;;) {
        const Outputs outputs = step(inputs);
        if ((inputs.setup_valid ? outputs.setup_ready : outputs.clear_ready) != 0) break;
        limit.spend();
    }
    for (;;) {
        const Outputs outputs = step({});
        if (outputs.setup_ready != 0) return outputs;
        limit.spend();
    }
}

}  // namespace tessera
