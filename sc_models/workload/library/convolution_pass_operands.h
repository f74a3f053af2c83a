// Matrices of a pass of a convolution, derived from the definition of its layer.
#pragma once

#include "sc_models/config/workload_config.h"
#include "sc_models/workload/golden.h"
#include "sc_models/workload/value_generator.h"

namespace tessera {

/// A and B of one product of a ConvolutionPass, for the golden model, derived from the layer's
/// description and its tensors alone. Only the order along k is that of the kernels: taps, then
/// channels or filters, zeros up to a multiple of 32, and zero taps up to the requested k; or
/// output pixels.
class ConvolutionPassOperands : public Operands {
public:
    /// The layer's tensors in NHWC and KRSC order, unpadded.
    struct Tensors {
        const ValueGenerator* input;
        const ValueGenerator* filters;
        const ValueGenerator* output_gradient;
    };
    /// `layer` and the tensors must outlive this.
    ConvolutionPassOperands(const LayerConfig& layer, LayerPass pass, SumOrder order,
                            const Tensors& tensors);

    /// Selects the product of this group and, for gradients of inputs, of the input pixels whose
    /// coordinates are the class's modulo the stride; padded to `k`.
    void select(std::uint32_t group, std::int64_t class_y, std::int64_t class_x, std::uint64_t k);

    void a_row(std::uint64_t row, HalfBits* out) const override;
    void b_column(std::uint64_t column, HalfBits* out) const override;

private:
    [[nodiscard]] std::uint64_t k_index(std::uint64_t tap, std::uint64_t inner) const;
    [[nodiscard]] HalfBits input(std::uint64_t image, std::int64_t y, std::int64_t x,
                                 std::uint64_t channel) const;
    [[nodiscard]] HalfBits gradient(std::uint64_t image, std::int64_t y, std::int64_t x,
                                    std::uint64_t filter) const;
    [[nodiscard]] HalfBits weight(std::uint64_t filter, std::int64_t y, std::int64_t x,
                                  std::uint64_t channel) const;

    const LayerConfig& layer_;
    LayerPass pass_;
    SumOrder order_;
    Tensors tensors_;
    std::int64_t out_height_, out_width_;
    std::uint64_t channels_, filters_;  ///< of a group
    std::uint64_t columns_of_tap_;      ///< for gradients of filters: channels and padding
    std::uint64_t k_of_tap_;
    std::uint32_t group_ = 0;
    std::int64_t class_y_ = 0, class_x_ = 0;
    std::uint64_t k_ = 0;
};

}  // namespace tessera
