// Convolutions of each channel by itself, on the CUDA cores.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sc_models/isa/coalescer.h"
#include "sc_models/isa/kernel.h"
#include "sc_models/workload/depthwise_geometry.h"

namespace tessera {

/// What a depthwise convolution is made of; all of it must live as long as the kernel.
struct DepthwiseTask {
    std::string name;
    const ConvolutionPass* pass = nullptr;  ///< forward, a channel a group
    DepthwiseTile tile;
    /// Halves: input and output as `pass` says; filters tap by tap, each with a weight for each
    /// channel of the output, those that round it up among them.
    Address input = 0, filters = 0, output = 0;
    PlacedEpilogue epilogue;  ///< columns are channels
    AccessGranularity granularity;
    bool values = false;
};

/// Forward convolution of NHWC tensors with a group for each channel: a lane computes `vector`
/// channels of `strip` pixels, lanes and CTAs follow each other along channels, then pixels of a
/// row, the warps of a CTA are rows. A lane keeps the filter of its channels in registers, goes
/// over the rows of the filter, loads the pixels of the input under it while it works on those of
/// the row before, and adds up in FP32, tap by tap as the filter lies. What lies outside the input
/// is left out. Then come the epilogue and one rounding.
class DepthwiseKernel : public Kernel {
public:
    explicit DepthwiseKernel(DepthwiseTask task);

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override;

    [[nodiscard]] const DepthwiseTask& task() const { return task_; }
    [[nodiscard]] const DepthwiseRegisters& registers() const { return registers_; }

    [[nodiscard]] const std::vector<DepthwiseColumn>& columns() const { return columns_; }
    /// Output channels by input channels.
    [[nodiscard]] std::uint64_t multiplier() const { return task_.pass->filters(); }

private:
    DepthwiseTask task_;
    DepthwiseRegisters registers_;
    std::vector<DepthwiseColumn> columns_;
    std::uint64_t blocks_ = 0;      ///< of 32 lanes, along an output row
    std::uint64_t row_groups_ = 0;  ///< of an image
    KernelInfo info_;
};

}  // namespace tessera
