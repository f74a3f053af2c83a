#include "testbenches/cosim/im2col_plan.h"

#include <string_view>

namespace tessera {
namespace {

/// Elements from the first that an output reads to the last.
std::uint32_t elements_read(const BitmapIm2col::Row& row) {
    return row.filter_width + ((BitmapIm2col::outputs_of(row) - 1) << row.stride2);
}

/// Values in the elements before the last column's window.
std::uint32_t values_shifted_out(const BitmapIm2col::Row& row) {
    const std::uint64_t elements = (std::uint64_t{1} << (row.filter_width - 1)) - 1;
    return static_cast<std::uint32_t>(__builtin_popcountll(row.bitmap & elements));
}

bool address_wraps(const BitmapIm2col::Row& row, const BitmapIm2col::Parameters& parameters) {
    const std::uint64_t last = std::uint64_t{row.base} + values_shifted_out(row);
    return last >> parameters.address_bits != 0;
}

std::uint64_t all_ones(const BitmapIm2col::Parameters& parameters) {
    return ~std::uint64_t{0} >> (kMapRowBits - parameters.row_bits);
}

}  // namespace

void Im2colPlan::note_shape(const Row& row) {
    hit_if(one_element, row.length == 1);
    hit_if(longest, row.length == parameters_.row_bits);
    hit_if(one_column, row.filter_width == 1 && row.length > 1);
    hit_if(one_output, row.filter_width == row.length && row.length > 1);
    const std::uint32_t left = (row.length - row.filter_width) % 2;
    hit_if(no_rest, row.stride2 != 0 && row.filter_width < row.length && left == 0);
    hit_if(rest, row.stride2 != 0 && left != 0);
    hit_if(wraps, address_wraps(row, parameters_));
    const bool whole = row.length == parameters_.row_bits;
    const std::uint64_t elements =
        whole ? row.bitmap : row.bitmap & ((std::uint64_t{1} << row.length) - 1);
    hit_if(noise, elements != row.bitmap);
    hit_if(no_value, elements == 0);
    hit_if(all_values, row.bitmap == all_ones(parameters_) && whole);
    if (elements_read(row) == parameters_.row_bits) sample(bitmap_, row.bitmap);
    sample(stride2_, row.stride2);
    sample(base_, row.base);
}

void Im2colPlan::take_row(const Row& row, const BitmapIm2col& block, bool waits) {
    hit_if(into_empty, block.idle());
    hit_if(back_to_back, block.lowers());
    hit_if(beside_wait, waits);
    hit_if(no_filter, row.filter_width == 0 && row.length <= parameters_.row_bits);
    hit_if(wide_filter, row.filter_width > row.length && row.length <= parameters_.row_bits);
    hit_if(long_row, row.length > parameters_.row_bits && row.filter_width != 0 &&
                         row.filter_width <= parameters_.row_bits);
    hit_if(after_error, behind_error_ && BitmapIm2col::fits(row, parameters_.row_bits));
    behind_error_ = !BitmapIm2col::fits(row, parameters_.row_bits);
    sample(length_, row.length);
    sample(filter_, row.filter_width);
    if (!behind_error_) note_shape(row);
}

void Im2colPlan::take_column(const Column& column) {
    hit_if(empty_column, column.length == 0 && column.error == 0);
    hit_if(full_column, column.count == parameters_.row_bits);
    hit_if(between, column.length > column.count && column.count != 0);
    hit_if(only_between, column.length != 0 && column.count == 0);
    sample(first_given_, column.first);
    sample(last_given_, column.last);
    sample(error_given_, column.error);
    if (column.error != 0) return;
    sample(bitmap_given_, column.bitmap);
    sample(window_given_, column.window);
    sample(address_given_, column.address);
    sample(length_given_, column.length);
    sample(count_given_, column.count);
}

BitmapIm2col::Inputs Im2colError::seen_by_rtl(const BitmapIm2col::Inputs& in,
                                              const BitmapIm2col& block) const {
    if (stuck.pin.empty() && wrong.empty()) return in;
    BitmapIm2col::Inputs seen = in;
    for (const im2col_pins::InputPin* pin : im2col_pins::kAll) pin->stick(seen, stuck);
    const auto is = [this](std::string_view situation) { return wrong == situation; };
    const BitmapIm2col::Row& row = in.row;
    const bool good = BitmapIm2col::fits(row, parameters.row_bits);
    if (is("row without a filter") && row.filter_width == 0) seen.row.filter_width = 1;
    if (is("filter that is wider than its row") && row.filter_width > row.length) {
        seen.row.filter_width = row.length;
    }
    if (is("row that is too long") && row.length > parameters.row_bits)
        seen.row.length = parameters.row_bits;
    if (is("row of one element") && good && row.length == 1) seen.row.bitmap ^= 1U;
    if (is("row of all elements") && row.length == parameters.row_bits)
        seen.row.length = parameters.row_bits - 1;
    if (is("filter of one column") && good && row.filter_width == 1) seen.row.filter_width = 2;
    if (is("filter as wide as its row") && row.filter_width == row.length) ++seen.row.length;
    if (is("stride 2 without a rest") && good && row.stride2 != 0 &&
        (row.length - row.filter_width) % 2 == 0) {
        ++seen.row.filter_width;
    }
    if (is("stride 2 with a rest") && good && row.stride2 != 0 &&
        (row.length - row.filter_width) % 2 != 0) {
        ++seen.row.length;
    }
    if (is("row without a value") && good && row.bitmap == 0) seen.row.bitmap = 1;
    if (is("row of all values") && row.bitmap == all_ones(parameters)) seen.row.bitmap >>= 1U;
    if (is("address wraps") && good && address_wraps(row, parameters))
        seen.row.base ^= 1U << (parameters.address_bits - 1);
    if (is("row behind the last column of another") && block.lowers()) seen.row_valid = 0;
    if (is("column waits")) seen.column_ready = 1;
    return seen;
}

bool Im2colError::misses_reset(const BitmapIm2col& block, bool waits) const {
    return (wrong == "reset with a row being lowered" && block.lowers()) ||
           (wrong == "reset with a column that waits" && waits);
}

}  // namespace tessera
