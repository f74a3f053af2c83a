// Kernels of a product of two sparse matrices in CSR on the CUDA cores, with a hash table a row.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/workload/csr/csr_matrix.h"

namespace tessera {

/// C = A x B in CSR in global memory: row pointers and columns are 32-bit integers, values FP32.
/// The matrices must outlive the kernels.
struct CsrProductTask {
    std::string name;
    const CsrMatrix* a = nullptr;
    const CsrMatrix* b = nullptr;
    Address a_begin = 0, a_column = 0, a_values = 0;
    Address b_begin = 0, b_column = 0, b_values = 0;
    Address counts = 0;  ///< elements of each row of C
    Address c_begin = 0, c_column = 0, c_values = 0;
    const std::vector<std::uint32_t>* c_rows = nullptr;  ///< row pointers of C, for addresses
    AccessGranularity granularity;
    bool values = false;
};

/// Products of a row of C: the slot of each in the row's hash table, and the probes
/// that it took. Products are those of the elements of A's row in turn, each with a row of B.
struct CsrRow {
    std::vector<std::uint32_t> first;   ///< product of each element of A's row; ends with the count
    std::vector<std::uint16_t> probes;  ///< by product, at least 1
    std::vector<std::uint32_t> slot;    ///< by product
    std::vector<std::uint32_t> used;    ///< slots with an element, ascending
};

/// Inserts the products of row `row` into a table of `entries` slots, a power of two: the hash of a
/// column is 107 times it, collisions take the next slot (Nagasaka, Nukada and Matsuoka, ICPP
/// 2017).
[[nodiscard]] CsrRow insert_row(const CsrMatrix& a, const CsrMatrix& b, std::uint64_t row,
                                std::uint32_t entries);

/// One phase of the product, a CTA a row of C. Warps take the elements of A's row in turn; the
/// lanes of a warp take the elements of the row of B that one meets, and insert their columns into
/// the table in shared memory by atomic compare-and-swap. The symbolic phase counts what it
/// inserted; the numeric phase also adds the products to the table's sums, an FP32 addition by
/// compare-and-swap, and at last writes the elements in the order of their slots.
///
/// With values, columns and values come from memory through registers. The table stands in the
/// program, and its sums take products in the order of A's row, where atomics have no order: the
/// result depends on no timing.
class CsrPhaseKernel : public Kernel {
public:
    enum class Phase { kSymbolic, kNumeric };

    /// `entries`: slots of a row's table, a power of two.
    CsrPhaseKernel(const CsrProductTask& task, Phase phase, std::uint32_t entries);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    class Program;
    struct Shared;
    CsrProductTask task_;
    Phase phase_;
    std::uint32_t entries_;
    KernelInfo info_;
    mutable std::weak_ptr<Shared> last_;  ///< of the CTA launched last
    mutable std::uint32_t last_cta_ = 0;
};

/// Row pointers of C: the sums of counts before each row. One CTA, a lane four rows at a time.
class CsrScanKernel : public Kernel {
public:
    explicit CsrScanKernel(const CsrProductTask& task);
    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    class Program;
    CsrProductTask task_;
    KernelInfo info_;
};

}  // namespace tessera
