// Instructions of one warp of a depthwise convolution.
#pragma once

#include "sc_models/workload/depthwise/depthwise_kernel.h"

namespace tessera {

/// Returns the program of a warp for row `row` of the output of image `image`: the `block`th 32 of
/// the row's strips and channels.
[[nodiscard]] std::unique_ptr<WarpProgram> make_depthwise_program(const DepthwiseKernel& kernel,
                                                                  std::uint64_t image,
                                                                  std::int64_t row,
                                                                  std::uint64_t block);

/// Returns the program of a warp below the last row, which has no work.
[[nodiscard]] std::unique_ptr<WarpProgram> make_idle_depthwise_program(
    const DepthwiseKernel& kernel);

}  // namespace tessera
