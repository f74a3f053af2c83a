// A matrix product with zeros: dense, single-side or dual-side sparse.
#pragma once

#include "sc_models/sparse/bitmap_matrix.h"
#include "sc_models/workload/staged_product_kernel.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// D = A x B + C of workload.gemm whose operands have the zeros of workload.sparse. One kernel, a
/// StagedProductKernel.
class SparseProduct : public Workload {
public:
    SparseProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
                  const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    [[nodiscard]] std::unique_ptr<Operands> operands() const override;

    /// The operands as they are, whatever the method stores of them.
    [[nodiscard]] const BitmapMatrix& a() const { return a_; }
    [[nodiscard]] const BitmapMatrix& b() const { return b_; }

private:
    /// Places an operand in memory as `method` wants it.
    std::unique_ptr<StagedOperand> place(const std::string& name, const BitmapMatrix& matrix,
                                         bool bitmaps, BitmapMatrix& full);
    [[nodiscard]] bool fragments() const {
        return config().sparse.method == ProductMethod::kDense ||
               config().sparse.method == ProductMethod::kVectorWise;
    }
    void write_lines(const MemoryWriter& write, const std::string& name,
                     const BitmapMatrix& matrix) const;
    void write_tiles(const MemoryWriter& write, const std::string& name, const BitmapMatrix& matrix,
                     const BitmapMatrix& stored) const;

    BitmapMatrix a_, b_;
    BitmapMatrix full_a_;  ///< all elements stored: A of a single-side product
};

}  // namespace tessera
