#include "sc_models/pins/clocked_id_generator.h"

#include <array>

#include "sc_models/common/error.h"
#include "sc_models/cosim/packet_error.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {

ClockedIdGenerator::Outputs ClockedIdGenerator::outputs(const Inputs& in) const {
    Outputs out;
    out.program_ready = busy_cycles_ == 0 && results_.empty() ? 1 : 0;
    out.busy = busy_cycles_ != 0 ? 1 : 0;
    out.packet_error = error_;
    out.in_ready =
        results_.advances(in.out_ready) && busy_cycles_ == 0 && !in.program_valid ? 1 : 0;
    out.out_valid = results_.out_valid() ? 1 : 0;
    if (out.out_valid == 0) return out;
    const Result& result = results_.out();
    out.tag = result.tag;
    out.bypass = static_cast<std::uint32_t>(result.id.bypass);
    if (!result.id.valid()) return out;
    out.batch = result.id.batch;
    out.zero = result.id.zero ? 1 : 0;
    out.element_low = static_cast<std::uint32_t>(result.id.element);
    out.element_high = static_cast<std::uint32_t>(result.id.element >> 32U);
    return out;
}

void ClockedIdGenerator::edge(const Inputs& in, const DataId& id) {
    const Outputs out = outputs(in);
    const bool take = in.in_valid && out.in_ready != 0;
    results_.edge(in.out_ready, take, {id, in.tag});
    if (in.program_valid && out.program_ready != 0) {
        busy_cycles_ = IdGeneratorRtl::kProgramCycles;
        error_ = 0;
        packet_ = in.packet;
        on_ = false;
    } else if (busy_cycles_ != 0 && --busy_cycles_ == 0) {
        program();
    }
}

void ClockedIdGenerator::reset() {
    results_.reset();
    busy_cycles_ = error_ = 0;
    on_ = false;
}

DataId ClockedIdGenerator::identify(Address address) const {
    DataId off;
    off.bypass = BypassReason::kOff;
    if (!on_) return off;
    constexpr std::uint32_t kAnyPitch = 32;  // only the fragment's first row is used
    std::array<DataId, kFragmentRows> ids;
    core_.generate(address, kAnyPitch, 1, ids.data());
    return ids[0];
}

void ClockedIdGenerator::program() {
    ConvolutionPacket packet = ConvolutionPacket::decode(packet_);
    // The RTL has no ids by place. With a workspace field that is set, the packet of an implicit
    // GEMM is refused for the field that the RTL refuses.
    if (packet.is_by_place()) packet.row_pitch_chunks = 1;
    try {
        core_.program(packet, IdFormula::kCorrected);
        on_ = true;
    } catch (const ConfigError& refusal) {
        error_ = packet_error_code(refusal.what());
    }
}

}  // namespace tessera
