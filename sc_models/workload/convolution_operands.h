// A convolution's matrices by the definition of its layer.
#pragma once

#include <vector>

#include "sc_models/workload/convolution_geometry.h"
#include "sc_models/workload/golden.h"
#include "sc_models/workload/value_generator.h"

namespace tessera {

/// A and B of one group of a lowered convolution, for the golden model. Which pixel and channel of
/// the input an output meets under which weight comes from the layer's description alone, every
/// field of it; only the order of the products and where zeros stand between them, which the tensor
/// cores' sums depend on, comes from the geometry that the kernels follow. Holds the input.
class ConvolutionOperands : public Operands {
public:
    /// References must outlive this. The values are those of the layer's own tensors: input in
    /// NHWC, filters in KHWC order, channels of a filter those of its group.
    ConvolutionOperands(const LayerConfig& layer, const ConvolutionGeometry& order,
                        const ValueGenerator& activations, const ValueGenerator& weights);

    /// Rows and columns are those of this group from now on; of the first at first.
    void select_group(std::uint32_t group) { group_ = group; }

    void a_row(std::uint64_t row, HalfBits* out) const override;
    void b_column(std::uint64_t column, HalfBits* out) const override;

private:
    const LayerConfig& layer_;
    const ConvolutionGeometry& order_;
    const ValueGenerator& weights_;
    std::uint32_t channels_;  ///< of a group
    std::uint32_t output_height_, output_width_;
    std::vector<HalfBits> input_;
    std::uint32_t group_ = 0;
};

}  // namespace tessera
