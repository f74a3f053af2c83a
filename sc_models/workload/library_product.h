// A dense matrix product as BLAS libraries compute it.
#pragma once

#include "sc_models/workload/dense_kernels.h"
#include "sc_models/workload/staged_product_kernel.h"
#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// D = A x B + C of workload.gemm with a kernel other than fragments: one of dense_kernels(), and
/// a SplitKReduction where k is divided. A, B, C and D lie by columns, as in BLAS, with the leading
/// dimension of A and B a multiple of 8 elements. Kernels compute the transposed product, whose
/// rows are the columns of D: D' = B' x A' + C'. With workload.gemm.order rows, D is what would be
/// D' so, and A and B have each other's part. An epilogue of the configuration is on FP16 results
/// alone, behind C; its columns are those of D', which lie side by side.
class LibraryProduct : public Workload {
public:
    /// Throws ConfigError on a division of k that leaves a part without a step, and
    /// std::logic_error on an epilogue of FP32 results.
    LibraryProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
                   const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    [[nodiscard]] std::unique_ptr<Operands> operands() const override;
    [[nodiscard]] std::vector<Reference> references() const override;

    [[nodiscard]] const DenseChoice& choice() const { return choice_; }
    /// Operands as BLAS has them.
    [[nodiscard]] const ValueGenerator& a() const { return a_; }
    [[nodiscard]] const ValueGenerator& b() const { return b_; }

private:
    [[nodiscard]] DenseSide side_a() const;
    [[nodiscard]] DenseSide side_b() const;
    std::unique_ptr<StagedOperand> place(const std::string& region, DenseSide side);
    void write(const MemoryWriter& write, const std::string& region, const DenseSide& side,
               const ValueGenerator& values) const;
    void write_c(const MemoryWriter& write) const;
    [[nodiscard]] std::uint32_t k_tiles() const;

    GemmShapeConfig shape_;  ///< as BLAS has it
    DenseChoice choice_;
    ValueGenerator a_, b_, c_;
};

}  // namespace tessera
