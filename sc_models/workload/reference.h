// What another library computes to check a workload.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sc_models/workload/product_shape.h"

namespace tessera {

/// A matrix product, or a pass of a convolution layer, as its definition has it: tensors without
/// lowering or padding, and where the machine leaves the result. A checker takes every size from
/// the configuration's layer or product, and none from the geometry that the kernels follow.
struct Reference {
    enum class Kind { kProduct, kConvolution, kInputGradient, kFilterGradient };
    /// A tensor in FP32, made when it is asked for.
    using Tensor = std::function<std::vector<float>()>;

    Kind kind = Kind::kProduct;
    /// Convolutions: input and result in NHWC, filters in KHWC order; otherwise NCHW and KCHW.
    bool channels_last = false;
    std::uint32_t pad_y = 0;  ///< convolutions: above and below the input
    /// A, row by row; a convolution's input; of an input's gradient that of the output.
    Tensor source;
    /// B, column by column; filters; of a filter's gradient that of the output.
    Tensor weights;
    /// Rows and columns of the result in its order (images by elements where channels come first);
    /// k is not used.
    ProductShape result;
};

}  // namespace tessera
