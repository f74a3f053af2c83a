// Random products of sparse matrices in CSR.
#pragma once

#include <cstdint>
#include <random>

#include "sc_models/workload/csr/csr_product.h"

namespace tessera::test {

inline WorkloadConfig csr_product(std::uint32_t m, std::uint32_t n, std::uint32_t k, double zeros_a,
                                  double zeros_b) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kSparseGemm;
    config.kernel = ProductKernel::kSimt;
    config.sparse.method = ProductMethod::kDense;
    config.gemm = {m, n, k};
    config.sparse.a.sparsity = zeros_a;
    config.sparse.b.sparsity = zeros_b;
    return config;
}

/// Dense and nearly empty operands, with empty rows.
inline WorkloadConfig random_csr_product(std::mt19937_64& random) {
    const auto size = [&](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + random() % most);
    };
    const auto zeros = [&] { return static_cast<double>(random() % 100) / 100; };
    return csr_product(size(150), size(random() % 2 == 0 ? 40 : 400), size(80), zeros(), zeros());
}

}  // namespace tessera::test
