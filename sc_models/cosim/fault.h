// Fault injection at the pins of an RTL block, to verify its checker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "sc_models/config/fault_plan.h"

namespace tessera {

/// Applies a plan to the outputs of a block, once per clock cycle. Outputs are a struct of
/// `std::uint32_t` (and arrays of them), 64-bit values as two of them or as one std::uint64_t.
class FaultInjector {
public:
    explicit FaultInjector(FaultPlan plan) : plan_(std::move(plan)) {}

    /// Returns `plan` if such outputs have its bit; throws ConfigError otherwise. Must be called
    /// before the simulation runs: SystemC replaces exceptions that a process throws.
    template <class Outputs>
    [[nodiscard]] static FaultPlan fitting(FaultPlan plan) {
        require_bit(plan, sizeof(Outputs) / 4);
        return plan;
    }

    template <class Outputs>
    void apply(Outputs& outputs, Cycle cycle) {
        static_assert(std::is_trivially_copyable_v<Outputs> && sizeof(Outputs) % 4 == 0);
        if (plan_.kind == FaultKind::kNone) return;
        done().reached = std::max(done().reached, cycle + 1);
        std::vector<std::uint32_t> words(sizeof(Outputs) / 4);
        std::memcpy(words.data(), &outputs, sizeof outputs);
        const std::vector<std::uint32_t> given = words;
        disturb(words, cycle);
        for (std::size_t i = 0; i < words.size(); ++i)
            done().changed += words[i] != given[i] ? 1 : 0;
        std::memcpy(static_cast<void*>(&outputs), words.data(), sizeof outputs);
    }

    /// Starts a run: resets the counts.
    static void begin_run() { done() = {}; }
    /// Number of output words that faults changed in this run, counted in every clock cycle.
    [[nodiscard]] static std::uint64_t changed() { return done().changed; }
    /// Throws ConfigError if `plan` changed nothing: it began after the last clocked cycle of every
    /// block with a fault, or it set outputs to the values that they had.
    static void require_broken(const FaultPlan& plan);
    /// Throws CheckError if `plan` changed an output. For a run whose comparison found no
    /// difference.
    static void require_unbroken(const FaultPlan& plan);

private:
    /// Effects of faults in this run, over all blocks.
    struct Done {
        Cycle reached = 0;  ///< one past the last cycle of any block with a fault
        std::uint64_t changed = 0;
    };
    [[nodiscard]] static Done& done();
    /// Throws ConfigError if the bit is beyond `words` words.
    static void require_bit(const FaultPlan& plan, std::size_t words);
    void disturb(std::vector<std::uint32_t>& words, Cycle cycle);

    FaultPlan plan_;
    std::vector<std::uint32_t> last_;  ///< outputs of the previous cycle
};

}  // namespace tessera
