#include "sc_models/cosim/assign_table_rtl.h"

#include <Vassign_table.h>
#include <Vassign_table_assign_table.h>

#include "sc_models/cosim/assign_table_ports.h"
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/cosim/verilated_block.h"

namespace tessera {

static_assert(AssignTableRtl::kLatency == Vassign_table_assign_table::Latency);
static_assert(AssignTableRtl::kEntryBits == Vassign_table_assign_table::EntryBits);
static_assert(AssignTableRtl::kBlockBits == Vassign_table_assign_table::BlockBits);
static_assert(AssignTableRtl::kSmBits == Vassign_table_assign_table::SmBits);

const AssignTableRtl::Build& AssignTableRtl::default_build() {
    static const Build kBuild =
        verilated_build<AssignTableRtl, AssignTablePorts, Vassign_table>({});
    return kBuild;
}

AssignTableRtl::AssignTableRtl(std::uint32_t seed, const Build& build) : block_(build.make(seed)) {
    reset();
}

AssignTableRtl::~AssignTableRtl() = default;

void AssignTableRtl::reset() {
    block_->reset();
}

AssignTableRtl::Outputs AssignTableRtl::step(const Inputs& inputs) {
    Outputs outputs = block_->step(inputs);
    fault_.apply(outputs, block_->clock_cycles() - 1);
    return outputs;
}

void AssignTableRtl::break_by(const FaultPlan& fault) {
    fault_ = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void AssignTableRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void AssignTableRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t AssignTableRtl::clock_cycles() const {
    return block_->clock_cycles();
}

void AssignTableRtl::program(std::uint32_t entries) {
    Inputs inputs;
    inputs.setup_entries = entries;
    pass_set_up(*this, inputs, kName);
}

AssignTableRtl::Outputs AssignTableRtl::call(const Inputs& operation) {
    return answer_of(*this, operation, kName);
}

}  // namespace tessera
