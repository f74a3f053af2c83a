// Matrix product with zeros: dense, single-side or dual-side sparse.
#pragma once

#include "sc_models/sparse/bitmap_matrix.h"
#include "sc_models/sparse/sparsity.h"
#include "sc_models/workload/staged/staged_product_kernel.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// D = A x B + C of workload.gemm whose operands have the zeros of workload.sparse. One kernel, a
/// StagedProductKernel. D holds floats; with an epilogue of the configuration both D and C hold
/// halves, and C is added to the sums at the end.
class SparseProduct : public Workload {
public:
    SparseProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
                  const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    [[nodiscard]] std::unique_ptr<Operands> operands() const override;
    [[nodiscard]] std::vector<Reference> references() const override;

    /// The original operands, independent of the method's storage.
    [[nodiscard]] const BitmapMatrix& a() const { return a_; }
    [[nodiscard]] const BitmapMatrix& b() const { return b_; }

protected:
    /// Creates neither operands nor kernel: set_operands() and add_product() must follow.
    SparseProduct(std::string name, const WorkloadConfig& config, std::uint64_t seed, bool values);

    /// Creates an operand from the configuration or from a network's layer.
    [[nodiscard]] BitmapMatrix make_operand(SparseOperand which, std::uint64_t lines,
                                            std::uint64_t k, bool values,
                                            FileNumbers numbers = FileNumbers::kFinite) const;
    void set_operands(BitmapMatrix a, BitmapMatrix b) {
        a_ = std::move(a);
        b_ = std::move(b);
    }
    /// Places A in memory in the layout of the method.
    [[nodiscard]] std::unique_ptr<StagedOperand> place_a();
    std::unique_ptr<StagedOperand> place_lines(const std::string& name, const BitmapMatrix& matrix,
                                               std::uint32_t tile_bytes);
    /// Creates A of a method that stores all its elements, `k` per line, and reads them for
    /// SpWMMAs.
    [[nodiscard]] const BitmapMatrix& make_full_a(std::uint64_t k);
    /// A whose lines are not staged: warps load fragments of them.
    struct UnstagedA {
        Address base = 0;
        std::uint32_t line_bytes = 0;
        Address packet = 0;
    };
    void set_unstaged_a(const UnstagedA& a) { unstaged_a_ = a; }
    /// Places B and adds the kernel.
    void add_product(const std::string& kernel, std::unique_ptr<StagedOperand> a,
                     const TargetMachine& machine);

    /// Whether the operands are dense lines for FEDP fragments.
    [[nodiscard]] bool fragments() const {
        return config().sparse.method == ProductMethod::kDense ||
               config().sparse.method == ProductMethod::kVectorWise;
    }
    /// Whether A's bitmaps are stored.
    [[nodiscard]] bool a_in_bitmaps() const {
        return config().sparse.method == ProductMethod::kDual;
    }
    /// Allocates the three regions of an operand in bitmaps.
    [[nodiscard]] BitmapTiles::TilePlace allocate_bitmaps(const std::string& name,
                                                          const BitmapMatrix& matrix);
    void write_a(const MemoryWriter& write) const;
    void write_b(const MemoryWriter& write) const;
    /// Writes `matrix` in the storage of `stored`, the same matrix or one with all elements stored.
    void write_tiles(const MemoryWriter& write, const std::string& name, const BitmapMatrix& matrix,
                     const BitmapMatrix& stored) const;
    void write_descriptors(const MemoryWriter& write, const std::string& name,
                           const BitmapMatrix& matrix) const;

private:
    /// Stores the zeros opposite infinities and NaNs as elements.
    void store_explicit_zeros();
    void write_lines(const MemoryWriter& write, const std::string& name,
                     const BitmapMatrix& matrix) const;

    BitmapMatrix a_, b_;
    UnstagedA unstaged_a_;
    BitmapMatrix full_a_;  ///< all elements stored: A of a single-side product
};

}  // namespace tessera
