// Copy between partly overlapping address spans.
#pragma once

#include <algorithm>
#include <cstring>

#include "sc_models/common/types.h"

namespace tessera {

/// Copies those of the `from_bytes` bytes at `from_address` that lie within the `bytes` bytes at
/// `address`; none if the spans do not overlap.
inline void copy_overlap(Address from_address, const unsigned char* from, std::uint32_t from_bytes,
                         Address address, unsigned char* to, std::uint32_t bytes) {
    const Address begin = std::max(from_address, address);
    const Address end = std::min(from_address + from_bytes, address + bytes);
    if (begin < end)
        std::memcpy(to + (begin - address), from + (begin - from_address), end - begin);
}

}  // namespace tessera
