// Dense matrix product like those of BLAS libraries.
#pragma once

#include "sc_models/workload/library/dense_kernels.h"
#include "sc_models/workload/library/wgmma_kernel.h"
#include "sc_models/workload/staged/staged_product_kernel.h"
#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Inputs of the kernel choice for workload.gemm.
[[nodiscard]] DenseProblem problem_of_product(const WorkloadConfig& config);

/// D = A x B + C of workload.gemm with a kernel other than fragments: one of dense_kernels(), and a
/// SplitKReduction if k is divided. A, B, C and D are column-major, as in BLAS, with the leading
/// dimension of A and B a multiple of 16 bytes. Kernels compute the transposed product, whose
/// rows are the columns of D: D' = B' x A' + C'. With workload.gemm.order rows, D takes the place
/// of D', and A and B swap roles. An epilogue of the configuration requires FP16 results and
/// follows C; its columns are those of D', which are contiguous.
///
/// workload.gemm.operands bf16 and tf32 have the layout of halves and of floats. With int8 or uint8
/// a line has k integers, two in place of each half; D is INT32, or, with a requantization of the
/// configuration, bytes; its columns are those of D'.
///
/// With workload.structured_sparsity A, in BLAS order, is pruned and stored compressed: D is that
/// of the pruned product. Region "a" has the kept halves, "metadata" their metadata.
class LibraryProduct : public Workload {
public:
    /// Throws ConfigError for a division of k that leaves a part without a step, and
    /// std::logic_error for an epilogue of FP32 results.
    LibraryProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
                   const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    [[nodiscard]] std::unique_ptr<Operands> operands() const override;
    [[nodiscard]] std::vector<Reference> references() const override;

    [[nodiscard]] const DenseChoice& choice() const { return choice_; }
    /// Operands in BLAS order.
    [[nodiscard]] const ValueGenerator& a() const { return a_; }
    [[nodiscard]] const ValueGenerator& b() const { return b_; }

private:
    [[nodiscard]] DenseSide side_a() const;
    [[nodiscard]] DenseSide side_b() const;
    [[nodiscard]] WgmmaProduct of_warpgroups(const StagedProduct& staged) const;
    std::unique_ptr<StagedOperand> place(const std::string& region, DenseSide side);
    void write(const MemoryWriter& write, const std::string& region, const DenseSide& side,
               const ValueGenerator& values) const;
    void write_compressed(const MemoryWriter& write) const;
    void write_c(const MemoryWriter& write) const;
    [[nodiscard]] float c_at(std::uint64_t element) const;
    [[nodiscard]] std::uint32_t k_tiles() const;

    const bool structured_, multicast_;
    GemmShapeConfig shape_;  ///< in BLAS order
    DenseChoice choice_;
    ValueGenerator a_, b_, c_;
};

}  // namespace tessera
