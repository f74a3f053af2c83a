// Matrices of a lowered convolution, derived from the definition of its layer.
#pragma once

#include <vector>

#include "sc_models/workload/fragment/convolution_geometry.h"
#include "sc_models/workload/golden.h"
#include "sc_models/workload/value_generator.h"

namespace tessera {

/// A and B of one group of a lowered convolution, for the golden model. The pixel, channel and
/// weight of each product come from all fields of the layer's description alone; the kernels'
/// geometry only contributes the order of the products and the positions of zeros between them,
/// which the tensor cores' sums depend on. Holds the input.
class ConvolutionOperands : public Operands {
public:
    /// References must outlive this. The values are those of the layer's own tensors: input in
    /// NHWC, filters in KHWC order; a filter has the channels of its group.
    ConvolutionOperands(const LayerConfig& layer, const ConvolutionGeometry& order,
                        const ValueGenerator& activations, const ValueGenerator& weights);

    /// Selects the group of the rows and columns that follow; initially the first group.
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
