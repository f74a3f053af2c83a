#include "sc_models/cosim/duplo_core_rtl.h"

#include <Vduplo_core.h>
#include <Vduplo_core_duplo_core.h>

#include "sc_models/cosim/rtl_model.h"

namespace tessera {

static_assert(DuploCoreRtl::kLatency == Vduplo_core_duplo_core::Latency);
static_assert(DuploCoreRtl::kMaxUnits == 1U << Vduplo_core_duplo_core::UnitBits);
static_assert(DuploCoreRtl::kMaxRegisters == 1U << Vduplo_core_duplo_core::PhysBits);

namespace {

constexpr const char* kDuploCore = "duplo_core";

}  // namespace

struct DuploCoreRtl::Block : RtlModel<Vduplo_core> {
    using RtlModel::RtlModel;
    FaultInjector fault{FaultPlan{}};
};

DuploCoreRtl::DuploCoreRtl(std::uint32_t seed) : block_(std::make_unique<Block>(kDuploCore, seed)) {
    reset();
}

DuploCoreRtl::~DuploCoreRtl() = default;

void DuploCoreRtl::reset() {
    (*block_)->setup_valid_i = 0;
    (*block_)->clear_valid_i = 0;
    (*block_)->in_valid_i = 0;
    block_->reset();
}

DuploCoreRtl::Outputs DuploCoreRtl::step(const Inputs& inputs) {
    Vduplo_core& top = **block_;
    top.setup_valid_i = inputs.setup_valid ? 1 : 0;
    const Setup& setup = inputs.setup;
    for (std::size_t word = 0; word < ConvolutionPacket::kBytes / 4; ++word) {
        std::uint32_t value = 0;
        for (std::size_t byte = 4; byte-- > 0;) value = value << 8 | setup.packet[4 * word + byte];
        top.setup_packet_i[word] = value;
    }
    top.setup_kernel_tag_i = setup.kernel_tag;
    top.setup_log_sets_i = setup.log_sets;
    top.setup_log_ways_i = setup.log_ways;
    top.setup_shift_i = setup.shift;
    top.setup_fold_i = setup.fold ? 1 : 0;
    top.setup_units_i = static_cast<std::uint16_t>(setup.units);
    top.setup_registers_i = static_cast<std::uint16_t>(setup.registers);
    top.clear_valid_i = inputs.clear_valid ? 1 : 0;
    top.in_valid_i = inputs.in_valid ? 1 : 0;
    top.op_i = static_cast<std::uint8_t>(inputs.op);
    top.address_i = inputs.address;
    top.unit_i = static_cast<std::uint16_t>(inputs.unit);
    top.domain_i = inputs.domain;
    block_->settle();
    Outputs outputs;
    outputs.setup_ready = top.setup_ready_o;
    outputs.setup_error = top.setup_error_o;
    outputs.clear_ready = top.clear_ready_o;
    outputs.in_ready = top.in_ready_o;
    outputs.out_valid = top.out_valid_o;
    outputs.kind = top.kind_o;
    outputs.bypass = top.bypass_o;
    outputs.unit = top.unit_o;
    outputs.phys = top.phys_o;
    block_->fault.apply(outputs, block_->cycles());
    block_->edge();
    return outputs;
}

void DuploCoreRtl::break_by(const FaultPlan& fault) {
    block_->fault = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void DuploCoreRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void DuploCoreRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t DuploCoreRtl::clock_cycles() const {
    return block_->cycles();
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
    AnswerLimit limit(kDuploCore);
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
