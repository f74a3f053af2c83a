// Pins, cycle model and operations of the ID generator.
#pragma once

#include <deque>

#include "sc_models/pins/clocked_id_generator.h"
#include "sc_models/pins/pin_module.h"
#include "sc_models/pins/transactor.h"

namespace tessera::pins {

/// Description of rtl/id_generator for the templates of this folder.
struct IdGeneratorBlock {
    using Inputs = ClockedIdGenerator::Inputs;
    using Outputs = ClockedIdGenerator::Outputs;
    using Core = ClockedIdGenerator;

    template <template <class> class In, template <class> class Out>
    struct Ports {
        In<bool> program_valid_i{"program_valid_i"};
        Out<bool> program_ready_o{"program_ready_o"};
        In<sc_dt::sc_bv<256>> packet_i{"packet_i"};
        Out<bool> busy_o{"busy_o"};
        Out<sc_dt::sc_uint<4>> packet_error_o{"packet_error_o"};
        In<bool> in_valid_i{"in_valid_i"};
        Out<bool> in_ready_o{"in_ready_o"};
        In<sc_dt::sc_uint<64>> address_i{"address_i"};
        In<sc_dt::sc_uint<8>> tag_i{"tag_i"};
        Out<bool> out_valid_o{"out_valid_o"};
        In<bool> out_ready_i{"out_ready_i"};
        Out<sc_dt::sc_uint<48>> element_o{"element_o"};
        Out<sc_dt::sc_uint<10>> batch_o{"batch_o"};
        Out<sc_dt::sc_uint<4>> bypass_o{"bypass_o"};
        Out<bool> zero_o{"zero_o"};
        Out<sc_dt::sc_uint<8>> tag_o{"tag_o"};
    };

    template <class F, class Values, class... Pins>
    static void inputs(F&& f, Values& in, Pins&... pins) {
        f(in.program_valid, pins.program_valid_i...);
        f(in.packet, pins.packet_i...);
        f(in.in_valid, pins.in_valid_i...);
        f(in.address, pins.address_i...);
        f(in.tag, pins.tag_i...);
        f(in.out_ready, pins.out_ready_i...);
    }
    template <class F, class Values, class... Pins>
    static void outputs(F&& f, Values& out, Pins&... pins) {
        f(out.program_ready, pins.program_ready_o...);
        f(out.busy, pins.busy_o...);
        f(out.packet_error, pins.packet_error_o...);
        f(out.in_ready, pins.in_ready_o...);
        f(out.out_valid, pins.out_valid_o...);
        f(WordPair<std::remove_reference_t<decltype((out.element_low))>>{out.element_low,
                                                                         out.element_high},
          pins.element_o...);
        f(out.batch, pins.batch_o...);
        f(out.bypass, pins.bypass_o...);
        f(out.zero, pins.zero_o...);
        f(out.tag, pins.tag_o...);
    }

    /// A packet that programs the generator, or an address to identify.
    struct Operation {
        enum class Kind : std::uint8_t { kPacket, kAddress };
        Kind kind = Kind::kAddress;
        std::uint64_t tag = 0;
        ConvolutionPacket::Bytes packet{};
        Address address = 0;  ///< bytes
    };
    /// The generator's answer: for a packet the number of the field that it refuses (0: none), for
    /// an address its id or the reason why it has none.
    struct Result {
        Operation::Kind kind = Operation::Kind::kAddress;
        std::uint64_t tag = 0;
        std::uint32_t packet_error = 0;
        std::uint64_t element = 0;
        std::uint32_t batch = 0, bypass = 0, zero = 0;
    };

    /// Clears data without its valid, which the RTL does not define.
    static void clear_undefined(Outputs& out) {
        if (out.out_valid != 0) return;
        out.batch = out.bypass = out.zero = out.tag = out.element_low = out.element_high = 0;
    }

    static void withdraw(Inputs& in) { in.program_valid = in.in_valid = false; }
    static void offer(const Operation& operation, Inputs& in) {
        in.program_valid = operation.kind == Operation::Kind::kPacket;
        in.in_valid = !in.program_valid;
        if (in.program_valid) {
            in.packet = operation.packet;
        } else {
            in.address = operation.address;
            in.tag = static_cast<std::uint8_t>(operation.tag);
        }
    }
    static void set_ready(Inputs& in, bool ready) { in.out_ready = ready; }
    static bool accepted(const Operation& operation, const Outputs& out) {
        return (operation.kind == Operation::Kind::kPacket ? out.program_ready : out.in_ready) != 0;
    }
    static bool answered(const Operation& /*operation*/) { return true; }
    template <class Emit>
    static void collect(const Inputs& in, const Outputs& out, std::deque<Operation>& waiting,
                        Emit&& emit) {
        if (waiting.empty()) return;
        const Operation& oldest = waiting.front();
        Result result;
        result.kind = oldest.kind;
        result.tag = oldest.tag;
        if (oldest.kind == Operation::Kind::kPacket) {
            if (out.busy != 0) return;
            result.packet_error = out.packet_error;
        } else {
            if (out.out_valid == 0 || !in.out_ready) return;
            result.element = out.element_low | std::uint64_t{out.element_high} << 32U;
            result.batch = out.batch;
            result.bypass = out.bypass;
            result.zero = out.zero;
        }
        emit(result);
        waiting.pop_front();
    }
};

extern template class PinRtl<IdGeneratorBlock>;

using IdGeneratorPins = PinModule<IdGeneratorBlock>;
using IdGeneratorModel = PinModel<IdGeneratorBlock>;
using IdGeneratorRtl = PinRtl<IdGeneratorBlock>;
using IdGeneratorSignals = PinSignals<IdGeneratorBlock>;
using IdGeneratorTransactor = Transactor<IdGeneratorBlock>;

}  // namespace tessera::pins
