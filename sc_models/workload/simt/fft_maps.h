// Transforms of Fourier convolutions, as threads compute them.
#pragma once

#include "sc_models/workload/simt/fft_geometry.h"
#include "sc_models/workload/simt/lane_map_kernel.h"

namespace tessera {

/// Rows of tiles or filters to their bins. Neighbouring threads have neighbouring channels. Of a
/// filter the rows and columns behind its own are zeros, and its floats are scaled, so that the
/// inverse transforms give the sums.
class FftRowsMap : public LaneMap {
public:
    enum class Of { kInput, kFilters };

    FftRowsMap(const FftGeometry& geometry, Of of);
    /// Rows of all tiles or filters, each of a channel.
    [[nodiscard]] std::uint64_t threads() const override { return rows_ * g_.layer.channels; }
    /// Floats of the result: by bin and part, row, channel.
    [[nodiscard]] std::uint64_t floats() const { return 2 * FftGeometry::kBins * threads(); }
    [[nodiscard]] Step step(std::uint32_t step) const override;
    [[nodiscard]] std::int64_t source(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    [[nodiscard]] std::int64_t result(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    void compute(std::uint32_t step, const float* inputs, float* outputs) const override;

    /// Factor of a filter's floats.
    static constexpr float kScale = 0x1p-10F;

private:
    [[nodiscard]] std::uint32_t inputs() const;

    FftGeometry g_;
    Of of_;
    std::uint64_t rows_;
};

/// Columns of the bins of rows to points, into the matrices of the products: of a tile a line of
/// real, then imaginary parts of its channels; of a filter two, whose products with it are real and
/// imaginary part of a point times the conjugate of the filter's.
class FftColumnsMap : public LaneMap {
public:
    FftColumnsMap(const FftGeometry& geometry, FftRowsMap::Of of);
    [[nodiscard]] std::uint64_t threads() const override {
        return FftGeometry::kBins * items_ * g_.layer.channels;
    }
    [[nodiscard]] std::uint32_t steps() const override { return of_filters() ? 2 : 1; }
    [[nodiscard]] Step step(std::uint32_t step) const override;
    [[nodiscard]] std::int64_t source(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    [[nodiscard]] std::int64_t result(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    void compute(std::uint32_t step, const float* inputs, float* outputs) const override;

private:
    [[nodiscard]] bool of_filters() const { return of_ == FftRowsMap::Of::kFilters; }

    FftGeometry g_;
    FftRowsMap::Of of_;
    std::uint64_t items_, rows_;  ///< tiles or filters, and rows of each
};

/// Points of products to the bins of the tile's rows of outputs. Neighbouring threads have
/// neighbouring filters.
class FftInverseColumnsMap : public LaneMap {
public:
    explicit FftInverseColumnsMap(const FftGeometry& geometry) : g_(geometry) {}
    [[nodiscard]] std::uint64_t threads() const override {
        return FftGeometry::kBins * g_.tiles() * g_.layer.filters;
    }
    /// Floats of the result: by bin and part, row, filter.
    [[nodiscard]] std::uint64_t floats() const { return 2 * threads() * g_.out_rows(); }
    [[nodiscard]] Step step(std::uint32_t step) const override;
    [[nodiscard]] std::int64_t source(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    [[nodiscard]] std::int64_t result(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    void compute(std::uint32_t step, const float* inputs, float* outputs) const override;

private:
    FftGeometry g_;
};

/// Bins of rows to outputs.
class FftInverseRowsMap : public LaneMap {
public:
    explicit FftInverseRowsMap(const FftGeometry& geometry) : g_(geometry) {}
    [[nodiscard]] std::uint64_t threads() const override {
        return g_.tiles() * g_.out_rows() * g_.layer.filters;
    }
    [[nodiscard]] Step step(std::uint32_t step) const override;
    [[nodiscard]] std::int64_t source(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    [[nodiscard]] std::int64_t result(std::uint64_t thread, std::uint32_t step,
                                      std::uint32_t i) const override;
    void compute(std::uint32_t step, const float* inputs, float* outputs) const override;

private:
    FftGeometry g_;
};

}  // namespace tessera
