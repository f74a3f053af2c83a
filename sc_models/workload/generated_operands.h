// Operands of a product of seeded values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "sc_models/workload/golden.h"
#include "sc_models/workload/value_generator.h"

namespace tessera {

/// Lines of k elements from two generators, padded with zeros.
class GeneratedOperands : public Operands {
public:
    /// Element i * k + l is A[i][l], j * k + l is B[l][j]. Both generators must outlive this.
    GeneratedOperands(const ValueGenerator& a, const ValueGenerator& b, std::uint64_t k,
                      std::uint64_t padded_k)
        : a_(a), b_(b), k_(k), padded_k_(padded_k) {}

    void a_row(std::uint64_t row, HalfBits* out) const override { fill(a_, row, out); }
    void b_column(std::uint64_t column, HalfBits* out) const override { fill(b_, column, out); }

private:
    void fill(const ValueGenerator& values, std::uint64_t line, HalfBits* out) const {
        for (std::uint64_t i = 0; i < k_; ++i) out[i] = values(line * k_ + i);
        std::fill(out + k_, out + padded_k_, HalfBits{0});
    }

    const ValueGenerator &a_, &b_;
    std::uint64_t k_, padded_k_;
};

/// Name of a product in results: gemm.MxNxK.
[[nodiscard]] inline std::string product_name(const GemmShapeConfig& shape) {
    return "gemm." + std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" +
           std::to_string(shape.k);
}

}  // namespace tessera
