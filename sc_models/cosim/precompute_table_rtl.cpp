#include "sc_models/cosim/precompute_table_rtl.h"

#include <Vprecompute_table.h>
#include <Vprecompute_table_precompute_table.h>
#include <cstring>

#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(PrecomputeTableRtl::kLatency == Vprecompute_table_precompute_table::Latency);
static_assert(PrecomputeTableRtl::kEntryBits == Vprecompute_table_precompute_table::EntryBits);
static_assert(PrecomputeTableRtl::kAddressBits == Vprecompute_table_precompute_table::AddressBits);
static_assert(PrecomputeTableRtl::kGeometryBits ==
              Vprecompute_table_precompute_table::GeometryBits);
static_assert(PrecomputeTableRtl::kGenerationBits ==
              Vprecompute_table_precompute_table::GenerationBits);
static_assert(PrecomputeTableRtl::kLanes == Vprecompute_table_precompute_table::Lanes);
static_assert(Vprecompute_table_precompute_table::ResultBits == 32);

namespace {

constexpr const char* kPrecomputeTable = "precompute_table";

}  // namespace

struct PrecomputeTableRtl::Block : RtlModel<Vprecompute_table> {
    using RtlModel::RtlModel;
    FaultInjector fault{FaultPlan{}};
};

PrecomputeTableRtl::PrecomputeTableRtl(std::uint32_t seed)
    : block_(std::make_unique<Block>(kPrecomputeTable, seed)) {
    reset();
}

PrecomputeTableRtl::~PrecomputeTableRtl() = default;

void PrecomputeTableRtl::reset() {
    (*block_)->setup_valid_i = 0;
    (*block_)->in_valid_i = 0;
    (*block_)->out_ready_i = 1;
    block_->reset();
}

PrecomputeTableRtl::Outputs PrecomputeTableRtl::step(const Inputs& inputs) {
    Vprecompute_table& top = **block_;
    top.setup_valid_i = inputs.setup_valid ? 1 : 0;
    top.setup_entries_i = static_cast<std::uint16_t>(inputs.setup_entries);
    top.in_valid_i = inputs.in_valid ? 1 : 0;
    top.op_i = static_cast<std::uint8_t>(inputs.op);
    top.input_i = inputs.key.input;
    top.weights_i = inputs.key.weights;
    top.geometry_i = static_cast<std::uint8_t>(inputs.key.geometry);
    top.slot_i = static_cast<std::uint16_t>(inputs.slot);
    top.after_i = inputs.after ? 1 : 0;
    top.generation_i = static_cast<std::uint8_t>(inputs.generation);
    top.count_i = static_cast<std::uint16_t>(inputs.count);
    std::memcpy(&top.results_i, inputs.results.data(), sizeof inputs.results);
    top.out_ready_i = inputs.out_ready ? 1 : 0;
    block_->settle();
    Outputs outputs;
    outputs.setup_ready = top.setup_ready_o;
    outputs.setup_error = top.setup_error_o;
    outputs.in_ready = top.in_ready_o;
    outputs.out_valid = top.out_valid_o;
    outputs.done = top.done_o;
    outputs.present = top.present_o;
    outputs.replaced = top.replaced_o;
    outputs.complete = top.complete_o;
    outputs.slot = top.slot_o;
    outputs.generation = top.generation_o;
    outputs.input = top.input_o;
    outputs.weights = top.weights_o;
    outputs.geometry = top.geometry_o;
    outputs.count = top.count_o;
    std::memcpy(outputs.results.data(), &top.results_o, sizeof outputs.results);
    outputs.size = top.size_o;
    outputs.waiting = top.waiting_o;
    block_->fault.apply(outputs, block_->cycles());
    block_->edge();
    return outputs;
}

void PrecomputeTableRtl::break_by(const FaultPlan& fault) {
    block_->fault = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void PrecomputeTableRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void PrecomputeTableRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t PrecomputeTableRtl::clock_cycles() const {
    return block_->cycles();
}

void PrecomputeTableRtl::program(std::uint32_t entries) {
    Inputs inputs;
    inputs.setup_entries = entries;
    pass_set_up(*this, inputs, kPrecomputeTable);
}

PrecomputeTableRtl::Outputs PrecomputeTableRtl::call(const Inputs& operation) {
    return answer_of(*this, operation, kPrecomputeTable);
}

}  // namespace tessera
