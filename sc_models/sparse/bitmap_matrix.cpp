#include "sc_models/sparse/bitmap_matrix.h"

#include <algorithm>
#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint32_t kHalvesPerUnit = kValueAlignmentBytes / sizeof(HalfBits);

bool is_zero(HalfBits value) {
    return (value & 0x7fffU) == 0;
}

bool is_nonfinite(HalfBits value) {
    return (value & 0x7c00U) == 0x7c00U;
}

std::uint32_t popcount(std::uint32_t bits) {
    return static_cast<std::uint32_t>(__builtin_popcount(bits));
}

std::uint64_t units_of(std::uint64_t values) {
    return (values + kHalvesPerUnit - 1) / kHalvesPerUnit;
}

/// Computes the masks of a tile, with `first` at its element (line 0, k 0), and whether some
/// element is not finite.
bool masks_of(const HalfBits* first, std::uint64_t pitch, std::uint32_t* masks) {
    std::fill_n(masks, kSparseTileK, 0U);
    std::uint32_t nonfinite = 0;
    for (std::uint32_t r = 0; r < kSparseTileLines; ++r) {
        const HalfBits* line = first + r * pitch;
        for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
            masks[k] |= static_cast<std::uint32_t>(!is_zero(line[k])) << r;
            nonfinite |= static_cast<std::uint32_t>(is_nonfinite(line[k]));
        }
    }
    return nonfinite != 0;
}

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
    throw ConfigError((file.empty() ? "" : file + ": ") + what);
}

std::string in_tile(const char* array, std::uint64_t id) {
    return std::string(array) + ": tile " + std::to_string(id);
}

void check_size(const std::string& file, const char* array, std::uint64_t got,
                std::uint64_t expected, const char* unit) {
    if (got == expected) return;
    refuse(file, std::string(array) + ": got " + std::to_string(got) + " " + unit + ", expected " +
                     std::to_string(expected));
}

}  // namespace

const std::uint32_t BitmapMatrix::kNoMasks[kSparseTileK] = {};

BitmapMatrix::BitmapMatrix(std::uint64_t lines, std::uint64_t k) : lines_(lines), k_(k) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 28U;  // about 7 GB of descriptors and
                                                              // counts
    const std::uint64_t line_tiles = (lines + kSparseTileLines - 1) / kSparseTileLines;
    const std::uint64_t k_tiles = (k + kSparseTileK - 1) / kSparseTileK;
    if (line_tiles >= kMost || k_tiles >= kMost || line_tiles * k_tiles >= kMost) {
        throw ConfigError("bitmap matrix: got " + std::to_string(lines) + " lines of " +
                          std::to_string(k) + ", expected less than 2^28 tiles of 32 x 16");
    }
    line_tiles_ = static_cast<std::uint32_t>(line_tiles);
    k_tiles_ = static_cast<std::uint32_t>(k_tiles);
    const std::uint64_t tiles = line_tiles * k_tiles;
    arrays_.warp_bitmap.reserve((tiles + 31) / 32);
    warp_rank_.reserve((tiles + 31) / 32);
    arrays_.tile_desc.reserve(tiles);
    tile_nnz_.reserve(tiles);
    counts_.reserve(tiles * kSparseTileK);
}

std::uint32_t BitmapMatrix::inside(std::uint32_t line_tile, std::uint64_t k) const {
    if (k >= k_) return 0;
    const std::uint64_t left = lines_ - std::uint64_t{line_tile} * kSparseTileLines;
    return left >= kSparseTileLines ? ~0U : (1U << left) - 1;
}

void BitmapMatrix::append(const std::uint32_t* masks, bool nonfinite) {
    const std::uint64_t id = tile_nnz_.size();
    std::uint32_t nnz = 0;
    for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
        counts_.push_back(static_cast<std::uint8_t>(popcount(masks[k])));
        nnz += counts_.back();
    }
    const std::uint64_t offset = values_bytes_ / kValueAlignmentBytes;
    if (offset + units_of(nnz) > kTileOffsetMask) {
        throw ConfigError("bitmap matrix: values of more than 4 GiB");
    }
    if (id % 32 == 0) {
        warp_rank_.push_back(static_cast<std::uint32_t>(nonempty_tiles()));
        arrays_.warp_bitmap.push_back(0);
    }
    arrays_.tile_desc.push_back(static_cast<std::uint32_t>(offset) |
                                (nnz == kSparseTileElements ? kTileFull : 0U) |
                                (nonfinite ? kTileNonfinite : 0U));
    tile_nnz_.push_back(static_cast<std::uint16_t>(nnz));
    nonfinite_tiles_ += nonfinite ? 1U : 0U;
    if (nnz == 0) return;
    arrays_.warp_bitmap.back() |= 1U << (id % 32);
    arrays_.elem_bitmap.insert(arrays_.elem_bitmap.end(), masks, masks + kSparseTileK);
    nnz_ += nnz;
    values_bytes_ += units_of(nnz) * kValueAlignmentBytes;
}

void BitmapMatrix::append_values(const std::uint32_t* masks, const HalfBits* lines,
                                 std::uint64_t pitch) {
    HalfBits packed[kSparseTileElements + kHalvesPerUnit] = {};
    std::uint64_t count = 0;
    for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
        for (std::uint32_t left = masks[k]; left != 0; left &= left - 1) {
            packed[count++] = lines[static_cast<std::uint32_t>(__builtin_ctz(left)) * pitch + k];
        }
    }
    arrays_.values.insert(arrays_.values.end(), packed, packed + units_of(count) * kHalvesPerUnit);
}

BitmapMatrix BitmapMatrix::encode(std::uint64_t lines, std::uint64_t k, const HalfBits* dense,
                                  std::uint64_t pitch) {
    const std::uint64_t stride = pitch == 0 ? k : pitch;
    const auto copy_line = [=](std::uint64_t line, HalfBits* out) {
        std::copy_n(dense + line * stride, k, out);
    };
    return encode(lines, k, LineSource(copy_line));
}

BitmapMatrix BitmapMatrix::encode(std::uint64_t lines, std::uint64_t k, const LineSource& source,
                                  bool values) {
    BitmapMatrix matrix(lines, k);
    matrix.has_values_ = values;
    const std::uint64_t pitch = std::uint64_t{matrix.k_tiles_} * kSparseTileK;
    std::vector<HalfBits> dense(kSparseTileLines * pitch);
    std::uint32_t masks[kSparseTileK];
    for (std::uint64_t first = 0; first < lines; first += kSparseTileLines) {
        const std::uint64_t count = std::min<std::uint64_t>(kSparseTileLines, lines - first);
        for (std::uint64_t r = 0; r < count; ++r) source(first + r, &dense[r * pitch]);
        std::fill(dense.begin() + static_cast<std::ptrdiff_t>(count * pitch), dense.end(),
                  HalfBits{0});
        for (std::uint64_t l = 0; l < pitch; l += kSparseTileK) {
            const bool nonfinite = masks_of(&dense[l], pitch, masks);
            matrix.append(masks, values && nonfinite);
            if (values) matrix.append_values(masks, &dense[l], pitch);
        }
    }
    return matrix;
}

template <class Visit>
void BitmapMatrix::for_each_tile(const MaskSource& source, Visit&& visit) const {
    std::uint32_t masks[kSparseTileK];
    for (std::uint32_t line_tile = 0; line_tile < line_tiles_; ++line_tile) {
        for (std::uint32_t k_tile = 0; k_tile < k_tiles_; ++k_tile) {
            source(line_tile, k_tile, masks);
            for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
                masks[l] &= inside(line_tile, std::uint64_t{k_tile} * kSparseTileK + l);
            }
            visit(line_tile, k_tile, masks);
        }
    }
}

BitmapMatrix BitmapMatrix::pattern(std::uint64_t lines, std::uint64_t k, const MaskSource& source) {
    BitmapMatrix matrix(lines, k);
    matrix.for_each_tile(source, [&](std::uint32_t, std::uint32_t, const std::uint32_t* masks) {
        matrix.append(masks, false);
    });
    return matrix;
}

BitmapMatrix BitmapMatrix::from_masks(std::uint64_t lines, std::uint64_t k,
                                      const MaskSource& source, const ValueSource& value) {
    BitmapMatrix matrix(lines, k);
    matrix.has_values_ = true;
    matrix.for_each_tile(source, [&](std::uint32_t line_tile, std::uint32_t k_tile,
                                     std::uint32_t* masks) {
        if (std::all_of(masks, masks + kSparseTileK, [](std::uint32_t m) { return m == 0; })) {
            matrix.append(masks, false);
            return;
        }
        HalfBits dense[kSparseTileElements] = {};
        for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
            for (std::uint32_t left = masks[l]; left != 0; left &= left - 1) {
                const auto r = static_cast<std::uint32_t>(__builtin_ctz(left));
                dense[r * kSparseTileK + l] = value(std::uint64_t{line_tile} * kSparseTileLines + r,
                                                    std::uint64_t{k_tile} * kSparseTileK + l);
            }
        }
        const bool nonfinite = masks_of(dense, kSparseTileK, masks);
        matrix.append(masks, nonfinite);
        matrix.append_values(masks, dense, kSparseTileK);
    });
    return matrix;
}

BitmapMatrix BitmapMatrix::from_arrays(std::uint64_t lines, std::uint64_t k, BitmapArrays arrays,
                                       const std::string& file) {
    BitmapMatrix matrix(lines, k);
    const std::uint64_t tiles = std::uint64_t{matrix.line_tiles_} * matrix.k_tiles_;
    check_size(file, "warp_bitmap", arrays.warp_bitmap.size(), (tiles + 31) / 32, "words");
    check_size(file, "tile_desc", arrays.tile_desc.size(), tiles, "words");
    if (tiles % 32 != 0 && arrays.warp_bitmap.back() >> (tiles % 32) != 0) {
        refuse(file, "warp_bitmap: bits beyond the last tile, " + std::to_string(tiles - 1));
    }
    std::uint64_t nonempty = 0;
    for (const std::uint32_t word : arrays.warp_bitmap) nonempty += popcount(word);
    check_size(file, "elem_bitmap", arrays.elem_bitmap.size(), nonempty * kSparseTileK, "words");

    // Derives the expected descriptors and values from the bitmaps.
    const std::uint32_t* masks = arrays.elem_bitmap.data();
    for (std::uint64_t id = 0; id < tiles; ++id) {
        const bool nonempty_tile = (arrays.warp_bitmap[id / 32] >> (id % 32) & 1U) != 0;
        matrix.append(nonempty_tile ? masks : kNoMasks,
                      (arrays.tile_desc[id] & kTileNonfinite) != 0);
        if (!nonempty_tile) continue;
        masks += kSparseTileK;
        if (matrix.tile_empty(id)) {
            refuse(file, in_tile("elem_bitmap", id) +
                             ": no bits, but warp_bitmap says the tile is not empty");
        }
    }
    std::swap(matrix.arrays_.tile_desc, arrays.tile_desc);
    matrix.arrays_.values = std::move(arrays.values);
    matrix.has_values_ = true;
    matrix.check(file, arrays.tile_desc);
    return matrix;
}

void BitmapMatrix::check(const std::string& file,
                         const std::vector<std::uint32_t>& expected_desc) const {
    const std::uint64_t stored_bytes = arrays_.values.size() * sizeof(HalfBits);
    for (std::uint64_t id = 0; id < tiles(); ++id) {
        const std::uint32_t desc = arrays_.tile_desc[id];
        const std::uint64_t offset = value_offset_bytes(id);
        const auto expected_offset =
            std::uint64_t{expected_desc[id] & kTileOffsetMask} * kValueAlignmentBytes;
        if (offset + tile_nnz_[id] * sizeof(HalfBits) > stored_bytes) {
            refuse(file, in_tile("tile_desc", id) + ", offset: values at " +
                             std::to_string(offset) + " end outside the value array of " +
                             std::to_string(stored_bytes) + " bytes");
        }
        if (offset != expected_offset) {
            refuse(file, in_tile("tile_desc", id) + ", offset: got " + std::to_string(offset) +
                             ", but the bits set before it put it at " +
                             std::to_string(expected_offset));
        }
        if (((desc ^ expected_desc[id]) & ~kTileOffsetMask) != 0) {
            refuse(file, in_tile("tile_desc", id) + ", flags: got " + std::to_string(desc >> 28U) +
                             ", expected " + std::to_string(expected_desc[id] >> 28U));
        }
        check_tile(file, id);
    }
    check_size(file, "values", stored_bytes, values_bytes_, "bytes");
}

void BitmapMatrix::check_tile(const std::string& file, std::uint64_t id) const {
    const auto line_tile = static_cast<std::uint32_t>(id / k_tiles_);
    const std::uint64_t first_k = id % k_tiles_ * kSparseTileK;
    for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
        if ((masks(id)[l] & ~inside(line_tile, first_k + l)) == 0) continue;
        refuse(file, in_tile("elem_bitmap", id) + ", k " + std::to_string(l) +
                         ": bits outside the matrix of " + std::to_string(lines_) + " x " +
                         std::to_string(k_));
    }
    const HalfBits* first = values(id);
    const HalfBits* end = first + tile_nnz_[id];
    if (std::any_of(first, end, is_nonfinite) != tile_nonfinite(id)) {
        refuse(file, in_tile("tile_desc", id) + ", nonfinite: got " +
                         (tile_nonfinite(id) ? "1, but every value is finite"
                                             : "0, but a value is not finite"));
    }
    // Values are nonzero and padding is zero, so the number of values must equal that of the bits.
    const HalfBits* padded = std::min(first + units_of(tile_nnz_[id]) * kHalvesPerUnit,
                                      arrays_.values.data() + arrays_.values.size());
    const auto zero = static_cast<std::uint64_t>(std::find_if(first, end, is_zero) - first);
    const bool more = std::any_of(end, padded, [](HalfBits value) { return value != 0; });
    if (zero < tile_nnz_[id] || more) {
        refuse(file, in_tile("values", id) + ": got " + (more ? "more" : std::to_string(zero)) +
                         " values, but its bitmap has " + std::to_string(tile_nnz_[id]) + " bits");
    }
}

BitmapMatrix BitmapMatrix::with_stored_zeros(const std::vector<bool>& at_k) const {
    BitmapMatrix matrix(lines_, k_);
    matrix.has_values_ = true;
    std::vector<HalfBits> dense(kSparseTileLines * k_);
    for (std::uint32_t line_tile = 0; line_tile < line_tiles_; ++line_tile) {
        decode_lines(line_tile, dense.data());
        for (std::uint32_t k_tile = 0; k_tile < k_tiles_; ++k_tile) {
            const std::uint64_t id = tile(line_tile, k_tile);
            const std::uint64_t first = std::uint64_t{k_tile} * kSparseTileK;
            std::uint32_t stored[kSparseTileK];
            for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
                const bool all = first + l < k_ && at_k[first + l];
                stored[l] = all ? inside(line_tile, first + l) : masks(id)[l];
            }
            matrix.append(stored, tile_nonfinite(id));
            matrix.append_values(stored, &dense[first], k_);
        }
    }
    return matrix;
}

std::vector<bool> BitmapMatrix::nonfinite_k() const {
    std::vector<bool> found(k_);
    for (std::uint64_t id = 0; id < tiles(); ++id) {
        if (!tile_nonfinite(id)) continue;
        const HalfBits* value = values(id);
        for (std::uint32_t l = 0; l < kSparseTileK; value += counts(id)[l++]) {
            if (!std::any_of(value, value + counts(id)[l], is_nonfinite)) continue;
            found[id % k_tiles_ * kSparseTileK + l] = true;
        }
    }
    return found;
}

HalfBits BitmapMatrix::at(std::uint64_t line, std::uint64_t k) const {
    if (!stored(line, k)) return 0;
    const std::uint64_t id = line / kSparseTileLines * k_tiles_ + k / kSparseTileK;
    const std::uint32_t below = (1U << (line % kSparseTileLines)) - 1;
    std::uint64_t index = popcount(masks(id)[k % kSparseTileK] & below);
    for (std::uint32_t l = 0; l < k % kSparseTileK; ++l) index += counts(id)[l];
    return values(id)[index];
}

bool BitmapMatrix::stored(std::uint64_t line, std::uint64_t k) const {
    const std::uint64_t id = line / kSparseTileLines * k_tiles_ + k / kSparseTileK;
    return (masks(id)[k % kSparseTileK] >> (line % kSparseTileLines) & 1U) != 0;
}

void BitmapMatrix::decode_lines(std::uint32_t line_tile, HalfBits* out) const {
    std::fill_n(out, kSparseTileLines * k_, HalfBits{0});
    for (std::uint32_t k_tile = 0; k_tile < k_tiles_; ++k_tile) {
        const std::uint64_t id = tile(line_tile, k_tile);
        const HalfBits* value = values(id);
        for (std::uint32_t l = 0; l < kSparseTileK; ++l) {
            HalfBits* element = out + std::uint64_t{k_tile} * kSparseTileK + l;
            for (std::uint32_t left = masks(id)[l]; left != 0; left &= left - 1) {
                element[static_cast<std::uint32_t>(__builtin_ctz(left)) * k_] = *value++;
            }
        }
    }
}

std::vector<HalfBits> BitmapMatrix::decode() const {
    std::vector<HalfBits> dense(std::uint64_t{line_tiles_} * kSparseTileLines * k_);
    for (std::uint32_t t = 0; t < line_tiles_; ++t) {
        decode_lines(t, dense.data() + std::uint64_t{t} * kSparseTileLines * k_);
    }
    dense.resize(lines_ * k_);
    return dense;
}

std::vector<float> BitmapMatrix::floats() const {
    const std::vector<HalfBits> halves = decode();
    std::vector<float> dense(halves.size());
    std::transform(halves.begin(), halves.end(), dense.begin(), half_to_float);
    return dense;
}

SparseOperands strict_operands(const BitmapMatrix& a, const BitmapMatrix& b) {
    return {a.with_stored_zeros(b.nonfinite_k()), b.with_stored_zeros(a.nonfinite_k())};
}

}  // namespace tessera
