// Product of two sparse matrices in CSR on the CUDA cores.
#pragma once

#include <vector>

#include "sc_models/workload/csr/csr_kernels.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// C = A x B of workload.gemm with the zeros of workload.sparse, all three in CSR: a symbolic phase
/// that counts the elements of each row of C, a scan that makes row pointers of the counts, and a
/// numeric phase that computes and writes the elements. Each is a kernel; what a library does on
/// the host and in memory management between them takes no time. Values are FP32, those of the
/// halves of workload.sparse. Regions "a.begin", "a.column", "a.values", the same of b and c, and
/// "counts".
///
/// A row's table has twice as many slots as the row may need, rounded up to a power of two, and
/// not more than columns are: one size for all rows. The symbolic phase takes the products of a row
/// for what it may need, the numeric phase its elements.
///
/// Verified exactly: row pointers, and of each row the columns and values in any order; values are
/// sums of rounded products in ascending k.
class CsrProduct : public Workload {
public:
    /// Throws ConfigError if a row's table does not fit the shared memory of an SM.
    CsrProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
               const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;

    [[nodiscard]] const CsrMatrix& a() const { return a_; }
    [[nodiscard]] const CsrMatrix& b() const { return b_; }
    /// Row pointers of C.
    [[nodiscard]] const std::vector<std::uint32_t>& c_rows() const { return c_rows_; }

private:
    BitmapMatrix a_bits_, b_bits_;
    CsrMatrix a_, b_;
    std::vector<std::uint32_t> c_rows_{0};
};

}  // namespace tessera
