// How often RTL and model of a block were compared in this process (impl.BLOCK: both).
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

/// The counter of a block ("feop_array"), of all its places in the machine together.
[[nodiscard]] std::uint64_t& operations_compared(std::string_view block);

}  // namespace tessera
