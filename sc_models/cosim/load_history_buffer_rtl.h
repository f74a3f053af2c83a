// Wrapper of the load history buffer in RTL, clocked by its bench or called like the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/log2.h"
#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"
#include "sc_models/cosim/contradiction.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/cosim/rtl_build.h"
#include "sc_models/duplo/load_history_buffer.h"
#include "sc_models/duplo/rtl_limits.h"

namespace tessera {

/// Verilated rtl/load_history_buffer (Duplo IV-B): one operation per clock cycle, its result
/// `kLatency` cycles later. Sets and ways are powers of two.
class LoadHistoryBufferRtl {
public:
    static constexpr const char* kName = "load_history_buffer";
    static constexpr std::uint32_t kLatency = 2;  ///< cycles from operation to result
    static constexpr std::uint32_t kMaxEntries = DuploRtlLimits::kMaxEntries;
    static constexpr std::uint32_t kMaxWays = DuploRtlLimits::kMaxWays;
    static constexpr std::uint32_t kPhysBits = 14;
    static constexpr std::uint32_t kMaxShift = 31;

    /// Parameters of the RTL, by default those of the machine.
    struct Parameters {
        std::uint32_t max_entries = kMaxEntries, max_ways = kMaxWays, phys_bits = kPhysBits;

        [[nodiscard]] std::uint32_t log_entries() const { return log2_of_power(max_entries); }
        [[nodiscard]] std::uint32_t log_ways() const { return log2_of_power(max_ways); }
        [[nodiscard]] std::uint32_t max_registers() const { return 1U << phys_bits; }
    };

    enum class Op : std::uint8_t { kLookup, kInsert, kRelease };

    /// Pins, see rtl/load_history_buffer/README.md.
    struct Inputs {
        bool setup_valid = false, setup_keep = false, setup_fold = false;
        std::uint8_t setup_log_sets = 0, setup_log_ways = 0, setup_shift = 0;
        bool in_valid = false;
        Op op = Op::kLookup;
        LhbKey key;
        std::uint32_t phys = 0;
        bool out_ready = true;
    };
    struct Outputs {
        std::uint32_t setup_ready = 0, setup_error = 0;
        std::uint32_t in_ready = 0;
        std::uint32_t out_valid = 0;
        std::uint32_t found = 0, same_key = 0, phys = 0;
    };

    using Block = PinBlock<Inputs, Outputs>;
    using Build = RtlBuild<LoadHistoryBufferRtl>;
    /// Returns the RTL with the parameters of the machine.
    [[nodiscard]] static const Build& default_build();

    /// Takes LoadHistoryBuffer's parameters; throws ConfigError if the RTL does not support them.
    LoadHistoryBufferRtl(std::uint32_t entries, std::uint32_t ways, bool fold,
                         std::uint32_t seed = 1, const Build& build = default_build());
    ~LoadHistoryBufferRtl();
    LoadHistoryBufferRtl(const LoadHistoryBufferRtl&) = delete;
    LoadHistoryBufferRtl& operator=(const LoadHistoryBufferRtl&) = delete;

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

    // LoadHistoryBuffer's interface; each call takes as many clock cycles as it needs. Only the RTL
    // holds the entries; the set of named registers follows from its results. Callers check
    // violation() before they use a result: its register may not exist.
    void program(std::uint32_t shift, std::uint32_t registers);
    void grow(std::uint32_t registers);
    [[nodiscard]] PhysRegId find(const LhbKey& key);
    LoadHistoryBuffer::Replaced insert(const LhbKey& key, PhysRegId phys);
    bool release(PhysRegId phys);
    [[nodiscard]] bool names(PhysRegId phys) const { return named_[phys.value()] != 0; }
    void clear();
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Text of the first result that contradicts earlier results; empty: none.
    [[nodiscard]] const std::string& violation() const { return contradiction_.text(); }

private:
    /// Whether an entry names the register, according to the results so far.
    [[nodiscard]] bool holds(std::uint32_t phys) const {
        return phys < named_.size() && named_[phys] != 0;
    }
    void expect_held(std::string_view operation, std::uint32_t phys);
    void set_up(bool keep);
    Outputs operate(Op op, const LhbKey& key, std::uint32_t phys);

    const Parameters parameters_;
    std::unique_ptr<Block> block_;
    FaultInjector fault_{FaultPlan{}};
    std::uint32_t log_sets_ = 0, log_ways_ = 0, shift_ = 0;
    bool fold_;
    std::size_t size_ = 0;
    std::vector<std::uint8_t> named_;
    Contradiction contradiction_;
};

}  // namespace tessera
