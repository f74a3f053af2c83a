#include "sc_models/study/im2col_methods.h"

#include <algorithm>
#include <limits>

namespace tessera {
namespace {

/// Replaces Im2colOperations where nothing is counted.
struct Uncounted {
    struct Nothing {
        void operator+=(std::uint64_t) const {}
        void operator++() const {}
    };
    Nothing shifts, masks, popcounts, adds, index_reads, value_reads;
};

std::uint32_t popcount(std::uint64_t bits) {
    return static_cast<std::uint32_t>(__builtin_popcountll(bits));
}

/// Fills `out` in the order of the lowered feature map, for every column and output, with
/// element(row, column) of the feature map; zero outside the image.
template <class Element>
void for_each_element(const Im2colShape& shape, Lowered& out, Element&& element) {
    out.values.resize(std::uint64_t{shape.columns()} * shape.outputs());
    out.stored = out.values.size();
    float* next = out.values.data();
    for (std::uint32_t channel = 0; channel < shape.channels; ++channel) {
        for (std::uint32_t fh = 0; fh < shape.filter; ++fh) {
            for (std::uint32_t fw = 0; fw < shape.filter; ++fw) {
                for (std::uint32_t oh = 0; oh < shape.output_height(); ++oh) {
                    // Left of or above the image, h and w wrap around to large numbers.
                    const std::uint32_t h = oh + fh - shape.pad;
                    for (std::uint32_t ow = 0; ow < shape.output_width(); ++ow) {
                        const std::uint32_t w = ow + fw - shape.pad;
                        *next++ = h < shape.height && w < shape.width
                                      ? element(channel * shape.height + h, w)
                                      : 0.0F;
                    }
                }
            }
        }
    }
}

template <class Count>
void lower_dense(const FeatureMap& map, Lowered& out, Count& count) {
    const float* dense = map.dense().data();
    const std::uint32_t width = map.shape().width;
    for_each_element(map.shape(), out, [=, &count](std::uint32_t row, std::uint32_t w) {
        ++count.value_reads;
        return dense[std::uint64_t{row} * width + w];
    });
}

template <class Count>
void lower_csr_element(const FeatureMap& map, Lowered& out, Count& count) {
    const std::uint32_t* row_begin = map.row_begin().data();
    const std::uint32_t* column = map.column().data();
    const float* values = map.values().data();
    for_each_element(map.shape(), out, [=, &count](std::uint32_t row, std::uint32_t w) {
        count.index_reads += 2;
        const std::uint32_t end = row_begin[row + 1];
        for (std::uint32_t i = row_begin[row]; i < end; ++i) {
            ++count.index_reads;
            if (column[i] < w) continue;
            if (column[i] > w) break;
            ++count.value_reads;
            return values[i];
        }
        return 0.0F;
    });
}

template <class Count>
void lower_bitmap_element(const FeatureMap& map, Lowered& out, Count& count) {
    const std::uint32_t* row_begin = map.row_begin().data();
    const std::uint64_t* bitmap = map.bitmap().data();
    const float* values = map.values().data();
    const std::uint32_t words = map.words_per_row();
    for_each_element(map.shape(), out, [=, &count](std::uint32_t row, std::uint32_t w) {
        const std::uint64_t* word = bitmap + std::uint64_t{row} * words;
        ++count.shifts;
        ++count.masks;
        const std::uint64_t bit = std::uint64_t{1} << (w % 64);
        if ((word[w / 64] & bit) == 0) return 0.0F;
        ++count.masks;
        std::uint32_t place = row_begin[row] + popcount(word[w / 64] & (bit - 1));
        for (std::uint32_t before = 0; before < w / 64; ++before) place += popcount(word[before]);
        count.popcounts += w / 64 + 1;
        count.adds += w / 64 + 1;
        ++count.index_reads;
        ++count.value_reads;
        return values[place];
    });
}

/// Resizes `out` to its largest possible size; at most filter^2 windows contain a value.
void make_room(const FeatureMap& map, Lowered& out, bool indices) {
    const std::uint64_t most = map.values().size() * map.shape().filter * map.shape().filter;
    if (out.values.size() < most) out.values.resize(most);
    if (indices && out.index.size() < most) out.index.resize(most);
}

template <class Count>
void lower_csr_window(const FeatureMap& map, Lowered& out, Count& count) {
    const Im2colShape& shape = map.shape();
    make_room(map, out, true);
    out.begin.resize(shape.outputs() + 1);
    const std::uint32_t* column = map.column().data();
    std::uint32_t next = 0;
    std::uint32_t output = 0;
    for (std::uint32_t oh = 0; oh < shape.output_height(); ++oh) {
        for (std::uint32_t ow = 0; ow < shape.output_width(); ++ow) {
            out.begin[output++] = next;
            // First column of the window, clamped to the image.
            const std::uint32_t first = ow < shape.pad ? 0 : ow - shape.pad;
            const std::uint32_t end = ow + shape.filter;  // one past the window, plus pad
            for (std::uint32_t line = 0; line < shape.channels * shape.filter; ++line) {
                const std::uint32_t h = oh + line % shape.filter - shape.pad;
                if (h >= shape.height) continue;
                const std::uint32_t row = line / shape.filter * shape.height + h;
                std::uint32_t low = map.row_begin()[row];
                const std::uint32_t row_end = map.row_begin()[row + 1];
                count.index_reads += 2;
                for (std::uint32_t high = row_end; low < high;) {
                    const std::uint32_t middle = (low + high) / 2;
                    ++count.index_reads;
                    if (column[middle] < first) {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                for (; low < row_end; ++low) {
                    ++count.index_reads;
                    if (column[low] + shape.pad >= end) break;
                    ++count.value_reads;
                    out.index[next] = line * shape.filter + column[low] + shape.pad - ow;
                    out.values[next++] = map.values()[low];
                }
            }
        }
    }
    out.begin[output] = next;
    out.stored = next;
}

template <class Count>
void lower_csr_row(const FeatureMap& map, Lowered& out, Count& count) {
    const Im2colShape& shape = map.shape();
    make_room(map, out, true);
    out.begin.resize(shape.columns() + 1);
    std::uint32_t next = 0;
    for (std::uint32_t k = 0; k < shape.columns(); ++k) {
        out.begin[k] = next;
        const std::uint32_t fw = k % shape.filter;
        const std::uint32_t fh = k / shape.filter % shape.filter;
        const std::uint32_t first_row = k / shape.filter / shape.filter * shape.height;
        for (std::uint32_t oh = 0; oh < shape.output_height(); ++oh) {
            const std::uint32_t h = oh + fh - shape.pad;
            if (h >= shape.height) continue;
            count.index_reads += 2;
            const std::uint32_t end = map.row_begin()[first_row + h + 1];
            for (std::uint32_t i = map.row_begin()[first_row + h]; i < end; ++i) {
                ++count.index_reads;
                ++count.adds;
                const std::uint32_t ow = map.column()[i] + shape.pad - fw;
                if (ow >= shape.output_width()) continue;
                ++count.value_reads;
                out.index[next] = oh * shape.output_width() + ow;
                out.values[next++] = map.values()[i];
            }
        }
    }
    out.begin[shape.columns()] = next;
    out.stored = next;
}

std::uint32_t words_of_output_row(const Im2colShape& shape) {
    return (shape.output_width() + 63) / 64;
}

/// 64 bits of a row from bit `first` on, which may be negative; bits outside the row are zero.
template <class Count>
std::uint64_t bits_from(const std::uint64_t* row, std::int32_t words, std::int32_t first,
                        Count& count) {
    ++count.shifts;
    if (words == 1) {
        if (first <= -64 || first >= 64) return 0;
        return first < 0 ? *row << -first : *row >> first;
    }
    const std::int32_t word = first >> 6;
    const std::int32_t bit = first & 63;
    const auto at = [=](std::int32_t i) { return i >= 0 && i < words ? row[i] : 0; };
    if (bit == 0) return at(word);
    ++count.shifts;
    return at(word) >> bit | at(word + 1) << (64 - bit);
}

/// Step S2: the bits of up to 64 outputs; the first output reads bit `first` of the row (null:
/// outside the image).
template <class Count>
std::uint64_t window_bits(const std::uint64_t* row, std::int32_t words, std::int32_t first,
                          std::uint32_t outputs, Count& count) {
    if (row == nullptr) return 0;
    ++count.masks;
    const std::uint64_t bits = bits_from(row, words, first, count);
    return outputs < 64 ? bits & ((std::uint64_t{1} << outputs) - 1) : bits;
}

/// Step S3: the bit that leaves a row when it is shifted to `first`.
template <class Count>
std::uint32_t shifted_out(const std::uint64_t* row, std::int32_t first, Count& count) {
    if (row == nullptr || first <= 0) return 0;
    ++count.masks;
    ++count.adds;
    return *row >> static_cast<std::uint32_t>(first - 1) & 1U;  // a filter has at most 64 columns
}

/// Steps S1 to S4 for every output row of every column; kCopy: copies values, too.
template <bool kCopy, class Count>
void lower_bitmap_rows(const FeatureMap& map, Lowered& out, Count& count) {
    const Im2colShape& shape = map.shape();
    const std::uint32_t out_words = words_of_output_row(shape);
    const auto in_words = static_cast<std::int32_t>(map.words_per_row());
    const std::uint32_t pieces = shape.columns() * shape.output_height();
    if (kCopy) make_room(map, out, false);
    out.begin.resize(pieces);
    out.bitmap.resize(std::uint64_t{pieces} * out_words);
    std::uint32_t stored = 0;
    const auto lower_piece = [&](std::uint32_t piece, const std::uint64_t* row, std::int32_t first,
                                 std::uint32_t place) {
        out.begin[piece] = kCopy ? stored : place;
        for (std::uint32_t word = 0; word < out_words; ++word) {
            const std::uint64_t bits =
                window_bits(row, in_words, first + static_cast<std::int32_t>(64 * word),
                            shape.output_width() - 64 * word, count);
            out.bitmap[std::uint64_t{piece} * out_words + word] = bits;
            count.popcounts += row != nullptr ? 1U : 0U;
            const std::uint32_t length = popcount(bits);
            if (!kCopy) continue;
            std::copy_n(map.values().data() + place, length, out.values.data() + stored);
            count.value_reads += length;
            ++count.adds;
            place += length;
            stored += length;
        }
    };
    for (std::uint32_t line = 0; line < shape.channels * shape.filter; ++line) {
        for (std::uint32_t oh = 0; oh < shape.output_height(); ++oh) {
            const std::uint32_t h = oh + line % shape.filter - shape.pad;
            const bool inside = h < shape.height;
            const std::uint32_t number = line / shape.filter * shape.height + h;
            const std::uint64_t* row =
                inside ? map.bitmap().data() + std::uint64_t{number} * map.words_per_row()
                       : nullptr;
            std::uint32_t place =
                inside ? map.row_begin()[number] : 0;  // first value that is not shifted out
            count.index_reads += inside ? 1U : 0U;
            for (std::uint32_t fw = 0; fw < shape.filter; ++fw) {
                const std::int32_t first =
                    static_cast<std::int32_t>(fw) - static_cast<std::int32_t>(shape.pad);
                place += shifted_out(row, first, count);
                lower_piece((line * shape.filter + fw) * shape.output_height() + oh, row, first,
                            place);
            }
        }
    }
    out.stored = stored;
}

template <class Count>
void lower_with(Im2colMethod method, const FeatureMap& map, Lowered& out, Count& count) {
    switch (method) {
        case Im2colMethod::kDense:
            return lower_dense(map, out, count);
        case Im2colMethod::kCsrElement:
            return lower_csr_element(map, out, count);
        case Im2colMethod::kCsrWindow:
            return lower_csr_window(map, out, count);
        case Im2colMethod::kCsrRow:
            return lower_csr_row(map, out, count);
        case Im2colMethod::kBitmapElement:
            return lower_bitmap_element(map, out, count);
        case Im2colMethod::kBitmapRow:
            return lower_bitmap_rows<true>(map, out, count);
        case Im2colMethod::kBitmapAddress:
            return lower_bitmap_rows<false>(map, out, count);
    }
}

}  // namespace

void lower(Im2colMethod method, const FeatureMap& map, Lowered& out) {
    Uncounted nothing{};
    lower_with(method, map, out, nothing);
}

Im2colOperations lower_counted(Im2colMethod method, const FeatureMap& map, Lowered& out) {
    Im2colOperations count;
    lower_with(method, map, out, count);
    return count;
}

std::vector<float> expand(Im2colMethod method, const FeatureMap& map, const Lowered& lowered) {
    const Im2colShape& shape = map.shape();
    const std::uint64_t outputs = shape.outputs();
    std::vector<float> dense(shape.columns() * outputs);
    const bool by_window = method == Im2colMethod::kCsrWindow;
    if (by_window || method == Im2colMethod::kCsrRow) {
        for (std::uint64_t line = 0; line + 1 < lowered.begin.size(); ++line) {
            for (std::uint32_t i = lowered.begin[line]; i < lowered.begin[line + 1]; ++i) {
                const std::uint64_t other = lowered.index[i];
                dense[by_window ? other * outputs + line : line * outputs + other] =
                    lowered.values[i];
            }
        }
        return dense;
    }
    const bool copied = method == Im2colMethod::kBitmapRow;
    if (!copied && method != Im2colMethod::kBitmapAddress) return lowered.values;
    const std::uint32_t words = words_of_output_row(shape);
    const std::vector<float>& values = copied ? lowered.values : map.values();
    for (std::uint64_t piece = 0; piece < lowered.begin.size(); ++piece) {
        std::uint32_t next = lowered.begin[piece];
        for (std::uint32_t ow = 0; ow < shape.output_width(); ++ow) {
            const std::uint64_t word = lowered.bitmap[piece * words + ow / 64];
            if ((word >> (ow % 64) & 1U) == 0) continue;
            dense[piece * shape.output_width() + ow] = values[next++];
        }
    }
    return dense;
}

}  // namespace tessera
