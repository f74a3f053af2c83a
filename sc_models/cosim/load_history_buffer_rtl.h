// The load history buffer in RTL, clock by clock for its bench or called as the model is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sc_models/common/observer.h"
#include "sc_models/common/types.h"
#include "sc_models/cosim/fault.h"
#include "sc_models/duplo/load_history_buffer.h"

namespace tessera {

/// Verilated rtl/load_history_buffer (Duplo IV-B): one operation a clock cycle, its result
/// `kLatency` cycles later. Sets and ways are powers of two.
class LoadHistoryBufferRtl {
public:
    static constexpr std::uint32_t kLatency = 2;  ///< operation taken to result, cycles
    static constexpr std::uint32_t kMaxEntries = 2048;
    static constexpr std::uint32_t kMaxWays = 8;
    static constexpr std::uint32_t kPhysBits = 14;
    static constexpr std::uint32_t kMaxShift = 31;

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

    /// As LoadHistoryBuffer's, and throws ConfigError for what the RTL does not support.
    LoadHistoryBufferRtl(std::uint32_t entries, std::uint32_t ways, bool fold,
                         std::uint32_t seed = 1);
    ~LoadHistoryBufferRtl();
    LoadHistoryBufferRtl(const LoadHistoryBufferRtl&) = delete;
    LoadHistoryBufferRtl& operator=(const LoadHistoryBufferRtl&) = delete;

    void reset();
    /// Breaks an output from now on.
    void break_by(const FaultPlan& fault);
    /// One clock cycle: the outputs these inputs see, then the rising edge.
    Outputs step(const Inputs& inputs);
    /// Dumps all signals under `scope`.
    void trace(WaveRecorder& wave, const std::string& scope);
    /// The next clock cycle is not before core cycle `at` in the dump.
    void not_before(Cycle at);
    /// Clock cycles so far, resets included.
    [[nodiscard]] std::uint64_t clock_cycles() const;

    // As LoadHistoryBuffer's; each takes as many clock cycles as it needs. What it holds is in the
    // RTL only; the names of registers are what its results say. Whoever uses a result asks for a
    // breach first: a register may be one that there is not.
    void program(std::uint32_t shift, std::uint32_t registers);
    void grow(std::uint32_t registers);
    [[nodiscard]] PhysRegId find(const LhbKey& key);
    LoadHistoryBuffer::Replaced insert(const LhbKey& key, PhysRegId phys);
    bool release(PhysRegId phys);
    [[nodiscard]] bool names(PhysRegId phys) const { return named_[phys.value()] != 0; }
    void clear();
    [[nodiscard]] std::size_t size() const { return size_; }
    /// The first result that contradicts what the results before it said, as text; empty: none.
    [[nodiscard]] const std::string& breach() const { return breach_; }

private:
    /// Whether an entry names the register, by the results so far.
    [[nodiscard]] bool holds(std::uint32_t phys) const {
        return phys < named_.size() && named_[phys] != 0;
    }
    void expect_held(std::string_view operation, std::uint32_t phys);
    void breach(std::string text);
    void set_up(bool keep);
    Outputs operate(Op op, const LhbKey& key, std::uint32_t phys);

    struct Block;
    std::unique_ptr<Block> block_;
    std::uint32_t log_sets_ = 0, log_ways_ = 0, shift_ = 0;
    bool fold_;
    std::size_t size_ = 0;
    std::vector<std::uint8_t> named_;
    std::string breach_;
};

}  // namespace tessera
