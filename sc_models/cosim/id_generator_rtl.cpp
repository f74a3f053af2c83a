#include "sc_models/cosim/id_generator_rtl.h"

#include <Vid_generator.h>
#include <Vid_generator_id_generator.h>
#include <cstring>

#include "sc_models/common/error.h"
#include "sc_models/cosim/packet_error.h"
#include "sc_models/cosim/rtl_model.h"
#include "sc_models/duplo/id_generator.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

static_assert(IdGeneratorRtl::kLatency == Vid_generator_id_generator::Latency);
static_assert(IdGeneratorRtl::kProgramCycles == Vid_generator_id_generator::ProgramCycles);

namespace {

constexpr const char* kName = "id_generator";

[[noreturn]] void unsupported(const std::string& what) {
    throw ConfigError("impl.id_generator: parameters the RTL does not support: " + what);
}

}  // namespace

struct IdGeneratorRtl::Block : RtlModel<Vid_generator> {
    using RtlModel::RtlModel;
    FaultInjector fault{FaultPlan{}};
};

IdGeneratorRtl::IdGeneratorRtl(std::uint32_t seed) : block_(std::make_unique<Block>(kName, seed)) {
    reset();
}

IdGeneratorRtl::~IdGeneratorRtl() = default;

void IdGeneratorRtl::reset() {
    (*block_)->program_valid_i = 0;
    (*block_)->in_valid_i = 0;
    (*block_)->out_ready_i = 1;
    block_->reset();
}

IdGeneratorRtl::Outputs IdGeneratorRtl::step(const Inputs& inputs) {
    Vid_generator& top = **block_;
    top.program_valid_i = inputs.program_valid ? 1 : 0;
    for (std::size_t word = 0; word < ConvolutionPacket::kBytes / 4; ++word) {
        std::uint32_t value = 0;
        for (std::size_t byte = 4; byte-- > 0;) {
            value = value << 8 | inputs.packet[4 * word + byte];
        }
        top.packet_i[word] = value;
    }
    top.in_valid_i = inputs.in_valid ? 1 : 0;
    top.address_i = inputs.address;
    top.tag_i = inputs.tag;
    top.out_ready_i = inputs.out_ready ? 1 : 0;
    block_->settle();
    Outputs outputs;
    outputs.program_ready = top.program_ready_o;
    outputs.busy = top.busy_o;
    outputs.packet_error = top.packet_error_o;
    outputs.in_ready = top.in_ready_o;
    outputs.out_valid = top.out_valid_o;
    outputs.batch = top.batch_o;
    outputs.bypass = top.bypass_o;
    outputs.zero = top.zero_o;
    outputs.tag = top.tag_o;
    outputs.element_low = static_cast<std::uint32_t>(top.element_o);
    outputs.element_high = static_cast<std::uint32_t>(top.element_o >> 32);
    block_->fault.apply(outputs, block_->cycles());
    block_->edge();
    return outputs;
}

void IdGeneratorRtl::break_by(const FaultPlan& fault) {
    block_->fault = FaultInjector(FaultInjector::fitting<Outputs>(fault));
}

void IdGeneratorRtl::trace(WaveRecorder& wave, const std::string& scope) {
    block_->trace(wave, scope);
}

void IdGeneratorRtl::not_before(Cycle at) {
    block_->not_before(at);
}

std::uint64_t IdGeneratorRtl::clock_cycles() const {
    return block_->cycles();
}

void IdGeneratorRtl::program(const ConvolutionPacket& packet, IdFormula formula) {
    if (formula != IdFormula::kCorrected) {
        unsupported("duplo.id_formula other than corrected");
    }
    Inputs inputs;
    inputs.program_valid = true;
    inputs.packet = packet.encode();
    AnswerLimit limit(kName);
    while (step(inputs).program_ready == 0) limit.spend();
    inputs.program_valid = false;
    Outputs outputs;
    do {
        limit.spend();
        outputs = step(inputs);
    } while (outputs.busy != 0);

    std::uint32_t expected = 0;
    try {
        IdGenerator().program(ConvolutionPacket::decode(inputs.packet), formula);
    } catch (const ConfigError& refusal) {
        expected = packet_error_code(refusal.what());
    }
    if (outputs.packet_error != expected) {
        throw CheckError("impl.id_generator: the RTL says error " +
                         std::to_string(outputs.packet_error) + " of a packet, its model " +
                         std::to_string(expected));
    }
    // The model throws the error; it also checks for values that do not fit their bits.
    IdGenerator().program(packet, formula);
}

void IdGeneratorRtl::generate(Address address, std::uint32_t row_pitch_bytes,
                              std::uint32_t group_rows, DataId* out) {
    if (group_rows != 1) {
        unsupported("duplo.granularity other than row16");
    }
    Inputs inputs;
    std::uint32_t sent = 0;
    AnswerLimit limit(kName);
    for (std::uint32_t done = 0; done < kFragmentRows; limit.spend()) {
        inputs.in_valid = sent < kFragmentRows;
        inputs.address = address + Address{sent} * row_pitch_bytes;
        const Outputs outputs = step(inputs);
        if (inputs.in_valid && outputs.in_ready != 0) ++sent;
        if (outputs.out_valid != 0) {
            DataId& id = out[done++];
            id = DataId{};
            id.element = outputs.element_low | std::uint64_t{outputs.element_high} << 32;
            id.batch = outputs.batch;
            id.bypass = static_cast<BypassReason>(outputs.bypass);
            id.zero = outputs.zero != 0;
        }
    }
}

}  // namespace tessera
