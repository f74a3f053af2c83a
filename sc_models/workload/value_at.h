// Numbers in bytes of registers, at any alignment.
#pragma once

#include <cstddef>
#include <cstring>

namespace tessera {

/// Element `i` of an array of T at `from`.
template <class T>
[[nodiscard]] T value_at(const std::byte* from, std::size_t i) {
    T value{};
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    return value;
}

}  // namespace tessera
