// Fields of flat RTL ports. For wrappers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera {

/// Unpacks a port of `kCount` fields of `kBits` bits, element 0 lowest.
template <std::uint32_t kBits, class Port, std::size_t kCount>
void unpack(const Port& port, std::array<std::uint32_t, kCount>& fields) {
    constexpr std::uint32_t kWordBits = 32;
    std::uint32_t words[(kCount * kBits + kWordBits - 1) / kWordBits + 1] = {};
    static_assert(sizeof port <= sizeof words);
    std::memcpy(words, &port, sizeof port);
    for (std::uint32_t n = 0; n < kCount; ++n) {
        const std::uint32_t bit = n * kBits;
        const std::uint64_t two = words[bit / kWordBits] | std::uint64_t{words[bit / kWordBits + 1]}
                                                               << kWordBits;
        fields[n] = static_cast<std::uint32_t>(two >> (bit % kWordBits)) & ((1U << kBits) - 1);
    }
}

/// Copies a port of whole words, or of whole halves, to an array or back.
template <class To, class From>
void copy_port(To& to, const From& from) {
    static_assert(sizeof to == sizeof from);
    std::memcpy(&to, &from, sizeof to);
}

}  // namespace tessera
