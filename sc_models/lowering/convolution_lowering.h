// Lowering of convolutions and their windows.
#pragma once

#include <cstddef>

#include "sc_models/lowering/node_layers.h"
#include "sc_models/lowering/product_layer.h"
#include "sc_models/network/window.h"

namespace tessera {

/// Sets filter size, stride, dilation and leading padding from a window over images.
void set_window(const network::Window& window, LayerConfig& layer);

/// Conv and ConvTranspose, of images and, by their slices, of volumes.
class ConvolutionLowering {
public:
    /// `product` is that of the node of `layers`; both must outlive this object.
    ConvolutionLowering(NodeLayers& layers, ProductLayer& product)
        : layers_(layers), product_(product), node_(layers.node()) {}

    [[nodiscard]] PlacedTensor lower();
    [[nodiscard]] PlacedTensor lower_transposed();

private:
    [[nodiscard]] network::Node transposed_by(const network::Window& window) const;
    [[nodiscard]] PlacedTensor add_convolution(LoweredLayer lowered, const PlacedTensor& x,
                                               const PlacedTensor& weights);
    [[nodiscard]] PlacedTensor with_bias(const PlacedTensor& x, PlacedTensor bias,
                                         std::size_t side);
    [[nodiscard]] PlacedTensor padded(const PlacedTensor& x, const network::Window& window);

    NodeLayers& layers_;
    ProductLayer& product_;
    const network::Node& node_;
};

}  // namespace tessera
