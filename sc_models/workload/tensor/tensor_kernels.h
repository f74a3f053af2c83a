// Kernels of non-GEMM operators of networks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/tensor/tensor_program.h"

namespace tessera {

/// Parameters of the kernels of an operator. The caller provides all addresses, so that operands
/// may be results of other kernels.
struct TensorTask {
    std::string name;
    TensorPlan plan;
    TensorAddresses addresses;
    AccessGranularity granularity;
    bool values = false;
};

/// Base class of kernels with access to the parts of a task.
class TensorKernel : public Kernel {
public:
    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] const TensorPlan& plan() const { return task_.plan; }

protected:
    explicit TensorKernel(TensorTask task);
    /// Sets the grid; `warps` per CTA.
    void set_grid(std::uint64_t ctas, std::uint32_t warps);

    TensorTask task_;
    std::vector<TensorPartAccess> access_;  ///< of the plan's parts
    KernelInfo info_;
};

/// Kernel of plans of TensorMapping::kElements: a thread computes a vector of results and iterates
/// over their inputs in order, four at a time (map, copy, window).
class TensorMapKernel : public TensorKernel {
public:
    explicit TensorMapKernel(TensorTask task);
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    std::vector<std::uint64_t> first_cta_;  ///< by part
};

/// Kernel of plans of TensorMapping::kRows: warps iterate over rows as the plan's RowLayout
/// defines. A lane adds up its vectors in order, lanes are joined by butterflies (16 lanes apart
/// first), warps likewise, through shared memory.
class TensorRowKernel : public TensorKernel {
public:
    explicit TensorRowKernel(TensorTask task);
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;
};

/// Stage of a kernel of columns. If CTAs share columns, a kShare kernel is followed by a kJoin
/// kernel that adds their sums.
enum class ColumnStage { kWhole, kShare, kJoin };

/// Kernel of plans of TensorMapping::kColumns: warps iterate over rows as the plan's ColumnLayout
/// defines. A lane adds up its rows in order, lanes of the same results are joined by butterflies
/// (the farthest first), warps one after the other, through shared memory. kShare writes a CTA's
/// sums to TensorAddresses::partials, one row per CTA; kJoin adds those rows in the same manner and
/// computes the results.
class TensorColumnKernel : public TensorKernel {
public:
    TensorColumnKernel(TensorTask task, ColumnStage stage);
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    ColumnStage stage_;
    TensorPart partial_part_;
    std::vector<TensorAccess> partials_;  ///< by number of a PassState
};
/// Floats of the partial sums that CTAs exchange; 0: no CTAs share a column.
[[nodiscard]] std::uint64_t partial_floats(const TensorPlan& plan);

/// Transposition of a tensor's last axis with another: tiles of 128 bytes x the same number of
/// elements pass through shared memory, whose rows are padded by one bank, so that lanes are
/// neighbours in memory on both sides.
class TensorTileKernel : public TensorKernel {
public:
    explicit TensorTileKernel(TensorTask task);
    /// Whether the plan is such a transposition.
    [[nodiscard]] static bool suits(const TensorPlan& plan);
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    std::size_t along_;  ///< the axis that is contiguous in the operand
};

/// The kernels that suit the plan, in launch order.
[[nodiscard]] std::vector<std::unique_ptr<Kernel>> make_tensor_kernels(TensorTask task);

}  // namespace tessera
