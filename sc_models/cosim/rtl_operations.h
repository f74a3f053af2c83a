// Operation counters of the RTL blocks in this process.
#pragma once

#include <cstdint>

#include "sc_models/config/impl_config.h"

namespace tessera {

/// The counter of a block, summed over its instances: operations, or clock cycles of a block that
/// is stepped. With `impl.BLOCK: both` each was compared with the model.
[[nodiscard]] std::uint64_t& rtl_operations(RtlBlock block);
/// Whether `impl.BLOCK: both` compares the outputs of every clock cycle, or those of operations.
[[nodiscard]] bool& rtl_compares_cycles(RtlBlock block);

}  // namespace tessera
