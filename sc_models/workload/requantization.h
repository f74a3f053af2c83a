// INT32 sums of a product as integers of 8 bits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sc_models/common/types.h"

namespace tessera {

/// Takes the sums of a product of integers to the range of INT8 or UINT8, as QLinearMatMul and
/// QLinearConv of ONNX: round((sum + bias) * factor) + zero point, saturated. The addition wraps
/// modulo 2^32; the sum is converted to FP32, multiplied once and rounded to nearest, ties to even.
/// "Column" is an element's position in its row of D in memory, as in ProductEpilogue.
struct Requantization {
    std::vector<std::int32_t> bias;  ///< of each column
    std::vector<float> factors;      ///< of each column, finite
    std::int32_t zero_point = 0;
    std::int32_t least = -128, most = 127;  ///< within the range of the type
    bool is_unsigned = false;               ///< the result is UINT8

    [[nodiscard]] std::int32_t result(std::uint32_t sum, std::int32_t bias_of_column,
                                      float factor) const;
    /// Columns beyond the last have bias and factor 0.
    [[nodiscard]] std::int32_t result_of(std::uint32_t sum, std::uint64_t column) const;
    /// Instructions for 32 elements: an addition, a conversion, a multiplication, a rounding, the
    /// zero point, and bounds of an activation. The packing saturates to the type.
    [[nodiscard]] std::uint32_t cost() const;
    /// Elements that an instruction packs (I2IP.S8.S32.SAT).
    static constexpr std::uint32_t kPacked = 2;
};

/// A requantization with the addresses of its columns: `pitch` INT32 and `pitch` FP32.
struct PlacedRequantization {
    std::shared_ptr<const Requantization> rule{};  ///< null: none
    Address bias = 0, factors = 0;
    std::uint64_t pitch = 0;  ///< elements between rows of D

    [[nodiscard]] bool empty() const { return rule == nullptr; }
};

/// Writes bias and factors. Throws std::logic_error unless there are `n` of each.
void write_columns(const PlacedRequantization& placed, std::uint64_t n,
                   const std::function<void(Address, const void* data, std::size_t bytes)>& write);

/// Requantises `count` sums at `sums`, adjacent in a row of D, in place: each becomes an INT32 of
/// its result. `bias` and `factors` are those of the first one.
void requantise(const Requantization& rule, const std::byte* bias, const std::byte* factors,
                std::size_t count, std::byte* sums);
/// Packs the low bytes of `count` INT32.
void pack_bytes(const std::byte* from, std::size_t count, std::byte* to);

}  // namespace tessera
