// Tensor contents of a network layer that runs on its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sc_models/config/workload_config.h"
#include "sc_models/tensor_core/half.h"
#include "sc_models/workload/operators/tensor_operation.h"
#include "sc_models/workload/product_epilogue.h"
#include "sc_models/workload/requantization.h"

namespace tessera {

/// Tensors of a layer that replace generated ones. Null tensors are unknown; such a layer can only
/// be timed.
struct GivenLayer {
    using Elements = std::shared_ptr<const std::vector<HalfBits>>;

    /// Activations of a product: m lines of k; of a convolution: NHWC (for the gradient of an
    /// input, the output's gradient). No tensor here is rounded up.
    Elements activations;
    Elements weights;  ///< product: n lines of k; convolution: KRSC
    /// Reference result for checks, computed independently of the kernels, in the order of the
    /// result.
    Elements result;
    /// Epilogue applied to the product's sums; null: none. The result includes it.
    std::shared_ptr<const ProductEpilogue> epilogue;
    /// Takes the sums of a product of integers to bytes; null: none. Tensors hold halves of the
    /// integers.
    std::shared_ptr<const Requantization> requantization;
    /// Operation of a non-GEMM layer.
    std::optional<TensorOperation> operation;
    /// Its operands (given_type()), or of an attention queries, keys and values, in one
    /// tensor if they are packed, and perhaps the mask.
    std::vector<Elements> operands;

    /// Converts NHWC to NCHW and KRSC to KCRS, for direct convolutions.
    void put_channels_first(const LayerConfig& layer, LayerPass pass);

    /// Throws ConfigError if they are unknown.
    [[nodiscard]] const Elements& known_activations() const { return known(activations); }
    [[nodiscard]] const Elements& known_weights() const { return known(weights); }
    [[nodiscard]] static const Elements& known(const Elements& elements);
};

/// Type in which a layer has an operand: BF16, FP16 also for integers of 8 bits, which are halves
/// of their values, and FP32 only where tensors have types of their own: such an element has two
/// entries, its low and its high 16 bits.
[[nodiscard]] TensorType given_type(const TensorOperation& operation, std::size_t operand);
/// Values of an operand that a layer has in this type.
[[nodiscard]] std::vector<float> given_values(const std::vector<HalfBits>& entries,
                                              TensorType type);

/// Writes a layer to a file: one line of JSON, then the elements, little endian. Returns a digest
/// of the whole file, 16 hexadecimal digits. Throws FileError if the file cannot be written.
std::string write_given_layer(const std::string& path, const GivenLayer& layer);

/// Reads a layer file. Throws FileError naming the file if it has another format, is truncated, or
/// has a digest other than `digest`.
[[nodiscard]] GivenLayer read_given_layer(const std::string& path, const std::string& digest);

}  // namespace tessera
