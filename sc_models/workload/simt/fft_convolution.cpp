#include "sc_models/workload/simt/fft_convolution.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "sc_models/workload/simt/fourier.h"
#include "sc_models/workload/simt/simt_convolution.h"
#include "sc_models/workload/simt/simt_product_kernel.h"

namespace tessera {
namespace {

using fourier::Direction;
using Complex = fourier::Complex<float>;

constexpr std::uint64_t kBytes = sizeof(float);
constexpr std::size_t kSide = FftGeometry::kSide, kBins = FftGeometry::kBins;

/// A plane of 16 x 16 numbers, and its points by row and bin.
using Plane = std::array<std::array<float, kSide>, kSide>;
using Spectrum = std::array<std::array<Complex, kBins>, kSide>;

void transform_columns(Spectrum& spectrum, Direction direction) {
    for (std::size_t bin = 0; bin < kBins; ++bin) {
        std::array<Complex, kSide> column;
        for (std::size_t row = 0; row < kSide; ++row) column[row] = spectrum[row][bin];
        fourier::transform(column, direction);
        for (std::size_t row = 0; row < kSide; ++row) spectrum[row][bin] = column[row];
    }
}

Spectrum spectrum_of(const Plane& plane) {
    Spectrum spectrum;
    for (std::size_t row = 0; row < kSide; ++row) {
        std::array<float, 2 * kBins> bins;
        fourier::of_reals(plane[row], bins);
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            spectrum[row][bin] = {bins[2 * bin], bins[2 * bin + 1]};
        }
    }
    transform_columns(spectrum, Direction::kForward);
    return spectrum;
}

Plane plane_of(Spectrum spectrum) {
    transform_columns(spectrum, Direction::kInverse);
    Plane plane;
    for (std::size_t row = 0; row < kSide; ++row) {
        std::array<float, 2 * kBins> bins;
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            bins[2 * bin] = spectrum[row][bin].re;
            bins[2 * bin + 1] = spectrum[row][bin].im;
        }
        fourier::to_reals(bins, plane[row]);
    }
    return plane;
}

double norm_of(const Plane& plane) {
    double squares = 0;
    for (const auto& row : plane) {
        for (const float x : row) squares += double{x} * double{x};
    }
    return std::sqrt(squares);
}

/// Golden model of the layer, on its own indices.
class GoldenFft {
public:
    GoldenFft(const FftGeometry& geometry, const ValueGenerator& input,
              const ValueGenerator& filters)
        : g_(geometry), layer_(geometry.layer), input_(input) {
        for (std::uint64_t o = 0; o < layer_.filters; ++o) {
            for (std::uint64_t c = 0; c < layer_.channels; ++c) {
                Plane plane{};
                for (std::uint64_t tap = 0; tap < layer_.taps(); ++tap) {
                    plane.at(tap / layer_.filter_width).at(tap % layer_.filter_width) =
                        filters.single((o * layer_.taps() + tap) * layer_.channels + c);
                }
                filter_norms_.push_back(norm_of(plane));
                for (auto& row : plane) {
                    for (float& x : row) x *= FftRowsMap::kScale;
                }
                filters_.push_back(spectrum_of(plane));
            }
        }
    }

    /// Sets the tile whose outputs() are computed: image, first row and column of its outputs.
    void set_tile(std::uint64_t image, std::int64_t row, std::int64_t column) {
        tile_.clear();
        norms_.clear();
        for (std::uint64_t c = 0; c < layer_.channels; ++c) {
            Plane plane{};
            for (std::size_t i = 0; i < kSide * kSide; ++i) {
                const std::int64_t at = layer_.input_at(
                    image, row + static_cast<std::int64_t>(i / kSide) - layer_.pad_y,
                    column + static_cast<std::int64_t>(i % kSide) - layer_.pad_x, c);
                if (at < 0) continue;
                plane.at(i / kSide).at(i % kSide) = input_.single(static_cast<std::uint64_t>(at));
            }
            norms_.push_back(norm_of(plane));
            tile_.push_back(spectrum_of(plane));
        }
    }

    [[nodiscard]] Plane outputs(std::uint64_t filter) const {
        const Spectrum* const filters = &filters_[filter * layer_.channels];
        Spectrum sums;
        for (std::size_t row = 0; row < kSide; ++row) {
            for (std::size_t bin = 0; bin < kBins; ++bin) {
                Complex& sum = sums[row][bin];
                for (std::uint64_t c = 0; c < layer_.channels; ++c) {
                    const Complex x = tile_[c][row][bin], w = filters[c][row][bin];
                    sum = {std::fma(x.re, w.re, sum.re), std::fma(x.re, -w.im, sum.im)};
                }
                for (std::uint64_t c = 0; c < layer_.channels; ++c) {
                    const Complex x = tile_[c][row][bin], w = filters[c][row][bin];
                    sum = {std::fma(x.im, w.im, sum.re), std::fma(x.im, w.re, sum.im)};
                }
            }
        }
        return plane_of(sums);
    }

    /// Sum over channels of the norms' products.
    [[nodiscard]] double magnitude(std::uint64_t filter) const {
        double sum = 0;
        for (std::uint64_t c = 0; c < layer_.channels; ++c) {
            sum += norms_[c] * filter_norms_[filter * layer_.channels + c];
        }
        return sum;
    }

private:
    const FftGeometry& g_;
    const SimtGeometry& layer_;
    const ValueGenerator& input_;
    std::vector<Spectrum> filters_, tile_;
    std::vector<double> filter_norms_, norms_;
};

}  // namespace

FftConvolution::FftConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                               const TargetMachine& machine)
    : Workload(config.layer.name.empty() ? "convolution" : config.layer.name, config, seed, values),
      geometry_(FftGeometry::make(config.layer)),
      input_rows_(geometry_, FftRowsMap::Of::kInput),
      filter_rows_(geometry_, FftRowsMap::Of::kFilters),
      input_columns_(geometry_, FftRowsMap::Of::kInput),
      filter_columns_(geometry_, FftRowsMap::Of::kFilters),
      output_columns_(geometry_),
      output_rows_(geometry_),
      activations_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kActivations, values)),
      weights_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kWeights, values)) {
    const SimtGeometry& layer = geometry_.layer;
    const Address input = allocate("input", layer.input_floats() * kBytes);
    const Address filters = allocate("filters", layer.filters * layer.depth() * kBytes);
    const Address input_rows = allocate("input_rows", input_rows_.floats() * kBytes);
    const Address filter_rows = allocate("filter_rows", filter_rows_.floats() * kBytes);
    SimtProductTask product;
    product.name = name() + ".fft.products";
    product.m = geometry_.tiles();
    product.n = 2 * layer.filters;
    product.k = product.a_pitch = product.b_pitch = 2 * geometry_.channel_pitch();
    product.d_pitch = simt_columns(product.n);
    product.batch = FftGeometry::kPoints;
    product.a_batch = product.m * product.k;
    product.b_batch = product.n * product.k;
    product.d_batch = product.m * product.d_pitch;
    product.a = allocate("transformed_input", product.batch * product.a_batch * kBytes);
    product.b = allocate("transformed_filters", product.batch * product.b_batch * kBytes);
    product.d = allocate("products", product.batch * product.d_batch * kBytes);
    product.granularity = machine.granularity;
    product.values = values;
    const Address output_rows = allocate("output_rows", output_columns_.floats() * kBytes);
    const Address output = allocate("output", layer.pixels() * layer.out_pitch() * kBytes);
    const auto map = [&](const char* which, const LaneMap& of, Address from, Address to) {
        return std::make_unique<LaneMapKernel>(
            LaneMapTask{name() + ".fft." + which, &of, from, to, machine.granularity, values});
    };
    add(map("input_rows", input_rows_, input, input_rows));
    add(map("input_columns", input_columns_, input_rows, product.a));
    add(map("filter_rows", filter_rows_, filters, filter_rows));
    add(map("filter_columns", filter_columns_, filter_rows, product.b));
    const Address products = product.d;
    add(std::make_unique<SimtProductKernel>(std::move(product)));
    add_completion(map("output_columns", output_columns_, products, output_rows));
    add_completion(map("output_rows", output_rows_, output_rows, output));
}

void FftConvolution::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    const SimtGeometry& layer = geometry_.layer;
    write_floats(write, region("input").base, activations_, 1, layer.input_floats(), 0);
    write_floats(write, region("filters").base, weights_, 1, layer.filters * layer.depth(), 0);
}

VerificationReport FftConvolution::verify(const MemoryReader& read, TensorCoreKind /*kind*/) const {
    VerificationReport report;
    if (!values()) return report;
    report.checked = true;
    const SimtGeometry& layer = geometry_.layer;
    GoldenFft golden(geometry_, activations_, weights_);
    const double unit = static_cast<double>(2 * layer.channels + 64) * 0x1p-23;
    const auto note = [&report](const std::string& text) {
        if (report.first_mismatch.empty()) report.first_mismatch = text;
    };
    for (std::uint64_t tile = 0; tile < geometry_.tiles(); ++tile) {
        const std::uint64_t of_image = geometry_.tile_rows * geometry_.tile_columns;
        const std::uint64_t image = tile / of_image;
        const std::uint64_t row = tile % of_image / geometry_.tile_columns * geometry_.out_rows();
        const std::uint64_t column = tile % geometry_.tile_columns * geometry_.out_columns();
        golden.set_tile(image, static_cast<std::int64_t>(row), static_cast<std::int64_t>(column));
        for (std::uint64_t filter = 0; filter < layer.filters; ++filter) {
            const Plane expected = golden.outputs(filter);
            const double allowed = unit * golden.magnitude(filter);
            for (std::uint64_t y = row; y < std::min(row + geometry_.out_rows(), layer.out_height);
                 ++y) {
                for (std::uint64_t x = column;
                     x < std::min(column + geometry_.out_columns(), layer.out_width); ++x) {
                    const std::uint64_t pixel =
                        (image * layer.out_height + y) * layer.out_width + x;
                    const float made = expected.at(y - row).at(x - column);
                    float got = 0;
                    read(region("output").base + (pixel * layer.out_pitch() + filter) * kBytes,
                         &got, sizeof got);
                    ++report.outputs;
                    if (std::memcmp(&got, &made, sizeof got) != 0) {
                        ++report.mismatches;
                        note(fmt::format("pixel {}, filter {}: expected {}, got {}", pixel, filter,
                                         made, got));
                    }
                    const double want =
                        defined_sum(layer, activations_, weights_, pixel, filter).sum;
                    ++report.scalar_samples;
                    if (!(std::abs(double{got} - want) <= allowed)) {
                        ++report.scalar_mismatches;
                        note(fmt::format("pixel {}, filter {}: expected {} +- {:.3g}, got {}",
                                         pixel, filter, want, allowed, got));
                    }
                }
            }
        }
    }
    return report;
}

}  // namespace tessera
