#include "sc_models/cosim/precompute_table_rtl.h"

#include <Vprecompute_table.h>
#include <Vprecompute_table_precompute_table.h>

#include "sc_models/cosim/precompute_table_ports.h"
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/verilated_block.h"

namespace tessera {

static_assert(PrecomputeTableRtl::kLatency == Vprecompute_table_precompute_table::Latency);
static_assert(PrecomputeTableRtl::kEntryBits == Vprecompute_table_precompute_table::EntryBits);
static_assert(PrecomputeTableRtl::kAddressBits == Vprecompute_table_precompute_table::AddressBits);
static_assert(PrecomputeTableRtl::kGeometryBits ==
              Vprecompute_table_precompute_table::GeometryBits);
static_assert(PrecomputeTableRtl::kGenerationBits ==
              Vprecompute_table_precompute_table::GenerationBits);
static_assert(PrecomputeTableRtl::kLanes == Vprecompute_table_precompute_table::Lanes);
static_assert(Vprecompute_table_precompute_table::ResultBits == PrecomputeTableRtl::kResultBits);

const PrecomputeTableRtl::Build& PrecomputeTableRtl::default_build() {
    static const Build kBuild =
        verilated_build<PrecomputeTableRtl, PrecomputeTablePorts, Vprecompute_table>({});
    return kBuild;
}

PrecomputeTableRtl::PrecomputeTableRtl(std::uint32_t seed, const Build& build)
    : block_(build.make(seed)) {
    reset();
}

PrecomputeTableRtl::~PrecomputeTableRtl() = default;

void PrecomputeTableRtl::reset() {
    block_->reset();
}

PrecomputeTableRtl::Outputs PrecomputeTableRtl::step(const Inputs& inputs) {
    Outputs outputs = block_->step(inputs);
    fault_.apply(outputs, block_->clock_cycles() - 1);
    return outputs;
}

void PrecomputeTableRtl::break_by(const FaultPlan& fault) {
    fault_ = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void PrecomputeTableRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void PrecomputeTableRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t PrecomputeTableRtl::clock_cycles() const {
    return block_->clock_cycles();
}

void PrecomputeTableRtl::program(std::uint32_t entries) {
    Inputs inputs;
    inputs.setup_entries = entries;
    pass_set_up(*this, inputs, kName);
}

PrecomputeTableRtl::Outputs PrecomputeTableRtl::call(const Inputs& operation) {
    return answer_of(*this, operation, kName);
}

}  // namespace tessera
