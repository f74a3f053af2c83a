// Kernels of the operators of networks that are no products.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sc_models/isa/kernel.h"
#include "sc_models/workload/tensor_program.h"

namespace tessera {

/// What the kernels of an operator are made of; all addresses are the caller's, so that operands
/// may be what other kernels leave.
struct TensorTask {
    std::string name;
    TensorPlan plan;
    TensorAddresses addresses;
    AccessGranularity granularity;
    bool values = false;
};

/// A kernel that knows how to get at the parts of a task.
class TensorKernel : public Kernel {
public:
    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] const TensorPlan& plan() const { return task_.plan; }

protected:
    explicit TensorKernel(TensorTask task);
    /// `warps` of a CTA.
    void set_grid(std::uint64_t ctas, std::uint32_t warps);

    TensorTask task_;
    std::vector<TensorPartAccess> access_;  ///< of the plan's parts
    KernelInfo info_;
};

/// A plan of TensorMapping::kElements: a thread makes a vector of results, going over what they are
/// made of four at a time, one after the other (map, copy, window).
class TensorMapKernel : public TensorKernel {
public:
    explicit TensorMapKernel(TensorTask task);
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    std::vector<std::uint64_t> first_cta_;  ///< by part
};

/// A plan of TensorMapping::kRows: warps go over rows as the plan's RowLayout says. A lane adds up
/// its vectors in order, lanes are joined by butterflies (16 lanes apart first), warps likewise,
/// through shared memory.
class TensorRowKernel : public TensorKernel {
public:
    explicit TensorRowKernel(TensorTask task);
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;
};

/// What a kernel of columns does. One that shares columns among CTAs is followed by another that
/// joins their sums.
enum class ColumnStage { kWhole, kShare, kJoin };

/// A plan of TensorMapping::kColumns: warps go over rows as the plan's ColumnLayout says. A lane
/// adds up its rows in order, lanes of the same results are joined by butterflies (the farthest
/// first), warps one after the other, through shared memory. kShare leaves a CTA's sums at
/// TensorAddresses::partials, a row a CTA; kJoin adds those up in the same manner and makes the
/// results.
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
/// Floats of the sums that CTAs leave for each other; 0: no CTAs share a column.
[[nodiscard]] std::uint64_t partial_floats(const TensorPlan& plan);

/// A transposition of a tensor's last axis with another: tiles of 128 bytes x as many elements go
/// through shared memory, whose rows are a bank longer, so that lanes are neighbours in memory on
/// both sides.
class TensorTileKernel : public TensorKernel {
public:
    explicit TensorTileKernel(TensorTask task);
    /// Whether the plan is such a transposition.
    [[nodiscard]] static bool suits(const TensorPlan& plan);
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    std::size_t along_;  ///< the axis whose neighbours are neighbours in the operand
};

/// The kernels that suit the plan, in launch order.
[[nodiscard]] std::vector<std::unique_ptr<Kernel>> make_tensor_kernels(TensorTask task);

}  // namespace tessera
