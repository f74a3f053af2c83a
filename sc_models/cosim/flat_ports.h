// Fields of flat RTL ports. For wrappers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera {

/// Unpacks a port of `count` fields of `bits` bits, at most 32, element 0 lowest; the other fields
/// stay.
template <class Port, std::size_t kCount>
void unpack(const Port& port, std::uint32_t count, std::uint32_t bits,
            std::array<std::uint32_t, kCount>& fields) {
    constexpr std::uint32_t kWordBits = 32;
    if (bits == kWordBits) {
        std::memcpy(fields.data(), &port, count * sizeof fields[0]);
        return;
    }
    std::uint32_t words[kCount + 2] = {};
    static_assert(sizeof port <= sizeof words);
    std::memcpy(words, &port, sizeof port);
    for (std::uint32_t n = 0; n < count; ++n) {
        const std::uint32_t bit = n * bits;
        const std::uint64_t two = words[bit / kWordBits] | std::uint64_t{words[bit / kWordBits + 1]}
                                                               << kWordBits;
        fields[n] = static_cast<std::uint32_t>(two >> (bit % kWordBits)) & ((1U << bits) - 1);
    }
}

/// Unpacks a port of `kCount` fields of `kBits` bits.
template <std::uint32_t kBits, class Port, std::size_t kCount>
void unpack(const Port& port, std::array<std::uint32_t, kCount>& fields) {
    unpack(port, kCount, kBits, fields);
}

/// Packs the first `count` fields into a port, `bits` bits of each, at most 32.
template <std::size_t kCount, class Port>
void pack(const std::array<std::uint32_t, kCount>& fields, std::uint32_t count, std::uint32_t bits,
          Port& port) {
    constexpr std::uint32_t kWordBits = 32;
    if (bits == kWordBits) {
        std::memcpy(&port, fields.data(), count * sizeof fields[0]);
        return;
    }
    std::uint32_t words[kCount + 2] = {};
    static_assert(sizeof port <= sizeof words);
    for (std::uint32_t n = 0; n < count; ++n) {
        const std::uint32_t bit = n * bits;
        const std::uint64_t field = std::uint64_t{fields[n] & ((1U << bits) - 1)}
                                    << (bit % kWordBits);
        words[bit / kWordBits] |= static_cast<std::uint32_t>(field);
        words[bit / kWordBits + 1] |= static_cast<std::uint32_t>(field >> kWordBits);
    }
    std::memcpy(&port, words, sizeof port);
}

/// Sets a port of up to 64 bits.
template <class Port>
void set_port(Port& port, std::uint64_t value) {
    port = static_cast<Port>(value);
}

/// Copies a port of whole words, or of whole halves, to an array or back.
template <class To, class From>
void copy_port(To& to, const From& from) {
    static_assert(sizeof to == sizeof from);
    std::memcpy(&to, &from, sizeof to);
}

}  // namespace tessera
