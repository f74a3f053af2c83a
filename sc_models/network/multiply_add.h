// The product of two matrices in FP32, for the reference values of networks.
#pragma once

#include <cstddef>

namespace tessera::network {

/// A matrix that another stands in transposed when `row` is 1.
struct MatrixView {
    const float* values = nullptr;
    std::size_t row = 0;     ///< elements from a row to the next
    std::size_t column = 1;  ///< and from a column to the next
};

/// c += a b for a of m x k, b of k x n and c of m x n with rows of n: every element adds its
/// products to what is there one after the other, k upwards, rounding product and sum to FP32.
void multiply_add(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                  const MatrixView& b, float* c);

}  // namespace tessera::network
