// Wrapper of the ID generator in RTL, clocked by its bench or called like the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/duplo/data_id.h"
#include "sc_models/duplo/keys/duplo_config.h"
#include "sc_models/isa/convolution_packet.h"

namespace tessera {

/// Verilated rtl/id_generator (Duplo III, IV-A): takes a convolution packet, then one address per
/// clock cycle, and outputs its id `kLatency` cycles later. Supports only the corrected formula,
/// and single rows rather than groups.
class IdGeneratorRtl {
public:
    static constexpr std::uint32_t kLatency = 18;  ///< cycles from address to id
    /// Cycles from packet to ready: eleven products, nine divisions of 32 bits.
    static constexpr std::uint32_t kProgramCycles = 318;

    /// Pins, see rtl/id_generator/README.md.
    struct Inputs {
        bool program_valid = false;
        ConvolutionPacket::Bytes packet{};
        bool in_valid = false;
        Address address = 0;
        std::uint8_t tag = 0;
        bool out_ready = true;
    };
    struct Outputs {
        std::uint32_t program_ready = 0, busy = 0, packet_error = 0;
        std::uint32_t in_ready = 0;
        std::uint32_t out_valid = 0;
        std::uint32_t batch = 0, bypass = 0, zero = 0, tag = 0;
        std::uint32_t element_low = 0, element_high = 0;
    };

    /// `seed` chooses the registers' values before the reset.
    explicit IdGeneratorRtl(std::uint32_t seed = 1);
    ~IdGeneratorRtl();
    IdGeneratorRtl(const IdGeneratorRtl&) = delete;
    IdGeneratorRtl& operator=(const IdGeneratorRtl&) = delete;

    void reset();
    /// Injects a fault into the outputs from now on.
    void break_by(const FaultPlan& fault);
    /// Runs one clock cycle: the outputs for these inputs, then the rising edge.
    Outputs step(const Inputs& inputs);
    /// Dumps all signals under `scope`.
    void trace(WaveRecorder& wave, const std::string& scope);
    /// Places the next clock cycle at core cycle `at` or later in the dump.
    void not_before(Cycle at);
    /// Number of clock cycles, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;

    /// Programs a packet like IdGenerator; takes as many clock cycles as the packet needs. Throws
    /// ConfigError for an invalid packet and for a formula that the RTL does not have, CheckError
    /// if RTL and model disagree on the packet's validity.
    void program(const ConvolutionPacket& packet, IdFormula formula);
    /// Generates ids like IdGenerator, except that a result without an id holds only its bypass
    /// reason. Sends the 16 addresses in consecutive cycles. Throws ConfigError unless `group_rows`
    /// is 1.
    void generate(Address address, std::uint32_t row_pitch_bytes, std::uint32_t group_rows,
                  DataId* out);

private:
    struct Block;
    std::unique_ptr<Block> block_;
};

}  // namespace tessera
