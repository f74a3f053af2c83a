// Cycle-accurate bitmap im2col: lowers rows of a sparse feature map to columns of a matrix operand.
#pragma once

#include <cstdint>

namespace tessera {

inline constexpr std::uint32_t kMapRowBits = 64;  ///< longest row of a feature map, with padding

/// Bitmap-based im2col (dual-side sparse tensor core paper, IV-B, Figure 11, steps S1 to S4). A row
/// of a feature map of one channel gives one column of the lowered map for each column of the
/// filter. The row is shifted by one element for each column; the mask keeps the elements of the
/// outputs.
///
/// One `step` is one clock cycle; inputs and outputs are those of the RTL block of the same name.
/// Three registers in a row: the row, shifted in each cycle; the elements under the mask; the
/// column with its counts, at the output. From row_valid to column_valid 3 cycles, then one column
/// in each. Rows follow each other without a gap. Data holds while ready does not answer valid;
/// row_ready depends on column_ready of the same cycle.
class BitmapIm2col {
public:
    /// Sizes of the block, by default those of the RTL in the machine's size.
    struct Parameters {
        std::uint32_t row_bits = kMapRowBits;  ///< longest row, at most kMapRowBits
        std::uint32_t address_bits = 32;       ///< addresses wrap there
    };
    static constexpr std::uint32_t kLatency = 3;  ///< cycles from a row to its first column

    /// A row of a map, and how it is lowered. It fits if 1 <= filter_width <= length <=
    /// row_bits.
    struct Row {
        std::uint64_t bitmap = 0;  ///< bit c: element c is not zero; bits from `length` on mean
                                   ///< nothing
        std::uint32_t length = 0;  ///< elements, with those of the padding, which are zeros (R)
        std::uint32_t filter_width = 0;  ///< K
        std::uint32_t stride2 = 0;       ///< 0: the stride S is 1; 1: it is 2
        std::uint32_t base = 0;          ///< address of the row's first value
    };
    /// A column of the lowered map. That of a row that does not fit is zero, but for `first`,
    /// `last` and `error`.
    struct Column {
        std::uint64_t bitmap = 0;   ///< bit n: the element of output n is not zero
        std::uint64_t window = 0;   ///< elements from that of output 0 to that of the last output
        std::uint32_t address = 0;  ///< address of the first value of the window
        std::uint32_t length = 0;   ///< values of the window
        std::uint32_t count = 0;    ///< values of the column; all of the window if the stride is 1
        std::uint32_t first = 0;    ///< of its row
        std::uint32_t last = 0;
        std::uint32_t error = 0;  ///< the row does not fit
    };
    struct Inputs {
        std::uint32_t row_valid = 0;
        Row row;
        std::uint32_t column_ready = 0;
    };
    struct Outputs {
        std::uint32_t row_ready = 0;
        std::uint32_t column_valid = 0;
        Column column;
    };

    BitmapIm2col() = default;
    explicit BitmapIm2col(const Parameters& parameters) : parameters_(parameters) {}

    /// Advances one clock cycle. The reference is valid until the next call.
    const Outputs& step(const Inputs& in);
    void reset();
    /// Whether a row is being lowered: not all its columns have been made.
    [[nodiscard]] bool lowers() const { return row_valid_; }
    /// Whether there is no row and no column inside.
    [[nodiscard]] bool idle() const { return !row_valid_ && !masked_valid_ && !column_valid_; }

    [[nodiscard]] static bool fits(const Row& row, std::uint32_t row_bits = kMapRowBits) {
        return row.filter_width >= 1 && row.filter_width <= row.length && row.length <= row_bits;
    }
    /// Returns B = (R - K + S) / S, the outputs of a row that fits (IV-A).
    [[nodiscard]] static std::uint32_t outputs_of(const Row& row) {
        return ((row.length - row.filter_width) >> row.stride2) + 1;
    }
    /// Returns the even bits of a bitmap, side by side.
    [[nodiscard]] static std::uint64_t even_bits(std::uint64_t bitmap);

private:
    /// The row that is being lowered.
    struct Shifted {
        std::uint64_t bitmap = 0;        ///< bit 0: element of output 0 in this column
        std::uint64_t mask = 0;          ///< elements of the window
        std::uint32_t columns_left = 0;  ///< after this one
        std::uint32_t address = 0;
        std::uint32_t stride2 = 0;
        std::uint32_t first = 0;
        std::uint32_t error = 0;
    };
    /// Elements under the mask.
    struct Masked {
        std::uint64_t window = 0;
        std::uint32_t address = 0;
        std::uint32_t stride2 = 0;
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::uint32_t error = 0;
    };

    [[nodiscard]] Shifted begin(const Row& row) const;
    [[nodiscard]] static Masked mask(const Shifted& row);
    [[nodiscard]] static Column count(const Masked& masked);
    void shift();
    [[nodiscard]] std::uint32_t wrapped(std::uint64_t address) const {
        return static_cast<std::uint32_t>(address &
                                          ((std::uint64_t{1} << parameters_.address_bits) - 1));
    }

    Parameters parameters_;
    bool row_valid_ = false, masked_valid_ = false, column_valid_ = false;
    Shifted row_;
    Masked masked_;
    Column column_;
    Outputs out_;
};

}  // namespace tessera
