// Convolution by Fourier transforms of tiles in FP32 on the CUDA cores.
#pragma once

#include "sc_models/workload/simt/fft_maps.h"
#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Seven kernels: rows and columns of the tiles of the input, rows and columns of the filters, one
/// SimtProductKernel of 144 products (tiles by real and imaginary parts of filters, over those of
/// channels), columns and rows of the inverse transform. Regions "input" (NHWC), "filters" (KHWC),
/// "input_rows", "filter_rows", "transformed_input", "transformed_filters", "products",
/// "output_rows" and "output" (NHWC, a pixel's floats rounded up to a multiple of 4). Values are
/// FP32.
///
/// Verified bit for bit against the same transforms of one dimension on indices of their own. The
/// scalar samples are all outputs against the definition of the layer, within
/// (2 channels + 64) * 2^-23 times the sum over channels of the tile's norm times the filter's:
/// by Parseval's theorem the terms of an output's sums add up to at most that.
class FftConvolution : public Workload {
public:
    /// Throws ConfigError for layers that FftGeometry does not support.
    FftConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                   const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;
    [[nodiscard]] const FftGeometry& geometry() const { return geometry_; }

private:
    FftGeometry geometry_;
    FftRowsMap input_rows_, filter_rows_;
    FftColumnsMap input_columns_, filter_columns_;
    FftInverseColumnsMap output_columns_;
    FftInverseRowsMap output_rows_;
    ValueGenerator activations_, weights_;
};

}  // namespace tessera
