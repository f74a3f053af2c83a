// Sparse matrices in compressed rows (CSR).
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/sparse/bitmap_matrix.h"

namespace tessera {

/// A matrix in CSR: the elements of row r are those from begin[r] to begin[r + 1], by ascending
/// column. Without values `values` is empty.
struct CsrMatrix {
    std::uint64_t columns = 0;
    std::vector<std::uint32_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<float> values;

    [[nodiscard]] std::uint64_t rows() const { return begin.size() - 1; }
    [[nodiscard]] std::uint64_t elements() const { return column.size(); }

    /// Rows are the lines of `matrix`, columns its k; or with `turned` the other way round.
    [[nodiscard]] static CsrMatrix of(const BitmapMatrix& matrix, bool turned);
};

}  // namespace tessera
