// Wrapper of the precompute table in RTL, clocked by its bench or called like the model.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/rtl_build.h"
#include "sc_models/opportunistic/precompute_table.h"

namespace tessera {

/// Verilated rtl/precompute_table (opportunistic computing, III-A): one operation at a time, whose
/// pins stay until it is taken, and its answer in the cycle after.
class PrecomputeTableRtl {
public:
    static constexpr const char* kName = "precompute_table";
    static constexpr std::uint32_t kLatency = 2;  ///< cycles from an operation to its answer
    static constexpr std::uint32_t kEntryBits = 9;
    static constexpr std::uint32_t kAddressBits = 40;
    static constexpr std::uint32_t kGeometryBits = 8;
    static constexpr std::uint32_t kGenerationBits = 4;
    static constexpr std::uint32_t kLanes = 32;
    static constexpr std::uint32_t kResultBits = 32;
    static constexpr std::uint32_t kMaxEntries = 1U << kEntryBits;
    static constexpr std::uint32_t kGenerations = 1U << kGenerationBits;

    /// Parameters of the RTL, by default those of the machine.
    struct Parameters {
        std::uint32_t entry_bits = kEntryBits, address_bits = kAddressBits,
                      geometry_bits = kGeometryBits, generation_bits = kGenerationBits,
                      lanes = kLanes, result_bits = kResultBits;

        [[nodiscard]] std::uint32_t max_entries() const { return 1U << entry_bits; }
        [[nodiscard]] std::uint32_t generations() const { return 1U << generation_bits; }
    };

    enum class Op : std::uint8_t { kLookup, kPredict, kWaiting, kStart, kFinish, kDrop };
    /// Bits of FP32 numbers, one a lane. RTL with fewer or narrower lanes leaves the rest 0.
    using Results = std::array<std::uint32_t, kLanes>;

    /// Pins, see rtl/precompute_table/README.md.
    struct Inputs {
        bool setup_valid = false;
        std::uint32_t setup_entries = 0;
        bool in_valid = false;
        Op op = Op::kLookup;
        PrecomputeKey key;
        std::uint32_t slot = 0;
        bool after = false;
        std::uint32_t generation = 0, count = 0;
        Results results{};
        bool out_ready = true;
    };
    struct Outputs {
        std::uint32_t setup_ready = 0, setup_error = 0, in_ready = 0;
        std::uint32_t out_valid = 0, done = 0, present = 0, replaced = 0, complete = 0;
        std::uint32_t slot = 0, generation = 0;
        std::uint64_t input = 0, weights = 0;
        std::uint32_t geometry = 0, count = 0;
        Results results{};
        std::uint32_t size = 0, waiting = 0;
    };

    using Block = PinBlock<Inputs, Outputs>;
    using Build = RtlBuild<PrecomputeTableRtl>;
    /// Returns the RTL with the parameters of the machine.
    [[nodiscard]] static const Build& default_build();

    /// `seed` chooses the registers' values before the reset.
    explicit PrecomputeTableRtl(std::uint32_t seed = 1, const Build& build = default_build());
    ~PrecomputeTableRtl();
    PrecomputeTableRtl(const PrecomputeTableRtl&) = delete;
    PrecomputeTableRtl& operator=(const PrecomputeTableRtl&) = delete;

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

    /// Empties the table, which gets `entries` entries, 1 to kMaxEntries. Takes as many clock
    /// cycles as it needs, like call().
    void program(std::uint32_t entries);
    /// Passes an operation and returns its answer, with size and waiting of the cycle after it.
    Outputs call(const Inputs& operation);

private:
    std::unique_ptr<Block> block_;
    FaultInjector fault_{FaultPlan{}};
};

}  // namespace tessera
