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
/// made of four at a time, one after the other (map, copy, window, reduction of outer axes, and
/// softmax along one).
class TensorMapKernel : public TensorKernel {
public:
    explicit TensorMapKernel(TensorTask task);
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    std::vector<std::uint64_t> first_cta_;  ///< by part
};

/// A plan of TensorMapping::kRows: a warp goes over a row of up to four chunks, a CTA over a longer
/// one, whose warps take chunks in turn. A lane adds up its vectors in order, lanes are joined by
/// butterflies (16 lanes apart first), warps likewise, through shared memory. Rows of up to eight
/// chunks a warp stay in registers from pass to pass.
class TensorRowKernel : public TensorKernel {
public:
    explicit TensorRowKernel(TensorTask task);
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

private:
    std::uint32_t warps_of_row_;
};
/// Warps that go over a row of so many elements: a power of two of at most 16.
[[nodiscard]] std::uint32_t warps_of_row(TensorType type, std::uint64_t elements);

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

/// The kernel that suits the plan.
[[nodiscard]] std::unique_ptr<Kernel> make_tensor_kernel(TensorTask task);

}  // namespace tessera
