// Wrapper of the assign table in RTL, clocked by its bench or called like the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/rtl_build.h"
#include "sc_models/opportunistic/assign_table.h"

namespace tessera {

/// Verilated rtl/assign_table (opportunistic computing, III-B): takes an operation in every cycle,
/// or later by a cycle for each entry that it invalidates, and answers in the next one.
class AssignTableRtl {
public:
    static constexpr const char* kName = "assign_table";
    static constexpr std::uint32_t kLatency = 1;  ///< cycles from an operation to its answer
    static constexpr std::uint32_t kEntryBits = 10;
    static constexpr std::uint32_t kBlockBits = 33;
    static constexpr std::uint32_t kSmBits = 3;
    static constexpr std::uint32_t kMaxEntries = 1U << kEntryBits;
    static constexpr std::uint32_t kMaxSms = 1U << kSmBits;  ///< of a cluster

    /// Parameters of the RTL, by default those of the machine.
    struct Parameters {
        std::uint32_t entry_bits = kEntryBits, block_bits = kBlockBits, sm_bits = kSmBits;

        [[nodiscard]] std::uint32_t max_entries() const { return 1U << entry_bits; }
        [[nodiscard]] std::uint32_t max_sms() const { return 1U << sm_bits; }
    };

    enum class Op : std::uint8_t { kLookup, kInsert, kInvalidate, kFlush };

    /// Pins, see rtl/assign_table/README.md.
    struct Inputs {
        bool setup_valid = false;
        std::uint32_t setup_entries = 0;
        bool in_valid = false;
        Op op = Op::kLookup;
        BlockPair pair;
        std::uint32_t sm = 0;
        bool out_ready = true;
    };
    struct Outputs {
        std::uint32_t setup_ready = 0, setup_error = 0, in_ready = 0;
        std::uint32_t out_valid = 0, done = 0, replaced = 0, sm = 0, count = 0;
        std::uint32_t size = 0;
    };

    using Block = PinBlock<Inputs, Outputs>;
    using Build = RtlBuild<AssignTableRtl>;
    /// Returns the RTL with the parameters of the machine.
    [[nodiscard]] static const Build& default_build();

    /// `seed` chooses the registers' values before the reset.
    explicit AssignTableRtl(std::uint32_t seed = 1, const Build& build = default_build());
    ~AssignTableRtl();
    AssignTableRtl(const AssignTableRtl&) = delete;
    AssignTableRtl& operator=(const AssignTableRtl&) = delete;

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
    /// Passes an operation and returns its answer, with the size of the cycle after it.
    Outputs call(const Inputs& operation);

private:
    std::unique_ptr<Block> block_;
    FaultInjector fault_{FaultPlan{}};
};

}  // namespace tessera
