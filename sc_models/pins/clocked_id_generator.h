// Cycle model of the RTL's ID generator.
#pragma once

#include <cstdint>
#include <string_view>

#include "sc_models/cosim/id_generator_rtl.h"
#include "sc_models/duplo/id_generator.h"
#include "sc_models/isa/convolution_packet.h"
#include "sc_models/pins/stalling_pipeline.h"

namespace tessera {

/// ID generator (Duplo III-B, III-C, IV-A) with the handshakes of rtl/id_generator: an id appears
/// kLatency cycles after its address; a packet waits until the pipeline is empty and then takes
/// kProgramCycles.
class ClockedIdGenerator {
public:
    using Inputs = IdGeneratorRtl::Inputs;
    using Outputs = IdGeneratorRtl::Outputs;

    /// Outputs in a cycle with these inputs. An output without its valid is 0.
    [[nodiscard]] Outputs outputs(const Inputs& in) const;
    /// Applies the rising edge. `id` is identify(in.address).
    void edge(const Inputs& in, const DataId& id);
    void edge(const Inputs& in) { edge(in, in.in_valid ? identify(in.address) : DataId{}); }
    void reset();

    [[nodiscard]] bool idle() const { return busy_cycles_ == 0 && results_.empty(); }
    [[nodiscard]] bool programming() const { return busy_cycles_ != 0; }
    /// Whether a valid packet is programmed.
    [[nodiscard]] bool on() const { return on_; }
    [[nodiscard]] const IdGenerator& core() const { return core_; }
    /// Computes the id of a chunk, or the reason why it has none.
    [[nodiscard]] DataId identify(Address address) const;

private:
    struct Result {
        DataId id;
        std::uint8_t tag = 0;
    };
    void program();

    IdGenerator core_;
    ConvolutionPacket::Bytes packet_{};  ///< being checked
    StallingPipeline<Result, IdGeneratorRtl::kLatency> results_;
    std::uint32_t busy_cycles_ = 0;
    std::uint32_t error_ = 0;
    bool on_ = false;
};

}  // namespace tessera
