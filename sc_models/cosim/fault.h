// Deliberate errors at the pins of an RTL block, to see that its checker finds them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "sc_models/config/fault_plan.h"

namespace tessera {

/// Applies a plan to the outputs of a block, once a clock cycle. Outputs are a struct of
/// `std::uint32_t` (and arrays of them), 64-bit values as two of them or as one std::uint64_t.
class FaultInjector {
public:
    explicit FaultInjector(FaultPlan plan) : plan_(std::move(plan)) {}

    /// `plan`, if there is its bit in such outputs; throws ConfigError otherwise. For blocks inside
    /// the machine, which are made before it runs: what a process of SystemC throws comes out as
    /// something else.
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

    /// A run begins: nothing has been broken.
    static void begin_run() { done() = {}; }
    /// Output words that a fault has changed in this run, those of every clock cycle counted.
    [[nodiscard]] static std::uint64_t changed() { return done().changed; }
    /// Throws ConfigError if `plan` broke nothing: it was to begin when no block with a fault was
    /// clocked any more, or what it does to the outputs is what they were.
    static void require_broken(const FaultPlan& plan);
    /// Throws CheckError if `plan` broke something. For a run that compared and saw no difference.
    static void require_unbroken(const FaultPlan& plan);

private:
    /// What faults have done in this run, of all blocks together.
    struct Done {
        Cycle reached = 0;  ///< one past the last cycle of any block with a fault
        std::uint64_t changed = 0;
    };
    [[nodiscard]] static Done& done();
    /// Throws ConfigError if the bit is beyond that many words.
    static void require_bit(const FaultPlan& plan, std::size_t words);
    void disturb(std::vector<std::uint32_t>& words, Cycle cycle);

    FaultPlan plan_;
    std::vector<std::uint32_t> last_;  ///< of the cycle before
};

}  // namespace tessera
