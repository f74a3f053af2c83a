#include "sc_models/workload/golden.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "sc_models/tensor_core/fedp.h"
#include "sc_models/tensor_core/feop.h"

namespace tessera {
namespace {

/// Cuts B into 16x16 blocks for mma_16x16x16: block (column / 16, k / 16), columns beyond n zero.
std::vector<HalfBits> gather_b(const Operands& operands, std::uint64_t n, std::uint64_t k) {
    const std::uint64_t blocks_k = k / kMmaSize;
    std::vector<HalfBits> blocks(round_up(n, std::uint64_t{kMmaSize}) * k);
    std::vector<HalfBits> column(k);
    for (std::uint64_t j = 0; j < n; ++j) {
        operands.b_column(j, column.data());
        for (std::uint64_t block = 0; block < blocks_k; ++block) {
            std::copy_n(&column[block * kMmaSize], kMmaSize,
                        &blocks[(j / kMmaSize * blocks_k + block) * kMmaElements +
                                j % kMmaSize * kMmaSize]);
        }
    }
    return blocks;
}

/// A product of fragments of 32 bytes a line.
using Multiply = void (*)(const HalfBits* a, const HalfBits* b, const float* c, float* d);

/// A product of fragments of elements of other than 2 bytes.
template <class Bits, void (*kProduct)(const Bits*, const Bits*, const float*, float*)>
void multiply_as(const HalfBits* a, const HalfBits* b, const float* c, float* d) {
    constexpr std::size_t kElements = kMmaElements * sizeof(HalfBits) / sizeof(Bits);
    Bits elements_a[kElements];
    Bits elements_b[kElements];
    std::memcpy(elements_a, a, sizeof elements_a);
    std::memcpy(elements_b, b, sizeof elements_b);
    kProduct(elements_a, elements_b, c, d);
}

Multiply multiply_of(TensorCoreKind kind, OperandType operands) {
    switch (operands) {
        case OperandType::kBf16:
            return mma_16x16x16_bf16;
        case OperandType::kTf32:
            return multiply_as<std::uint32_t, mma_16x16x8_tf32>;
        case OperandType::kFp8:
            return multiply_as<Fp8Bits, mma_16x16x32_fp8>;
        default:
            return kind == TensorCoreKind::kFedp ? mma_16x16x16 : owmma_16x16x16;
    }
}

/// Sum of `k` units of 2 bytes by FEDP units of elements of `Bits`, four at a time.
template <class Bits>
float sum_by(float (*unit)(const Bits*, const Bits*, float), const HalfBits* a, const HalfBits* b,
             std::uint64_t k, float sum) {
    constexpr std::uint64_t kStep = 4 * sizeof(Bits) / sizeof(HalfBits);
    for (std::uint64_t i = 0; i < k; i += kStep) {
        Bits elements_a[4];
        Bits elements_b[4];
        std::memcpy(elements_a, a + i, sizeof elements_a);
        std::memcpy(elements_b, b + i, sizeof elements_b);
        sum = unit(elements_a, elements_b, sum);
    }
    return sum;
}

float fedp_sum(OperandType type, const HalfBits* a, const HalfBits* b, std::uint64_t k, float sum) {
    switch (type) {
        case OperandType::kBf16:
            return sum_by<HalfBits>(fedp4_bf16, a, b, k, sum);
        case OperandType::kTf32:
            return sum_by<std::uint32_t>(fedp4_tf32, a, b, k, sum);
        case OperandType::kFp8:
            return sum_by<Fp8Bits>(fedp4_fp8, a, b, k, sum);
        default:
            return sum_by<HalfBits>(fedp4, a, b, k, sum);
    }
}

bool is_zero(HalfBits value) {
    return (value & 0x7fffU) == 0;
}

/// Comparison of a product of integers with INT32 sums, one product at a time.
class IntegerComparison {
public:
    IntegerComparison(const ProductShape& shape, const Operands& operands, const MemoryReader& read)
        : shape_(shape), operands_(operands), read_(read) {}

    VerificationReport run() {
        report_.checked = true;
        std::vector<std::vector<HalfBits>> columns(shape_.n, std::vector<HalfBits>(shape_.k));
        for (std::uint64_t j = 0; j < shape_.n; ++j) operands_.b_column(j, columns[j].data());
        std::vector<HalfBits> row(shape_.k);
        for (std::uint64_t i = 0; i < shape_.m; ++i) {
            operands_.a_row(i, row.data());
            for (std::uint64_t j = 0; j < shape_.n; ++j) {
                if (shape_.makes(i, j)) compare(i, j, product(row, columns[j]));
            }
        }
        return report_;
    }

private:
    [[nodiscard]] std::uint32_t product(const std::vector<HalfBits>& row,
                                        const std::vector<HalfBits>& column) const {
        const auto low = [](HalfBits pair) { return static_cast<std::int8_t>(pair & 0xffU); };
        const auto high = [](HalfBits pair) { return static_cast<std::int8_t>(pair >> 8U); };
        std::int64_t sum = 0;
        if (shape_.operands == OperandType::kUint8) {
            for (std::uint64_t k = 0; k < shape_.k; ++k) {
                sum += std::int64_t{row[k] & 0xffU} * low(column[k]) +
                       std::int64_t{row[k] >> 8U} * high(column[k]);
            }
            return static_cast<std::uint32_t>(sum);
        }
        for (std::uint64_t k = 0; k < shape_.k; ++k) {
            sum += std::int64_t{low(row[k])} * low(column[k]) +
                   std::int64_t{high(row[k])} * high(column[k]);
        }
        return static_cast<std::uint32_t>(sum);
    }

    [[nodiscard]] std::int32_t stored(std::uint64_t row, std::uint64_t column) const {
        const std::uint64_t element =
            (shape_.element ? shape_.element(row) : row * shape_.pitch) + column;
        if (!shape_.requantization) {
            std::int32_t whole = 0;
            read_(shape_.d + element * sizeof whole, &whole, sizeof whole);
            return whole;
        }
        std::uint8_t byte = 0;
        read_(shape_.d + element, &byte, sizeof byte);
        return shape_.has_unsigned_bytes ? byte : static_cast<std::int8_t>(byte);
    }

    void compare(std::uint64_t row, std::uint64_t column, std::uint32_t sum) {
        const std::int32_t expected = shape_.requantization
                                          ? shape_.requantization(sum, row, column)
                                          : static_cast<std::int32_t>(sum);
        const std::int32_t got = stored(row, column);
        const std::optional<std::int32_t> known =
            shape_.known ? shape_.known(row, column) : std::nullopt;
        ++report_.outputs;
        const bool is_right = got == expected && known.value_or(expected) == expected;
        if (is_right || report_.mismatches++ > 0) return;
        if (shape_.by_columns) std::swap(row, column);
        report_.first_mismatch = "D[" + std::to_string(row) + "][" + std::to_string(column) +
                                 "]: expected " + std::to_string(expected) + ", got " +
                                 std::to_string(got);
        if (known && *known != expected) {
            report_.first_mismatch += ", and " + std::to_string(*known) + " in the network";
        }
    }

    const ProductShape& shape_;
    const Operands& operands_;
    const MemoryReader& read_;
    VerificationReport report_;
};

class Comparison {
public:
    Comparison(TensorCoreKind kind, const ProductShape& shape, const Operands& operands,
               const MemoryReader& read, std::uint64_t seed)
        : kind_(kind),
          multiply_(multiply_of(kind, shape.operands)),
          operands_(operands),
          skipping_(operands.skipping()),
          read_(read),
          shape_(shape),
          blocks_k_(shape_.k / kMmaSize),
          b_(gather_b(operands, shape_.n, shape_.k)),
          rows_(kMmaSize * shape_.k),
          a_(kMmaSize * shape_.k),
          b_column_(shape_.k),
          random_(seed) {
        report_.checked = true;
    }

    VerificationReport run() {
        // CTA tiles consist of whole 16x16 blocks, so a block is computed as a whole or not at all.
        for (std::uint64_t row = 0; row < shape_.m; row += kMmaSize) {
            bool gathered = false;
            for (std::uint64_t column = 0; column < shape_.n; column += kMmaSize) {
                if (!shape_.makes(row, column)) continue;
                if (!gathered) gather_a(row);
                gathered = true;
                compare_block(row, column);
            }
        }
        return report_;
    }

private:
    /// Reads sixteen rows of A, as rows and in blocks; rows beyond m are zero.
    void gather_a(std::uint64_t first) {
        std::fill(rows_.begin(), rows_.end(), HalfBits{0});
        const std::uint64_t count = std::min<std::uint64_t>(kMmaSize, shape_.m - first);
        for (std::uint64_t i = 0; i < count; ++i) {
            operands_.a_row(first + i, &rows_[i * shape_.k]);
        }
        for (std::uint64_t block = 0; block < blocks_k_; ++block) {
            for (std::uint64_t i = 0; i < kMmaSize; ++i) {
                std::copy_n(&rows_[i * shape_.k + block * kMmaSize], kMmaSize,
                            &a_[block * kMmaElements + i * kMmaSize]);
            }
        }
    }

    void compare_block(std::uint64_t row, std::uint64_t column) {
        float expected[kMmaElements] = {};
        const std::uint64_t height = std::min<std::uint64_t>(kMmaSize, shape_.m - row);
        const std::uint64_t width = std::min<std::uint64_t>(kMmaSize, shape_.n - column);
        if (skipping_ != ZeroSkipping::kNone) {
            multiply_skipping(row, column, height, width, expected);
        } else {
            multiply(row, column, expected);
        }
        float stored[kMmaSize];
        for (std::uint64_t i = 0; i < height; ++i) {
            const std::uint64_t begin =
                shape_.element ? shape_.element(row + i) : (row + i) * shape_.pitch;
            read_stored(begin + column, width, stored);
            for (std::uint64_t j = 0; j < width; ++j) {
                const float golden = expected[i * kMmaSize + j];
                compare(row + i, column + j, golden, stored[j]);
                if (random_() % kScalarSample == 0) check_scalar(row, i, column + j, golden);
            }
        }
    }

    [[nodiscard]] float c_at(std::uint64_t row, std::uint64_t column) const {
        const bool there = shape_.c && row < shape_.m && column < shape_.n;
        return there ? shape_.c(row, column) : 0.0F;
    }

    /// Multiplies in parts of k, each added to the first when it is complete.
    void multiply(std::uint64_t row, std::uint64_t column, float* expected) {
        const HalfBits* const b = &b_[column / kMmaSize * blocks_k_ * kMmaElements];
        const std::uint64_t of_part = shape_.part_k > 0 ? shape_.part_k / kMmaSize : blocks_k_;
        const auto c = [&](std::size_t i) {
            return c_at(row + i / kMmaSize, column + i % kMmaSize);
        };
        for (std::uint64_t first = 0; first < blocks_k_; first += of_part) {
            float part[kMmaElements] = {};
            for (std::size_t i = 0; shape_.begins_with_c && i < kMmaElements; ++i) part[i] = c(i);
            const std::uint64_t end = std::min(first + of_part, blocks_k_);
            for (std::uint64_t block = first; block < end; ++block) {
                multiply_(&a_[block * kMmaElements], b + block * kMmaElements, part, part);
            }
            for (std::size_t i = 0; i < kMmaElements; ++i) {
                expected[i] = first == 0 ? part[i] : expected[i] + part[i];
            }
        }
        for (std::size_t i = 0; i < kMmaElements; ++i) {
            if (shape_.c && !shape_.begins_with_c) expected[i] += c(i);
            expected[i] = written(expected[i], row + i / kMmaSize, column + i % kMmaSize);
        }
    }

    /// Converts a sum to the value that the kernel writes.
    [[nodiscard]] float written(float sum, std::uint64_t row, std::uint64_t column) const {
        if (row >= shape_.m || column >= shape_.n) return sum;
        if (shape_.epilogue) sum = shape_.epilogue(sum, row, column);
        const Float16 format = format_of(shape_.operands);
        return shape_.halves ? to_float(to_bits(sum, format), format) : sum;
    }

    void read_stored(std::uint64_t element, std::uint64_t count, float* stored) {
        if (!shape_.halves) {
            read_(shape_.d + element * sizeof(float), stored, count * sizeof(float));
            return;
        }
        HalfBits halves[kMmaSize];
        read_(shape_.d + element * sizeof(HalfBits), halves, count * sizeof(HalfBits));
        const Float16 format = format_of(shape_.operands);
        std::transform(halves, halves + count, stored,
                       [format](HalfBits half) { return to_float(half, format); });
    }

    void multiply_skipping(std::uint64_t row, std::uint64_t column, std::uint64_t height,
                           std::uint64_t width, float* expected) {
        for (std::uint64_t j = 0; j < width; ++j) {
            operands_.b_column(column + j, b_column_.data());
            for (std::uint64_t i = 0; i < height; ++i) {
                const float sum = golden_element(kind_, &rows_[i * shape_.k], b_column_.data(),
                                                 shape_.k, 0.0F, skipping_);
                expected[i * kMmaSize + j] = written(sum, row + i, column + j);
            }
        }
    }

    void compare(std::uint64_t row, std::uint64_t column, float expected, float stored) {
        ++report_.outputs;
        if (float_bits(expected) == float_bits(stored)) return;
        if (report_.mismatches++ > 0) return;
        char text[160];
        if (shape_.by_columns) std::swap(row, column);
        std::snprintf(text, sizeof text, "D[%llu][%llu]: expected %a (0x%08x), got %a (0x%08x)",
                      static_cast<unsigned long long>(row), static_cast<unsigned long long>(column),
                      static_cast<double>(expected), float_bits(expected),
                      static_cast<double>(stored), float_bits(stored));
        report_.first_mismatch = text;
    }

    void check_scalar(std::uint64_t row, std::uint64_t block_row, std::uint64_t column,
                      float golden) {
        operands_.b_column(column, b_column_.data());
        const HalfBits* const a = &rows_[block_row * shape_.k];
        const std::uint64_t of_part = shape_.part_k > 0 ? shape_.part_k : shape_.k;
        const float c = c_at(row + block_row, column);
        float scalar = 0;
        for (std::uint64_t first = 0; first < shape_.k; first += of_part) {
            const float part = golden_element(
                kind_, a + first, b_column_.data() + first, std::min(of_part, shape_.k - first),
                shape_.begins_with_c ? c : 0.0F, skipping_, shape_.operands);
            scalar = first == 0 ? part : scalar + part;
        }
        if (shape_.c && !shape_.begins_with_c) scalar += c;
        scalar = written(scalar, row + block_row, column);
        ++report_.scalar_samples;
        report_.scalar_mismatches += float_bits(scalar) != float_bits(golden) ? 1 : 0;
    }

    const TensorCoreKind kind_;
    const Multiply multiply_;
    const Operands& operands_;
    const ZeroSkipping skipping_;
    const MemoryReader& read_;
    const ProductShape& shape_;
    const std::uint64_t blocks_k_;
    const std::vector<HalfBits> b_;
    std::vector<HalfBits> rows_, a_, b_column_;
    std::minstd_rand random_;
    VerificationReport report_;
};

}  // namespace

float golden_element(TensorCoreKind kind, const HalfBits* a, const HalfBits* b, std::uint64_t k,
                     float c, ZeroSkipping skipping, OperandType type) {
    float sum = c;
    if (kind == TensorCoreKind::kFedp) return fedp_sum(type, a, b, k, sum);
    const bool skip_b = skipping != ZeroSkipping::kNone;
    const bool skip_a = skipping == ZeroSkipping::kOfBoth;
    for (std::uint64_t i = 0; i < k; ++i) {
        if ((skip_a && is_zero(a[i])) || (skip_b && is_zero(b[i]))) continue;
        sum = float_from_bits(fp32_add(float_bits(sum), fp16_product(a[i], b[i])));
    }
    return sum;
}

void VerificationReport::add(const VerificationReport& part, const std::string& which) {
    checked = checked || part.checked;
    outputs += part.outputs;
    mismatches += part.mismatches;
    scalar_samples += part.scalar_samples;
    scalar_mismatches += part.scalar_mismatches;
    if (first_mismatch.empty() && !part.first_mismatch.empty()) {
        first_mismatch = which + ": " + part.first_mismatch;
    }
}

VerificationReport compare_with_golden(TensorCoreKind kind, const ProductShape& shape,
                                       const Operands& operands, const MemoryReader& read,
                                       std::uint64_t seed) {
    if (is_integer(shape.operands)) return IntegerComparison(shape, operands, read).run();
    return Comparison(kind, shape, operands, read, seed).run();
}

}  // namespace tessera
