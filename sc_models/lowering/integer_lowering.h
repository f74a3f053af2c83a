// Lowering of products and convolutions of integers.
#pragma once

#include "sc_models/lowering/node_layers.h"

namespace tessera {

/// QLinearMatMul and QLinearConv of which network::is_integer_product() holds. One kernel
/// multiplies and requantises; the zero point of the first factor is in the bias, as sums of the
/// columns of the second times it.
class IntegerLowering {
public:
    /// `layers` must outlive this object.
    explicit IntegerLowering(NodeLayers& layers) : layers_(layers), node_(layers.node()) {}

    [[nodiscard]] PlacedTensor lower();

private:
    [[nodiscard]] LoweredLayer matrices(const PlacedTensor& a, const PlacedTensor& b) const;
    [[nodiscard]] LoweredLayer convolution(const PlacedTensor& x,
                                           const PlacedTensor& weights) const;
    [[nodiscard]] Requantization requantization() const;

    NodeLayers& layers_;
    const network::Node& node_;
};

}  // namespace tessera
