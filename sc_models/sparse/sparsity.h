// Generator of the non-zero pattern and values of a sparse operand, seeded per element.
#pragma once

#include <cstdint>

#include "sc_models/config/sparsity_config.h"
#include "sc_models/sparse/bitmap_matrix.h"
#include "sc_models/sparse/matrix_market.h"

namespace tessera {

/// The two operands of a product. Lines of A are its rows; lines of B are its columns.
enum class SparseOperand : std::uint64_t { kA = 1, kB = 2 };

/// Generates the elements and values of an operand from their position alone: the result does not
/// depend on the caller, the tile or the order of calls. It uses integer arithmetic and single IEEE
/// operations only, so it is the same on any machine.
class SparsityGenerator {
public:
    /// Throws ConfigError, naming the operand's key under workload.sparse, if the pattern cannot
    /// have the sparsity: kVectorWise keeps sixteenths. Ignores `config.file`.
    SparsityGenerator(const SparsityConfig& config, std::uint64_t seed, SparseOperand operand);

    /// Writes the 16 masks of a tile, in the format of BitmapMatrix.
    void masks(std::uint32_t line_tile, std::uint32_t k_tile, std::uint32_t* masks) const;

    /// Returns a value uniform in (-1, 1) and never zero: an odd multiple of 2^-24, rounded to
    /// half.
    [[nodiscard]] HalfBits value(std::uint64_t line, std::uint64_t k) const;

    /// Generates the whole operand, with values or as a pattern.
    [[nodiscard]] BitmapMatrix make(std::uint64_t lines, std::uint64_t k, bool values) const;

private:
    void clustered(std::uint64_t line, std::uint64_t k, std::uint32_t* masks) const;
    void blocks(std::uint64_t line, std::uint64_t k, std::uint32_t* masks) const;
    void vector_wise(std::uint64_t line, std::uint64_t k, std::uint32_t* masks) const;

    SparsityPattern pattern_;
    std::uint64_t keep_below_;  ///< uniform: threshold, out of 2^32
    double alpha_, concentration_;
    std::uint32_t kept_of_16_;
    std::uint64_t pattern_key_, value_key_;
};

/// Creates the operand of a configuration: generated, or read from its file, whose rows and columns
/// must then match the operand (A: lines x k; B: k x lines). Throws ConfigError.
[[nodiscard]] BitmapMatrix make_sparse_operand(const SparsityConfig& config, std::uint64_t seed,
                                               SparseOperand operand, std::uint64_t lines,
                                               std::uint64_t k, bool values,
                                               MatrixFileOptions options = {});

}  // namespace tessera
