#include "sc_models/workload/csr/csr_matrix.h"

#include "sc_models/tensor_core/half.h"

namespace tessera {

CsrMatrix CsrMatrix::of(const BitmapMatrix& matrix, bool turned) {
    const std::uint64_t rows = turned ? matrix.k() : matrix.lines();
    CsrMatrix csr;
    csr.columns = turned ? matrix.lines() : matrix.k();
    csr.begin.assign(rows + 1, 0);
    // Lines ascend within a row of the turned matrix, k within a line.
    const auto visit = [&matrix](const auto& use) {
        for (std::uint32_t line_tile = 0; line_tile < matrix.line_tiles(); ++line_tile) {
            for (std::uint32_t r = 0; r < kSparseTileLines; ++r) {
                const std::uint64_t line = std::uint64_t{line_tile} * kSparseTileLines + r;
                if (line >= matrix.lines()) break;
                for (std::uint32_t k_tile = 0; k_tile < matrix.k_tiles(); ++k_tile) {
                    const std::uint64_t tile = matrix.tile(line_tile, k_tile);
                    if (matrix.tile_empty(tile)) continue;
                    const std::uint32_t* const masks = matrix.masks(tile);
                    for (std::uint32_t i = 0; i < kSparseTileK; ++i) {
                        const std::uint64_t k = std::uint64_t{k_tile} * kSparseTileK + i;
                        if ((masks[i] >> r & 1U) != 0 && k < matrix.k()) use(line, k);
                    }
                }
            }
        }
    };
    visit([&](std::uint64_t line, std::uint64_t k) { ++csr.begin[(turned ? k : line) + 1]; });
    for (std::uint64_t row = 0; row < rows; ++row) csr.begin[row + 1] += csr.begin[row];
    csr.column.resize(csr.begin.back());
    if (matrix.has_values()) csr.values.resize(csr.begin.back());
    std::vector<std::uint32_t> next(csr.begin.begin(), csr.begin.end() - 1);
    visit([&](std::uint64_t line, std::uint64_t k) {
        const std::uint32_t at = next[turned ? k : line]++;
        csr.column[at] = static_cast<std::uint32_t>(turned ? line : k);
        if (matrix.has_values()) csr.values[at] = half_to_float(matrix.at(line, k));
    });
    return csr;
}

}  // namespace tessera
