// Lowering of matrix products and batches of them.
#pragma once

#include "sc_models/lowering/node_layers.h"
#include "sc_models/lowering/product_layer.h"

namespace tessera {

/// Gemm and MatMul. A batch of products is a convolution of 1x1 in groups; with one right matrix
/// for all it is a single product.
class MatrixLowering {
public:
    /// `product` is that of the node of `layers`; both must outlive this object.
    MatrixLowering(NodeLayers& layers, ProductLayer& product)
        : layers_(layers), product_(product), node_(layers.node()) {}

    [[nodiscard]] PlacedTensor lower_gemm();
    [[nodiscard]] PlacedTensor lower_matmul();

private:
    [[nodiscard]] PlacedTensor scaled(const PlacedTensor& x, float factor);

    NodeLayers& layers_;
    ProductLayer& product_;
    const network::Node& node_;
};

}  // namespace tessera
