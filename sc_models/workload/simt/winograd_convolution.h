// Winograd convolution F(2x2, 3x3) in FP32 on the CUDA cores.
#pragma once

#include <array>
#include <vector>

#include "sc_models/workload/simt/lane_map_kernel.h"
#include "sc_models/workload/simt/winograd_geometry.h"
#include "sc_models/workload/value_generator.h"
#include "sc_models/workload/workload.h"

namespace tessera {

/// Input transform: V = B^T d B of a channel of a tile, point by point into matrices of tiles by
/// channels. Neighbouring threads have neighbouring channels.
class WinogradInputMap : public LaneMap {
public:
    explicit WinogradInputMap(const WinogradGeometry& geometry) : geometry_(geometry) {}
    [[nodiscard]] std::uint64_t threads() const override {
        return geometry_.tiles() * geometry_.layer.channels;
    }
    [[nodiscard]] Step step(std::uint32_t step) const override;
    [[nodiscard]] std::int64_t source(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    [[nodiscard]] std::int64_t result(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    void compute(std::uint32_t step, const float* inputs, float* outputs) const override;

private:
    WinogradGeometry geometry_;
};

/// Filter transform: U = G g G^T likewise, into matrices of filters by channels.
class WinogradFilterMap : public LaneMap {
public:
    explicit WinogradFilterMap(const WinogradGeometry& geometry) : geometry_(geometry) {}
    [[nodiscard]] std::uint64_t threads() const override {
        return geometry_.layer.filters * geometry_.layer.channels;
    }
    [[nodiscard]] Step step(std::uint32_t step) const override;
    [[nodiscard]] std::int64_t source(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    [[nodiscard]] std::int64_t result(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    void compute(std::uint32_t step, const float* inputs, float* outputs) const override;

private:
    WinogradGeometry geometry_;
};

/// Inverse transform: Y = A^T M A of a filter of a tile. Neighbouring threads have neighbouring
/// filters.
class WinogradOutputMap : public LaneMap {
public:
    explicit WinogradOutputMap(const WinogradGeometry& geometry) : geometry_(geometry) {}
    [[nodiscard]] std::uint64_t threads() const override {
        return geometry_.tiles() * geometry_.layer.filters;
    }
    [[nodiscard]] Step step(std::uint32_t step) const override;
    [[nodiscard]] std::int64_t source(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    [[nodiscard]] std::int64_t result(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    void compute(std::uint32_t step, const float* inputs, float* outputs) const override;

private:
    WinogradGeometry geometry_;
};

/// Four kernels: input transform, filter transform, one SimtProductKernel of 16 products (tiles by
/// filters, over channels) and the inverse transform. Regions "input" (NHWC), "filters" (KHWC),
/// "transformed_input", "transformed_filters", "products" and "output" (NHWC, a pixel's floats
/// rounded up to a multiple of 4). Values are FP32.
///
/// Verified bit for bit against the same algorithm in matrix form: elements of the transforms add
/// their terms from the first to the last row or column, columns before rows (those of the filter
/// in the order 0, 2, 1), and sums take channels in ascending order by fused multiply-adds. The
/// scalar samples are all outputs against the definition of the layer, within
/// (channels + 16) * 2^-23 times the sum of the magnitudes of all terms of the algorithm.
class WinogradConvolution : public Workload {
public:
    /// Throws ConfigError for layers that WinogradGeometry does not support.
    WinogradConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                        const TargetMachine& machine);

    void initialise(const MemoryWriter& write) const override;
    using Workload::verify;
    [[nodiscard]] VerificationReport verify(const MemoryReader& read,
                                            TensorCoreKind kind) const override;
    [[nodiscard]] const WinogradGeometry& geometry() const { return geometry_; }

private:
    WinogradGeometry geometry_;
    WinogradInputMap input_map_;
    WinogradFilterMap filter_map_;
    WinogradOutputMap output_map_;
    ValueGenerator activations_, weights_;
};

}  // namespace tessera
