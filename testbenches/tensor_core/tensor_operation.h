// Operations of a pair of tensor cores, and their naive results.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sc_models/common/types.h"

namespace tessera::testbench {

inline constexpr std::uint32_t kDense = 16, kSparse = 32, kDepth = 16;
inline constexpr std::uint32_t kAllOhmmas = 16 * 8;  ///< of a SpWMMA

/// Operands of a product: whole numbers, so that sums are exact in any order.
struct TensorValues {
    std::array<std::array<int, kDepth>, kSparse> a{};        ///< [row][k]; dense: 16 rows
    std::array<std::array<int, kDepth>, kSparse> a_right{};  ///< dense: A of columns 8 to 15
    std::array<std::array<int, kSparse>, kDepth> b{};        ///< [k][column]; dense: 16 columns
    std::array<std::array<int, kDense>, kDense> c{};         ///< dense
};

struct TensorOperation {
    enum class Kind : std::uint8_t { kProduct, kSpwmma, kFlush };
    Kind kind = Kind::kProduct;
    std::uint32_t warp = 0;                      ///< sparse and flush: the warp of the sums
    std::shared_ptr<const TensorValues> values;  ///< null: flush
};

/// OHMMAs of 8x16x1 that a SpWMMA needs, counted as the paper does (V-B1): each k-set takes the
/// groups of 8 non-zeros of A times the groups of 16 non-zeros of B.
[[nodiscard]] inline std::uint32_t naive_ohmmas(const TensorValues& values) {
    std::uint32_t ohmmas = 0;
    for (std::uint32_t k = 0; k < kDepth; ++k) {
        std::uint32_t rows = 0, columns = 0;
        for (std::uint32_t n = 0; n < kSparse; ++n) {
            if (values.a[n][k] != 0) ++rows;
            if (values.b[k][n] != 0) ++columns;
        }
        for (std::uint32_t i = 0; i < rows; i += 8) {
            for (std::uint32_t j = 0; j < columns; j += 16) ++ohmmas;
        }
    }
    return ohmmas;
}

/// Element of A x B of a SpWMMA.
[[nodiscard]] inline int naive_element(const TensorValues& values, std::uint32_t row,
                                       std::uint32_t column) {
    int sum = 0;
    for (std::uint32_t k = 0; k < kDepth; ++k) sum += values.a[row][k] * values.b[k][column];
    return sum;
}

/// Element of D = A x B + C of a dense product.
[[nodiscard]] inline int naive_dense(const TensorValues& values, std::uint32_t row,
                                     std::uint32_t column) {
    int sum = values.c[row][column];
    for (std::uint32_t k = 0; k < kDepth; ++k) {
        sum += (column < 8 ? values.a : values.a_right)[row][k] * values.b[k][column];
    }
    return sum;
}

}  // namespace tessera::testbench
