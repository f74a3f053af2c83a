// Description of a workload's result for independent libraries that check it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sc_models/workload/product_shape.h"

namespace tessera {

/// A matrix product, or a pass of a convolution layer, according to its definition: tensors without
/// lowering or padding, and the result's position in memory. A checker takes every size from the
/// configuration's layer or product, and none from the geometry that the kernels follow.
struct Reference {
    enum class Kind { kProduct, kConvolution, kInputGradient, kFilterGradient };
    /// A tensor in FP32, generated on request.
    using Tensor = std::function<std::vector<float>()>;

    Kind kind = Kind::kProduct;
    /// Convolutions: input and result in NHWC, filters in KHWC order; otherwise NCHW and KCHW.
    bool channels_last = false;
    std::uint32_t pad_y = 0;  ///< convolutions: above and below the input
    /// A, row by row; a convolution's input; for an input's gradient, the gradient of the output.
    Tensor source;
    /// B, column by column; filters; for a filter's gradient, the gradient of the output.
    Tensor weights;
    /// Rows and columns of the result in its order (images by elements if channels come first); k
    /// is not used.
    ProductShape result;
};

}  // namespace tessera
