#include "sc_models/workload/simt/winograd_convolution.h"

#include <fmt/format.h>
#include <cmath>
#include <cstring>
#include <utility>

#include "sc_models/workload/simt/simt_convolution.h"

namespace tessera {
namespace {

constexpr std::uint64_t kBytes = sizeof(float);
constexpr std::size_t kSide = WinogradGeometry::kInput;
constexpr std::size_t kPoints = WinogradGeometry::kPoints;
constexpr std::size_t kFilterSide = WinogradGeometry::kFilter;
constexpr std::size_t kTileSide = WinogradGeometry::kTile;

/// A transform of one dimension: coefficients by row, and the order in which a row's terms are
/// added.
template <std::size_t kRows, std::size_t kColumns>
struct Transform {
    std::array<std::array<double, kColumns>, kRows> matrix;
    std::array<std::size_t, kColumns> order;

    /// The sum of a row's terms, each rounded to float, or of their magnitudes.
    template <class Element>
    [[nodiscard]] float sum(std::size_t row, const Element& element, bool magnitudes) const {
        float sum = 0;
        bool first = true;
        for (const std::size_t i : order) {
            const double coefficient = matrix[row][i];
            if (coefficient == 0) continue;
            float term = static_cast<float>(coefficient) * element(i);
            if (magnitudes) term = std::abs(term);
            sum = first ? term : sum + term;
            first = false;
        }
        return sum;
    }

    /// matrix * x * matrix^T, columns first.
    [[nodiscard]] std::array<float, kRows * kRows> both(const float* x, bool magnitudes) const {
        std::array<float, kRows * kColumns> columns{};
        for (std::size_t c = 0; c < kColumns; ++c) {
            for (std::size_t r = 0; r < kRows; ++r) {
                columns[r * kColumns + c] = sum(
                    r, [&](std::size_t i) { return x[i * kColumns + c]; }, magnitudes);
            }
        }
        std::array<float, kRows * kRows> result{};
        for (std::size_t r = 0; r < kRows; ++r) {
            for (std::size_t c = 0; c < kRows; ++c) {
                result[r * kRows + c] = sum(
                    c, [&](std::size_t i) { return columns[r * kColumns + i]; }, magnitudes);
            }
        }
        return result;
    }
};

constexpr Transform<kSide, kSide> kInputTransform = {
    {{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}}, {0, 1, 2, 3}};
constexpr Transform<kSide, kFilterSide> kFilterTransform = {
    {{{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}}}, {0, 2, 1}};
constexpr Transform<kTileSide, kSide> kOutputTransform = {{{{1, 1, 1, 0}, {0, 1, -1, -1}}},
                                                          {0, 1, 2, 3}};

/// Golden model of the layer, in matrix form and on its own indices. With `magnitudes` every term
/// counts with its magnitude, for the bound of rounding errors.
class GoldenWinograd {
public:
    GoldenWinograd(const WinogradGeometry& geometry, const ValueGenerator& input,
                   const ValueGenerator& filters, bool magnitudes)
        : geometry_(geometry), layer_(geometry.layer), input_(input), magnitudes_(magnitudes) {
        filters_.resize(layer_.filters * layer_.channels);
        std::array<float, kFilterSide * kFilterSide> taps{};
        for (std::uint64_t o = 0; o < layer_.filters; ++o) {
            for (std::uint64_t c = 0; c < layer_.channels; ++c) {
                for (std::size_t tap = 0; tap < taps.size(); ++tap) {
                    taps.at(tap) = filters.single((o * taps.size() + tap) * layer_.channels + c);
                }
                filters_[o * layer_.channels + c] = kFilterTransform.both(taps.data(), magnitudes);
            }
        }
    }

    /// Sets the tile whose outputs() are computed.
    void set_tile(std::uint64_t tile) {
        const std::uint64_t of_image = geometry_.tile_rows * geometry_.tile_columns;
        const auto row =
            static_cast<std::int64_t>(tile % of_image / geometry_.tile_columns * kTileSide);
        const auto column = static_cast<std::int64_t>(tile % geometry_.tile_columns * kTileSide);
        tile_.resize(layer_.channels);
        std::array<float, kPoints> window{};
        for (std::uint64_t c = 0; c < layer_.channels; ++c) {
            for (std::size_t i = 0; i < window.size(); ++i) {
                const std::int64_t at = layer_.input_at(
                    tile / of_image, row + static_cast<std::int64_t>(i / kSide) - layer_.pad_y,
                    column + static_cast<std::int64_t>(i % kSide) - layer_.pad_x, c);
                window.at(i) = at < 0 ? 0 : input_.single(static_cast<std::uint64_t>(at));
            }
            tile_[c] = kInputTransform.both(window.data(), magnitudes_);
        }
    }

    [[nodiscard]] std::array<float, kTileSide * kTileSide> outputs(std::uint64_t filter) const {
        std::array<float, kPoints> sums{};
        for (std::size_t point = 0; point < sums.size(); ++point) {
            for (std::uint64_t c = 0; c < layer_.channels; ++c) {
                sums.at(point) =
                    std::fma(tile_[c].at(point), filters_[filter * layer_.channels + c].at(point),
                             sums.at(point));
            }
        }
        return kOutputTransform.both(sums.data(), magnitudes_);
    }

private:
    const WinogradGeometry& geometry_;
    const SimtGeometry& layer_;
    const ValueGenerator& input_;
    const bool magnitudes_;
    std::vector<std::array<float, kPoints>> filters_, tile_;
};

}  // namespace

WinogradConvolution::WinogradConvolution(const WorkloadConfig& config, std::uint64_t seed,
                                         bool values, const TargetMachine& machine)
    : Workload(config.layer.name.empty() ? "convolution" : config.layer.name, config, seed, values),
      geometry_(WinogradGeometry::make(config.layer)),
      input_map_(geometry_),
      filter_map_(geometry_),
      output_map_(geometry_),
      activations_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kActivations, values)),
      weights_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kWeights, values)) {
    const SimtGeometry& layer = geometry_.layer;
    const std::uint64_t pitch = geometry_.channel_pitch();
    const Address input = allocate("input", layer.input_floats() * kBytes);
    const Address filters = allocate("filters", layer.filters * layer.depth() * kBytes);
    SimtProductTask product;
    product.name = name() + ".winograd.products";
    product.m = geometry_.tiles();
    product.n = layer.filters;
    product.k = product.a_pitch = product.b_pitch = pitch;
    product.d_pitch = layer.out_pitch();
    product.batch = kPoints;
    product.a_batch = product.m * pitch;
    product.b_batch = product.n * pitch;
    product.d_batch = product.m * product.d_pitch;
    product.a = allocate("transformed_input", kPoints * product.a_batch * kBytes);
    product.b = allocate("transformed_filters", kPoints * product.b_batch * kBytes);
    product.d = allocate("products", kPoints * product.d_batch * kBytes);
    product.granularity = machine.granularity;
    product.values = values;
    const Address output = allocate("output", layer.pixels() * layer.out_pitch() * kBytes);
    const auto transform = [&](const char* which, const LaneMap& map, Address from, Address to) {
        return std::make_unique<LaneMapKernel>(LaneMapTask{name() + ".winograd." + which, &map,
                                                           from, to, machine.granularity, values});
    };
    add(transform("input", input_map_, input, product.a));
    add(transform("filters", filter_map_, filters, product.b));
    const Address products = product.d;
    add(std::make_unique<SimtProductKernel>(std::move(product)));
    add_completion(transform("output", output_map_, products, output));
}

void WinogradConvolution::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    const SimtGeometry& layer = geometry_.layer;
    write_floats(write, region("input").base, activations_, 1, layer.input_floats(), 0);
    write_floats(write, region("filters").base, weights_, 1, layer.filters * layer.depth(), 0);
}

VerificationReport WinogradConvolution::verify(const MemoryReader& read,
                                               TensorCoreKind /*kind*/) const {
    VerificationReport report;
    if (!values()) return report;
    report.checked = true;
    const SimtGeometry& layer = geometry_.layer;
    GoldenWinograd golden(geometry_, activations_, weights_, false);
    GoldenWinograd bound(geometry_, activations_, weights_, true);
    const double unit = static_cast<double>(layer.channels + kPoints) * 0x1p-23;
    const auto note = [&report](const std::string& text) {
        if (report.first_mismatch.empty()) report.first_mismatch = text;
    };
    for (std::uint64_t tile = 0; tile < geometry_.tiles(); ++tile) {
        golden.set_tile(tile);
        bound.set_tile(tile);
        const std::uint64_t row = tile / geometry_.tile_columns % geometry_.tile_rows * kTileSide;
        const std::uint64_t column = tile % geometry_.tile_columns * kTileSide;
        const std::uint64_t image = tile / (geometry_.tile_rows * geometry_.tile_columns);
        for (std::uint64_t filter = 0; filter < layer.filters; ++filter) {
            const auto expected = golden.outputs(filter);
            const auto magnitudes = bound.outputs(filter);
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const std::uint64_t y = row + i / kTileSide;
                const std::uint64_t x = column + i % kTileSide;
                if (y >= layer.out_height || x >= layer.out_width) continue;
                const std::uint64_t pixel = (image * layer.out_height + y) * layer.out_width + x;
                float got = 0;
                read(region("output").base + (pixel * layer.out_pitch() + filter) * kBytes, &got,
                     sizeof got);
                ++report.outputs;
                if (std::memcmp(&got, &expected.at(i), sizeof got) != 0) {
                    ++report.mismatches;
                    note(fmt::format("pixel {}, filter {}: expected {}, got {}", pixel, filter,
                                     expected.at(i), got));
                }
                const double want = defined_sum(layer, activations_, weights_, pixel, filter).sum;
                const double allowed = unit * double{magnitudes.at(i)};
                ++report.scalar_samples;
                if (!(std::abs(double{got} - want) <= allowed)) {
                    ++report.scalar_mismatches;
                    note(fmt::format("pixel {}, filter {}: expected {} +- {:.3g}, got {}", pixel,
                                     filter, want, allowed, got));
                }
            }
        }
    }
    return report;
}

}  // namespace tessera
