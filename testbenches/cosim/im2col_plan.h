// Coverage plan of the bitmap im2col's bench.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "sc_models/common/log2.h"
#include "sc_models/tensor_core/bitmap_im2col.h"
#include "testbenches/cosim/coverage_plan.h"

namespace tessera {

/// Input pins of the bitmap im2col that carry numbers.
namespace im2col_pins {

using Inputs = BitmapIm2col::Inputs;
using InputPin = PlannedPin<Inputs>;

inline constexpr std::uint32_t kLengthBits = 7;  ///< of numbers of elements

inline constexpr InputPin kBitmap = {
    "row_bitmap_i", kMapRowBits, [](const Inputs& in) { return in.row.bitmap; },
    [](Inputs& in, std::uint64_t value) { in.row.bitmap = value; }};
inline constexpr InputPin kLength = {
    "row_length_i", kLengthBits, [](const Inputs& in) { return std::uint64_t{in.row.length}; },
    [](Inputs& in, std::uint64_t value) { in.row.length = static_cast<std::uint32_t>(value); }};
inline constexpr InputPin kFilter = {
    "row_filter_i", kLengthBits,
    [](const Inputs& in) { return std::uint64_t{in.row.filter_width}; },
    [](Inputs& in, std::uint64_t value) {
        in.row.filter_width = static_cast<std::uint32_t>(value);
    }};
inline constexpr InputPin kStride2 = {
    "row_stride2_i", 1, [](const Inputs& in) { return std::uint64_t{in.row.stride2}; },
    [](Inputs& in, std::uint64_t value) { in.row.stride2 = static_cast<std::uint32_t>(value); }};
inline constexpr InputPin kBase = {
    "row_base_i", 32, [](const Inputs& in) { return std::uint64_t{in.row.base}; },
    [](Inputs& in, std::uint64_t value) { in.row.base = static_cast<std::uint32_t>(value); }};

/// Bits of numbers of elements in a block with these parameters.
inline std::uint32_t length_bits(const BitmapIm2col::Parameters& parameters) {
    return log2_of_power(parameters.row_bits) + 1;
}
/// Returns the pin of a block with these parameters.
inline InputPin with(const BitmapIm2col::Parameters& parameters, InputPin pin) {
    if (pin.name == kBitmap.name) pin.width_bits = parameters.row_bits;
    if (pin.name == kLength.name || pin.name == kFilter.name) {
        pin.width_bits = length_bits(parameters);
    }
    if (pin.name == kBase.name) pin.width_bits = parameters.address_bits;
    return pin;
}

inline constexpr std::array<const InputPin*, 5> kAll = {&kBitmap, &kLength, &kFilter, &kStride2,
                                                        &kBase};

}  // namespace im2col_pins

/// Situations and pins that the bench must reach.
class Im2colPlan : public CoveragePlan {
public:
    using Row = BitmapIm2col::Row;
    using Column = BitmapIm2col::Column;
    using Parameters = BitmapIm2col::Parameters;

    const Bin no_filter = add("row without a filter"),
              wide_filter = add("filter that is wider than its row"),
              long_row = add("row that is too long"),
              after_error = add("row behind one that does not fit"),
              one_element = add("row of one element"), longest = add("row of all elements"),
              one_column = add("filter of one column"),
              one_output = add("filter as wide as its row"),
              no_rest = add("stride 2 without a rest"), rest = add("stride 2 with a rest"),
              noise = add("ones behind the end of a row"), no_value = add("row without a value"),
              all_values = add("row of all values"), wraps = add("address wraps"),
              empty_column = add("column without a value"),
              full_column = add("column of all values"),
              between = add("values between the outputs"),
              only_between = add("values only between the outputs"), row_waits = add("row waits"),
              column_waits = add("column waits"), into_empty = add("row into an empty block"),
              back_to_back = add("row behind the last column of another"),
              beside_wait = add("row while a column waits"),
              reset_row = add("reset with a row being lowered"),
              reset_column = add("reset with a column that waits");

    explicit Im2colPlan(const Parameters& parameters) : parameters_(parameters) {}
    /// Notes a row that is taken. `block`: before the edge; `waits`: a column is not taken.
    void take_row(const Row& row, const BitmapIm2col& block, bool waits);
    /// Notes a column that is taken.
    void take_column(const Column& column);
    /// Notes a reset. `waits`: a column was at the output.
    void note_reset(const BitmapIm2col& block, bool waits) {
        hit_if(reset_row, block.lowers());
        hit_if(reset_column, waits);
        forget_transactions();
        behind_error_ = false;
    }

private:
    Pin pin(const im2col_pins::InputPin& input) {
        return add_pin(input.name, im2col_pins::with(parameters_, input).width_bits);
    }
    [[nodiscard]] Pin length_pin(const char* name) {
        return add_pin(name, im2col_pins::length_bits(parameters_));
    }
    void note_shape(const Row& row);

    const Parameters parameters_;

    const Pin bitmap_ = pin(im2col_pins::kBitmap), length_ = pin(im2col_pins::kLength),
              filter_ = pin(im2col_pins::kFilter), stride2_ = pin(im2col_pins::kStride2),
              base_ = pin(im2col_pins::kBase),
              bitmap_given_ = add_pin("column_bitmap_o", parameters_.row_bits),
              window_given_ = add_pin("column_window_o", parameters_.row_bits),
              address_given_ = add_pin("column_address_o", parameters_.address_bits),
              length_given_ = length_pin("column_length_o"),
              count_given_ = length_pin("column_count_o"),
              first_given_ = add_pin("column_first_o", 1),
              last_given_ = add_pin("column_last_o", 1),
              error_given_ = add_pin("column_error_o", 1);
    bool behind_error_ = false;  ///< the last row did not fit
};

/// Error of the RTL at its inputs, which the bench has to find.
struct Im2colError {
    StuckPin stuck;
    std::string wrong;  ///< situation of the plan; empty: none
    BitmapIm2col::Parameters parameters;

    /// Returns the inputs with the error.
    [[nodiscard]] BitmapIm2col::Inputs seen_by_rtl(const BitmapIm2col::Inputs& in,
                                                   const BitmapIm2col& block) const;
    /// Whether the RTL misses a reset. `waits`: a column is at the output.
    [[nodiscard]] bool misses_reset(const BitmapIm2col& block, bool waits) const;
};

}  // namespace tessera
