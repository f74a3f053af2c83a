#include "sc_models/cosim/assign_table_rtl.h"

#include <Vassign_table.h>
#include <Vassign_table_assign_table.h>

#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(AssignTableRtl::kLatency == Vassign_table_assign_table::Latency);
static_assert(AssignTableRtl::kEntryBits == Vassign_table_assign_table::EntryBits);
static_assert(AssignTableRtl::kBlockBits == Vassign_table_assign_table::BlockBits);
static_assert(AssignTableRtl::kSmBits == Vassign_table_assign_table::SmBits);

namespace {

constexpr const char* kAssignTable = "assign_table";

}  // namespace

struct AssignTableRtl::Block : RtlModel<Vassign_table> {
    using RtlModel::RtlModel;
    FaultInjector fault{FaultPlan{}};
};

AssignTableRtl::AssignTableRtl(std::uint32_t seed)
    : block_(std::make_unique<Block>(kAssignTable, seed)) {
    reset();
}

AssignTableRtl::~AssignTableRtl() = default;

void AssignTableRtl::reset() {
    (*block_)->setup_valid_i = 0;
    (*block_)->in_valid_i = 0;
    (*block_)->out_ready_i = 1;
    block_->reset();
}

AssignTableRtl::Outputs AssignTableRtl::step(const Inputs& inputs) {
    Vassign_table& top = **block_;
    top.setup_valid_i = inputs.setup_valid ? 1 : 0;
    top.setup_entries_i = static_cast<std::uint16_t>(inputs.setup_entries);
    top.in_valid_i = inputs.in_valid ? 1 : 0;
    top.op_i = static_cast<std::uint8_t>(inputs.op);
    top.input_i = inputs.pair.input;
    top.weights_i = inputs.pair.weights;
    top.sm_i = static_cast<std::uint8_t>(inputs.sm);
    top.out_ready_i = inputs.out_ready ? 1 : 0;
    block_->settle();
    Outputs outputs;
    outputs.setup_ready = top.setup_ready_o;
    outputs.setup_error = top.setup_error_o;
    outputs.in_ready = top.in_ready_o;
    outputs.out_valid = top.out_valid_o;
    outputs.done = top.done_o;
    outputs.replaced = top.replaced_o;
    outputs.sm = top.sm_o;
    outputs.count = top.count_o;
    outputs.size = top.size_o;
    block_->fault.apply(outputs, block_->cycles());
    block_->edge();
    return outputs;
}

void AssignTableRtl::break_by(const FaultPlan& fault) {
    block_->fault = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void AssignTableRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void AssignTableRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t AssignTableRtl::clock_cycles() const {
    return block_->cycles();
}

void AssignTableRtl::program(std::uint32_t entries) {
    Inputs inputs;
    inputs.setup_entries = entries;
    pass_set_up(*this, inputs, kAssignTable);
}

AssignTableRtl::Outputs AssignTableRtl::call(const Inputs& operation) {
    return answer_of(*this, operation, kAssignTable);
}

}  // namespace tessera
