// Numbers in the registers of a warp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sc_models/isa/warp_instruction.h"
#include "sc_models/tensor_core/half.h"

namespace tessera {

/// Float `i` of those stored from register `reg` on, 32 per register, in contiguous registers.
[[nodiscard]] inline float single(const std::byte* registers, std::uint32_t reg, std::uint32_t i) {
    float value = 0;
    std::memcpy(&value, registers + reg * kWarpRegisterBytes + i * sizeof value, sizeof value);
    return value;
}
inline void set_single(std::byte* registers, std::uint32_t reg, std::uint32_t i, float value) {
    std::memcpy(registers + reg * kWarpRegisterBytes + i * sizeof value, &value, sizeof value);
}

/// Element of 16 bits `i` likewise, 64 per register.
[[nodiscard]] inline float half_at(const std::byte* registers, std::uint32_t reg, std::uint32_t i,
                                   Float16 format) {
    HalfBits half = 0;
    std::memcpy(&half, registers + reg * kWarpRegisterBytes + i * sizeof half, sizeof half);
    return to_float(half, format);
}
/// Stores the value rounded to the format.
inline void set_half(std::byte* registers, std::uint32_t reg, std::uint32_t i, float value,
                     Float16 format) {
    const HalfBits half = to_bits(value, format);
    std::memcpy(registers + reg * kWarpRegisterBytes + i * sizeof half, &half, sizeof half);
}

/// Integer of 8 bits `i` likewise, 128 per register.
[[nodiscard]] inline float unsigned_byte_at(const std::byte* registers, std::uint32_t reg,
                                            std::uint32_t i) {
    return static_cast<float>(
        std::to_integer<std::uint8_t>(registers[reg * kWarpRegisterBytes + i]));
}
[[nodiscard]] inline float signed_byte_at(const std::byte* registers, std::uint32_t reg,
                                          std::uint32_t i) {
    return static_cast<float>(static_cast<std::int8_t>(
        std::to_integer<std::uint8_t>(registers[reg * kWarpRegisterBytes + i])));
}
/// Stores the low 8 bits of an integer.
inline void set_byte(std::byte* registers, std::uint32_t reg, std::uint32_t i, float value) {
    registers[reg * kWarpRegisterBytes + i] = static_cast<std::byte>(static_cast<int>(value));
}

}  // namespace tessera
