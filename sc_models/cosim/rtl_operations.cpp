#include "sc_models/cosim/rtl_operations.h"

#include <array>

namespace tessera {

std::uint64_t& rtl_operations(RtlBlock block) {
    static std::array<std::uint64_t, kRtlBlocks.size()> counts{};
    return counts[static_cast<std::size_t>(block)];
}

bool& rtl_compares_cycles(RtlBlock block) {
    static std::array<bool, kRtlBlocks.size()> compares{};
    return compares[static_cast<std::size_t>(block)];
}

}  // namespace tessera
