#include "sc_models/network/multiply_add.h"

#include <algorithm>
#include <vector>

#include "sc_models/common/interrupt.h"
#include "sc_models/tensor_core/vector_clones.h"

namespace tessera::network {
namespace {

/// Block sizes: a strip of c and of b stays in the host's cache.
constexpr std::size_t kRows = 4, kColumns = 256, kDepth = 64;

/// c[r][x] += a[r][l] b[l][x] for kRows rows, `columns` columns and `depth` l.
TESSERA_VECTOR_CLONES void add_strip(std::size_t columns, std::size_t depth, const float* a,
                                     const float* b, std::size_t b_row, float* c,
                                     std::size_t c_row) {
    float* c0 = c;
    float* c1 = c + c_row;
    float* c2 = c + 2 * c_row;
    float* c3 = c + 3 * c_row;
    for (std::size_t l = 0; l < depth; ++l) {
        const float* row = b + l * b_row;
        const float a0 = a[l * kRows];
        const float a1 = a[l * kRows + 1];
        const float a2 = a[l * kRows + 2];
        const float a3 = a[l * kRows + 3];
        for (std::size_t x = 0; x < columns; ++x) {
            c0[x] += a0 * row[x];
            c1[x] += a1 * row[x];
            c2[x] += a2 * row[x];
            c3[x] += a3 * row[x];
        }
    }
}

}  // namespace

void multiply_add(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                  const MatrixView& b, float* c) {
    std::vector<float> strip_of_a(kRows * kDepth);
    std::vector<float> strip_of_b(kDepth * kColumns);
    std::vector<float> strip_of_c(kRows * kColumns);
    for (std::size_t x = 0; x < n; x += kColumns) {
        const std::size_t columns = std::min(kColumns, n - x);
        for (std::size_t l = 0; l < k; l += kDepth) {
            const std::size_t depth = std::min(kDepth, k - l);
            stop_if_interrupted();
            for (std::size_t i = 0; i < depth; ++i) {
                for (std::size_t j = 0; j < columns; ++j) {
                    strip_of_b[i * kColumns + j] = b.values[(l + i) * b.row + (x + j) * b.column];
                }
            }
            for (std::size_t y = 0; y < m; y += kRows) {
                const std::size_t rows = std::min(kRows, m - y);
                for (std::size_t r = 0; r < rows; ++r) {
                    for (std::size_t i = 0; i < depth; ++i) {
                        strip_of_a[i * kRows + r] = a.values[(y + r) * a.row + (l + i) * a.column];
                    }
                    std::copy_n(c + (y + r) * n + x, columns, &strip_of_c[r * kColumns]);
                }
                add_strip(columns, depth, strip_of_a.data(), strip_of_b.data(), kColumns,
                          strip_of_c.data(), kColumns);
                for (std::size_t r = 0; r < rows; ++r) {
                    std::copy_n(&strip_of_c[r * kColumns], columns, c + (y + r) * n + x);
                }
            }
        }
    }
}

}  // namespace tessera::network
