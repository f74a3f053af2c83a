// How often blocks of the machine that are RTL were asked for something in this process.
#pragma once

#include <cstdint>

#include "sc_models/config/impl_config.h"

namespace tessera {

/// The counter of a block, of all its places in the machine together: what it was asked for, or the
/// clock cycles of a block that is stepped. With `impl.BLOCK: both` each was compared with the
/// model.
[[nodiscard]] std::uint64_t& rtl_operations(RtlBlock block);

}  // namespace tessera
