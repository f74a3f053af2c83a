#include "sc_models/duplo/exact_divider.h"

#include <stdexcept>

#include "sc_models/common/types.h"

namespace tessera {

ExactDivider::ExactDivider(std::uint32_t divisor) : divisor_(divisor) {
    if (divisor == 0) {
        throw std::logic_error("ExactDivider: division by zero");
    }
    while ((std::uint64_t{1} << shift_) < divisor) {
        ++shift_;
    }
    // m - 2^32 = ceil(2^32 (2^l - d) / d); 2^l - d < d, so this stays within 64 bits.
    const std::uint64_t excess = (std::uint64_t{1} << shift_) - divisor;
    reciprocal_ = static_cast<std::uint32_t>(ceil_div(excess << 32, std::uint64_t{divisor}));
}

}  // namespace tessera
