// Deliberate errors at the pins of an RTL block, to see that its checker finds them.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "sc_models/config/fault_plan.h"

namespace tessera {

/// Applies a plan to the outputs of a block, once a clock cycle. Outputs are a struct of
/// `std::uint32_t` (and arrays of them), 64-bit values as two of them or as one std::uint64_t.
class FaultInjector {
public:
    explicit FaultInjector(const FaultPlan& plan) : plan_(plan) {}

    template <class Outputs>
    void apply(Outputs& outputs, Cycle cycle) {
        static_assert(std::is_trivially_copyable_v<Outputs> && sizeof(Outputs) % 4 == 0);
        if (plan_.kind == FaultKind::kNone) return;
        std::vector<std::uint32_t> words(sizeof(Outputs) / 4);
        std::memcpy(words.data(), &outputs, sizeof outputs);
        disturb(words, cycle);
        std::memcpy(static_cast<void*>(&outputs), words.data(), sizeof outputs);
    }

private:
    /// Throws ConfigError if the bit is beyond the words.
    void disturb(std::vector<std::uint32_t>& words, Cycle cycle);

    FaultPlan plan_;
    std::vector<std::uint32_t> last_;  ///< of the cycle before
};

}  // namespace tessera
