// First difference between model and RTL of a block in the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Compared pins of a block in its last clock cycles.
struct PinHistory {
    struct Value {
        Cycle cycle = 0;  ///< core cycle
        std::string pin;  ///< "product_6"
        std::uint64_t model = 0, rtl = 0;
    };
    std::vector<Value> values;  ///< in order of cycle
};

/// Difference that ended a run.
struct Mismatch {
    std::string report;  ///< several lines
    std::string scope;   ///< "sm3" or "sm3.tensor1"
    std::string block;   ///< "feop_array"
    Cycle cycle = 0;     ///< core cycle
    /// Number of the access that the SM's LDST unit serves (AccessInfo::id); 0: unknown.
    std::uint64_t access = 0;
    std::shared_ptr<const PinHistory> pins;  ///< null: none
};

/// The difference that this process has found; null: none. Kept beside the CheckError of the same
/// report, because SystemC replaces what a process throws.
[[nodiscard]] std::unique_ptr<const Mismatch>& found_mismatch();

}  // namespace tessera
