// Random and file stimulus of the testbench of the assign tables.
#pragma once

#include <vector>

#include "sc_models/common/types.h"
#include "testbenches/harness/session.h"

namespace tessera::testbench {

/// First address of the weights; the input lies below.
inline constexpr Address kWeights = Address{1} << 20U;

/// Vector operation of an SM: addresses of three words of each operand.
struct AssignOperation {
    Cycle at = 0;
    std::uint32_t sm = 0;
    Address input = 0, weights = 0;
};

/// Random operations of `sms` SMs from cycle `at` on, half of them on a few blocks. A line has
/// `line_bytes`.
[[nodiscard]] std::vector<AssignOperation> random_operations(Session& session, std::uint32_t sms,
                                                             std::uint32_t line_bytes, Cycle at);

/// Operations of a stimulus file. Throws ConfigError that names file, line and column.
[[nodiscard]] std::vector<AssignOperation> operations_of(const Stimulus& stimulus,
                                                         std::uint32_t sms,
                                                         std::uint32_t line_bytes);

}  // namespace tessera::testbench
