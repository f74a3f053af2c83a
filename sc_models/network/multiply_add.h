// Product of two FP32 matrices, for the reference values of networks.
#pragma once

#include <cstddef>

namespace tessera::network {

/// View of a matrix by strides; row = 1 views another matrix transposed.
struct MatrixView {
    const float* values = nullptr;
    std::size_t row = 0;     ///< stride between rows, in elements
    std::size_t column = 1;  ///< stride between columns
};

/// Computes c += a b for a of m x k, b of k x n and contiguous c of m x n. Each element of c
/// accumulates its products one after the other, k upwards, rounding product and sum to FP32.
void multiply_add(std::size_t m, std::size_t n, std::size_t k, const MatrixView& a,
                  const MatrixView& b, float* c);

}  // namespace tessera::network
