#include "sc_models/tensor_core/bitmap_im2col.h"

namespace tessera {
namespace {

std::uint32_t values_in(std::uint64_t bitmap) {
    return static_cast<std::uint32_t>(__builtin_popcountll(bitmap));
}

/// `bits` ones, 1 to 64.
std::uint64_t low_ones(std::uint32_t bits) {
    return ~std::uint64_t{0} >> (64 - bits);
}

}  // namespace

std::uint64_t BitmapIm2col::even_bits(std::uint64_t bitmap) {
    std::uint64_t even = 0;
    for (std::uint32_t n = 0; n < kMapRowBits / 2; ++n) even |= (bitmap >> 2 * n & 1U) << n;
    return even;
}

/// S1: takes a row, and makes the mask of its outputs. The mask of a row that does not fit is
/// empty.
BitmapIm2col::Shifted BitmapIm2col::begin(const Row& row) const {
    Shifted begun;
    begun.bitmap = row.bitmap;
    begun.stride2 = row.stride2;
    begun.first = 1;
    begun.error = fits(row, parameters_.row_bits) ? 0 : 1;
    if (begun.error != 0) return begun;
    begun.mask = low_ones(((outputs_of(row) - 1) << row.stride2) + 1);
    begun.columns_left = row.filter_width - 1;
    begun.address = row.base;
    return begun;
}

/// S2: applies the mask.
BitmapIm2col::Masked BitmapIm2col::mask(const Shifted& row) {
    Masked masked;
    masked.window = row.bitmap & row.mask;
    masked.address = row.address;
    masked.stride2 = row.stride2;
    masked.first = row.first;
    masked.last = row.columns_left == 0 ? 1 : 0;
    masked.error = row.error;
    return masked;
}

/// S2 and S3: shifts the row by an element, and adds what was shifted out to the address.
void BitmapIm2col::shift() {
    row_.address = wrapped(row_.address + (row_.bitmap & 1U));
    row_.bitmap >>= 1U;
    --row_.columns_left;
    row_.first = 0;
}

/// S4: counts the values under the mask.
BitmapIm2col::Column BitmapIm2col::count(const Masked& masked) {
    Column column;
    column.bitmap = masked.stride2 != 0 ? even_bits(masked.window) : masked.window;
    column.window = masked.window;
    column.address = masked.address;
    column.length = values_in(masked.window);
    column.count = values_in(column.bitmap);
    column.first = masked.first;
    column.last = masked.last;
    column.error = masked.error;
    return column;
}

void BitmapIm2col::reset() {
    row_valid_ = false;
    masked_valid_ = false;
    column_valid_ = false;
}

const BitmapIm2col::Outputs& BitmapIm2col::step(const Inputs& in) {
    out_.column_valid = column_valid_ ? 1 : 0;
    out_.column = column_;

    const bool column_moves = !column_valid_ || in.column_ready != 0;
    const bool masked_moves = !masked_valid_ || column_moves;
    const bool done = row_valid_ && masked_moves && row_.columns_left == 0;
    out_.row_ready = !row_valid_ || done ? 1 : 0;

    if (column_moves) {
        column_valid_ = masked_valid_;
        if (masked_valid_) column_ = count(masked_);
    }
    if (masked_moves) {
        masked_valid_ = row_valid_;
        if (row_valid_) masked_ = mask(row_);
    }
    if (done) row_valid_ = false;
    if (row_valid_ && masked_moves) shift();
    if (in.row_valid != 0 && out_.row_ready != 0) {
        row_valid_ = true;
        row_ = begin(in.row);
    }
    return out_;
}

}  // namespace tessera
