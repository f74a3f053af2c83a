#include "sc_models/isa/bit_gather.h"

#include <algorithm>

namespace tessera {

void BitGather::apply(const std::byte* from, std::byte* to) const {
    constexpr std::uint32_t kByte = 8;
    for (const Move& move : moves) {
        if (unit_bits == 1) {
            const std::byte bit = from[move.from / kByte] >> move.from % kByte & std::byte{1};
            to[move.to / kByte] |= bit << move.to % kByte;
        } else {
            std::copy_n(from + move.from / kByte, unit_bits / kByte, to + move.to / kByte);
        }
    }
}

}  // namespace tessera
