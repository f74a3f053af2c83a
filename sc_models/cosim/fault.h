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

    template <class Outputs>
    void apply(Outputs& outputs, Cycle cycle) {
        static_assert(std::is_trivially_copyable_v<Outputs> && sizeof(Outputs) % 4 == 0);
        if (plan_.kind == FaultKind::kNone) return;
        reached_ = std::max(reached_, cycle + 1);
        std::vector<std::uint32_t> words(sizeof(Outputs) / 4);
        std::memcpy(words.data(), &outputs, sizeof outputs);
        disturb(words, cycle);
        std::memcpy(static_cast<void*>(&outputs), words.data(), sizeof outputs);
    }

    /// Throws ConfigError if `plan` is to begin when no block of this process with a fault was
    /// clocked any more, so that it broke nothing.
    static void require_begun(const FaultPlan& plan);

private:
    /// Throws ConfigError if the bit is beyond the words.
    void disturb(std::vector<std::uint32_t>& words, Cycle cycle);

    static inline Cycle reached_ = 0;  ///< one past the last cycle of any block with a fault

    FaultPlan plan_;
    std::vector<std::uint32_t> last_;  ///< of the cycle before
};

}  // namespace tessera
