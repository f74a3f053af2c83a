// Wrapper of the detection unit in RTL, clocked by its bench or in step with the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/rtl_build.h"
#include "sc_models/duplo/detection_devices.h"
#include "sc_models/duplo/rtl_limits.h"
#include "sc_models/isa/convolution_packet.h"

namespace tessera {

/// Verilated rtl/duplo_core (Duplo IV): ID generator, load history buffer and rename table as one
/// pipe that takes a unit in each clock cycle and answers kLatency cycles later, if it does not
/// stall.
class DuploCoreRtl {
public:
    static constexpr const char* kName = "duplo_core";
    static constexpr std::uint32_t kLatency =
        DuploRtlLimits::kCoreLatency;                ///< cycles from a unit to its answer
    static constexpr std::uint32_t kIdLatency = 18;  ///< cycles from a unit to its id
    static constexpr std::uint32_t kUnitBits = 14;
    static constexpr std::uint32_t kPhysBits = 14;
    static constexpr std::uint32_t kMaxUnits = 1U << kUnitBits;
    static constexpr std::uint32_t kMaxRegisters = 1U << kPhysBits;

    /// Parameters of the RTL, by default those of the machine.
    struct Parameters {
        std::uint32_t unit_bits = kUnitBits, phys_bits = kPhysBits;

        [[nodiscard]] std::uint32_t max_units() const { return 1U << unit_bits; }
        [[nodiscard]] std::uint32_t max_registers() const { return 1U << phys_bits; }
    };

    enum class Kind : std::uint8_t { kHit, kZero, kMiss, kBypass, kEnded };

    /// Set-up of the blocks for a kernel.
    struct Setup {
        ConvolutionPacket::Bytes packet{};
        std::uint8_t kernel_tag = 0, log_sets = 0, log_ways = 0, shift = 0;
        bool fold = false;
        std::uint32_t units = 0, registers = 0;
    };
    /// Pins, see rtl/duplo_core/README.md.
    struct Inputs {
        bool setup_valid = false;
        Setup setup;
        bool clear_valid = false;
        bool in_valid = false;
        PipeUnit::Op op = PipeUnit::Op::kLoad;
        Address address = 0;
        std::uint32_t unit = 0;
        std::uint32_t domain = 0;
    };
    struct Outputs {
        std::uint32_t setup_ready = 0, setup_error = 0, clear_ready = 0;
        std::uint32_t in_ready = 0;
        std::uint32_t out_valid = 0, kind = 0, bypass = 0, unit = 0, phys = 0;
    };

    using Block = PinBlock<Inputs, Outputs>;
    using Build = RtlBuild<DuploCoreRtl>;
    /// Returns the RTL with the parameters of the machine.
    [[nodiscard]] static const Build& default_build();

    /// `seed` chooses the registers' values before the reset.
    explicit DuploCoreRtl(std::uint32_t seed = 1, const Build& build = default_build());
    ~DuploCoreRtl();
    DuploCoreRtl(const DuploCoreRtl&) = delete;
    DuploCoreRtl& operator=(const DuploCoreRtl&) = delete;

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

    /// Programs all blocks; takes as many clock cycles as they need. Returns false if one refuses.
    [[nodiscard]] bool program(const Setup& setup);
    /// Empties the load history buffer, likewise.
    void clear();

private:
    Outputs run_until_ready(const Inputs& inputs);

    std::unique_ptr<Block> block_;
    FaultInjector fault_{FaultPlan{}};
};

}  // namespace tessera
