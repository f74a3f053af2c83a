// Naive reference of the accumulation buffer: floats by bank and word, added one after the other.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tessera::testbench {

inline constexpr std::uint32_t kBanks = 128, kWords = 8;

/// An operation of the buffer.
struct BufferOperation {
    enum class Kind : std::uint8_t { kSparse, kDense, kPreload, kDrain, kDrainAndClear };
    Kind kind = Kind::kSparse;
    bool first = false, last = false;  ///< dense
    std::uint32_t word = 0;            ///< dense and preload
    std::uint32_t row_valid = 0, column_valid = 0;
    std::array<std::uint32_t, 8> row{};
    std::array<std::uint32_t, 16> column{};
    std::array<std::uint32_t, kBanks> data{};  ///< products or preloaded sums, as FP32 bits
    std::array<std::uint32_t, kBanks> c{};     ///< dense and first
};

/// Sums of a 32x32 tile.
class NaiveBuffer {
public:
    using Row = std::array<std::uint32_t, kBanks>;

    /// Bank of an element of the tile: rows r mod 4 have 32 banks each, in which the columns of
    /// rows r, r + 4, ... are swizzled.
    [[nodiscard]] static std::uint32_t bank_of(std::uint32_t row, std::uint32_t column) {
        return row % 4 * 32 + (column ^ (row / 4 * 4));
    }
    [[nodiscard]] static std::uint32_t word_of(std::uint32_t row) { return row / 4; }

    /// Executes an operation. Returns the sums of a dense one.
    Row perform(const BufferOperation& operation) {
        using Kind = BufferOperation::Kind;
        if (operation.kind == Kind::kSparse) add_sparse(operation);
        if (operation.kind == Kind::kDense) return add_dense(operation);
        if (operation.kind == Kind::kPreload) {
            for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
                sums_[operation.word][bank] = positive(from_bits(operation.data[bank]));
            }
        }
        return {};
    }
    [[nodiscard]] Row row(std::uint32_t word) const {
        Row bits{};
        for (std::uint32_t bank = 0; bank < kBanks; ++bank) bits[bank] = to_bits(sums_[word][bank]);
        return bits;
    }
    void clear() { sums_ = {}; }

private:
    [[nodiscard]] static float from_bits(std::uint32_t bits) {
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    /// Each NaN that an addition makes has the same bits.
    [[nodiscard]] static std::uint32_t to_bits(float value) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    /// A sum never starts at -0.
    [[nodiscard]] static float positive(float value) { return value == 0 ? 0.0F : value; }
    [[nodiscard]] static float sum(float x, float y) {
        const float result = x + y;
        return std::isnan(result) ? from_bits(0x7fffffff) : result;
    }
    void add_sparse(const BufferOperation& operation) {
        for (std::uint32_t i = 0; i < 8; ++i) {
            for (std::uint32_t j = 0; j < 16; ++j) {
                if ((operation.row_valid >> i) % 2 == 0) continue;
                if ((operation.column_valid >> j) % 2 == 0) continue;
                float& element = sums_[word_of(operation.row[i])]
                                      [bank_of(operation.row[i], operation.column[j])];
                element = sum(element, from_bits(operation.data[16 * i + j]));
            }
        }
    }
    Row add_dense(const BufferOperation& operation) {
        for (std::uint32_t bank = 0; bank < kBanks; ++bank) {
            float& element = sums_[operation.word][bank];
            if (operation.first) element = positive(from_bits(operation.c[bank]));
            element = sum(element, from_bits(operation.data[bank]));
        }
        return row(operation.word);
    }

    std::array<std::array<float, kBanks>, kWords> sums_{};
};

}  // namespace tessera::testbench
