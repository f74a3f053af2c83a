// Kernel of depthwise convolutions on the CUDA cores.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/workload/depthwise/depthwise_geometry.h"

namespace tessera {

/// Parameters of a depthwise convolution; all of it must outlive the kernel.
struct DepthwiseTask {
    std::string name;
    const ConvolutionPass* pass = nullptr;  ///< forward, one channel per group
    DepthwiseTile tile;
    /// Halves: input and output in the layout of `pass`; filters tap by tap, one weight per output
    /// channel in each tap, including channels added by rounding up.
    Address input = 0, filters = 0, output = 0;
    PlacedEpilogue epilogue;  ///< columns are channels
    AccessGranularity granularity;
    bool values = false;
    Float16 format = Float16::kFp16;  ///< of the halves
};

/// Forward convolution of NHWC tensors with one group per channel: a lane computes `vector`
/// channels of `strip` pixels; lanes and CTAs are ordered along channels, then pixels of a row; the
/// warps of a CTA are rows. A lane keeps the filter of its channels in registers, iterates over the
/// rows of the filter, loads the input pixels of a row while it computes on the previous row, and
/// sums in FP32, tap by tap in filter order. Pixels outside the input are omitted. The epilogue and
/// one rounding follow.
class DepthwiseKernel : public Kernel {
public:
    explicit DepthwiseKernel(DepthwiseTask task);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const DepthwiseTask& task() const { return task_; }
    [[nodiscard]] const DepthwiseRegisters& registers() const { return registers_; }

    [[nodiscard]] const std::vector<DepthwiseColumn>& columns() const { return columns_; }
    /// Output channels per input channel.
    [[nodiscard]] std::uint64_t multiplier() const { return task_.pass->filters(); }

private:
    DepthwiseTask task_;
    DepthwiseRegisters registers_;
    std::vector<DepthwiseColumn> columns_;
    std::uint64_t blocks_ = 0;      ///< per output row, of 32 lanes
    std::uint64_t row_groups_ = 0;  ///< per image
    KernelInfo info_;
};

}  // namespace tessera
