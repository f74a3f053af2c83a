// A layer of a network as it is run on its own: what its tensors hold.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/product_epilogue.h"
#include "sc_models/workload/tensor_operation.h"

namespace tessera {

/// Tensors of a layer in place of generated ones. Those that are null are not known, so that only
/// the time of the layer can be.
struct GivenLayer {
    using Elements = std::shared_ptr<const std::vector<HalfBits>>;

    /// Of a product, m lines of k; of a convolution, NHWC (of the gradient of an input, the
    /// output's gradient). Without rounding up, as all tensors here.
    Elements activations;
    Elements weights;  ///< of a product, n lines of k; of a convolution, KRSC
    /// What someone else who knows no kernel computes of these, in the order of the result: for
    /// checks.
    Elements result;
    /// What the product's sums go through; null: nothing. The result is behind it.
    std::shared_ptr<const ProductEpilogue> epilogue;
    /// Of a layer that is no product: what is computed, and of what.
    std::optional<TensorOperation> operation;
    std::vector<Elements> operands;

    /// Turns NHWC into NCHW and KRSC into KCRS, as direct convolutions have them.
    void put_channels_first(const LayerConfig& layer, LayerPass pass);

    /// Throws ConfigError if they are not known.
    [[nodiscard]] const Elements& known_activations() const { return known(activations); }
    [[nodiscard]] const Elements& known_weights() const { return known(weights); }
    [[nodiscard]] static const Elements& known(const Elements& elements);
};

/// Writes a layer to a file: one line of JSON, then the elements, little endian. Returns a digest
/// of all of it, 16 hexadecimal digits. Throws FileError if the file cannot be written.
std::string write_given_layer(const std::string& path, const GivenLayer& layer);

/// Reads it. Throws FileError naming the file where it is no such file, is cut off, or has
/// another digest than `digest`.
[[nodiscard]] GivenLayer read_given_layer(const std::string& path, const std::string& digest);

}  // namespace tessera
