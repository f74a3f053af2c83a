#include "sc_models/workload/simt/simt_convolution.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "sc_models/workload/generated_operands.h"

namespace tessera {
namespace {

constexpr std::uint64_t kFloat = sizeof(float);

std::vector<float> singles(const ValueGenerator& values, std::uint64_t count) {
    std::vector<float> all(count);
    for (std::uint64_t i = 0; i < count; ++i) all[i] = values.single(i);
    return all;
}

/// Compares rows of floats in memory bit for bit with `expected(row, column)`.
VerificationReport compare_rows(
    const MemoryReader& read, Address base, std::uint64_t rows, std::uint64_t columns,
    std::uint64_t pitch,
    const std::function<float(std::uint64_t row, std::uint64_t column)>& expected) {
    VerificationReport report;
    report.checked = true;
    std::vector<float> got(columns);
    for (std::uint64_t row = 0; row < rows; ++row) {
        read(base + row * pitch * kFloat, got.data(), columns * kFloat);
        for (std::uint64_t column = 0; column < columns; ++column) {
            const float want = expected(row, column);
            ++report.outputs;
            if (std::memcmp(&want, &got[column], sizeof want) == 0) continue;
            if (report.mismatches++ > 0) continue;
            report.first_mismatch =
                fmt::format("D[{}][{}]: expected {}, got {}", row, column, want, got[column]);
        }
    }
    return report;
}

}  // namespace

void write_floats(const MemoryWriter& write, Address base, const ValueGenerator& values,
                  std::uint64_t rows, std::uint64_t columns, std::uint64_t pitch) {
    std::vector<float> row(columns);
    for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t j = 0; j < columns; ++j) row[j] = values.single(i * columns + j);
        write(base + i * pitch * kFloat, row.data(), columns * kFloat);
    }
}

DefinedSum defined_sum(const SimtGeometry& geometry, const ValueGenerator& input,
                       const ValueGenerator& filters, std::uint64_t pixel, std::uint64_t filter) {
    DefinedSum result;
    std::uint64_t weight = filter * geometry.depth();
    for (std::uint64_t y = 0; y < geometry.filter_height; ++y) {
        for (std::uint64_t x = 0; x < geometry.filter_width; ++x) {
            for (std::uint64_t c = 0; c < geometry.channels; ++c, ++weight) {
                const std::int64_t at = geometry.input_of(pixel, y, x, c);
                if (at < 0) continue;
                const double product = double{input.single(static_cast<std::uint64_t>(at))} *
                                       double{filters.single(weight)};
                result.sum += product;
                result.magnitude += std::abs(product);
            }
        }
    }
    return result;
}

Reference simt_reference(const SimtGeometry& geometry, const LayerConfig& layer,
                         const ValueGenerator& activations, const ValueGenerator& weights,
                         Address output) {
    Reference reference;
    reference.kind = Reference::Kind::kConvolution;
    reference.channels_last = true;
    reference.pad_y = layer.pad_of_height();
    reference.source = [&] { return singles(activations, geometry.input_floats()); };
    reference.weights = [&] { return singles(weights, geometry.filters * geometry.depth()); };
    ProductShape& result = reference.result;
    result.m = geometry.pixels();
    result.n = geometry.filters;
    result.d = output;
    result.pitch = geometry.out_pitch();
    result.makes = [](std::uint64_t, std::uint64_t) { return true; };
    return reference;
}

// Im2colMap

std::uint32_t Im2colMap::steps() const {
    return static_cast<std::uint32_t>(
        ceil_div<std::uint64_t>(geometry_.taps(), std::uint64_t{kMostFloats}));
}

LaneMap::Step Im2colMap::step(std::uint32_t step) const {
    constexpr std::uint32_t kOfTap = 2;  // address and bounds: chosen
    Step what;
    const std::uint64_t first = std::uint64_t{step} * kMostFloats;
    what.inputs = what.outputs =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostFloats, geometry_.taps() - first));
    what.integers = kOfTap * what.inputs;
    return what;
}

std::int64_t Im2colMap::source(std::uint64_t thread, std::uint32_t step, std::uint32_t i) const {
    const std::uint64_t tap = std::uint64_t{step} * kMostFloats + i;
    return geometry_.input_of(thread / geometry_.channels, tap / geometry_.filter_width,
                              tap % geometry_.filter_width, thread % geometry_.channels);
}

std::int64_t Im2colMap::result(std::uint64_t thread, std::uint32_t step, std::uint32_t i) const {
    const std::uint64_t tap = std::uint64_t{step} * kMostFloats + i;
    return static_cast<std::int64_t>(thread / geometry_.channels * simt_depth(geometry_.depth()) +
                                     tap * geometry_.channels + thread % geometry_.channels);
}

// SimtConvolution

SimtConvolution::SimtConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                                 const TargetMachine& machine)
    : Workload(config.layer.name.empty() ? "convolution" : config.layer.name, config, seed, values),
      geometry_(SimtGeometry::make(config.layer)),
      im2col_(geometry_),
      activations_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kActivations, values)),
      weights_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kWeights, values)) {
    const std::uint64_t depth = simt_depth(geometry_.depth());
    LaneMapTask lowering;
    lowering.name = name() + ".im2col";
    lowering.map = &im2col_;
    lowering.source = allocate("input", geometry_.input_floats() * kFloat);
    SimtProductTask product;
    product.name = name() + ".forward.simt";
    product.b = allocate("filters", geometry_.filters * depth * kFloat);
    product.a = allocate("workspace", geometry_.pixels() * depth * kFloat);
    product.d = allocate("output", geometry_.pixels() * geometry_.out_pitch() * kFloat);
    product.m = geometry_.pixels();
    product.n = geometry_.filters;
    product.k = product.a_pitch = product.b_pitch = depth;
    product.d_pitch = geometry_.out_pitch();
    lowering.result = product.a;
    lowering.granularity = product.granularity = machine.granularity;
    lowering.values = product.values = values;
    add(std::make_unique<LaneMapKernel>(std::move(lowering)));
    add(std::make_unique<SimtProductKernel>(std::move(product)));
}

void SimtConvolution::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    write_floats(write, region("input").base, activations_, 1, geometry_.input_floats(), 0);
    write_floats(write, region("filters").base, weights_, geometry_.filters, geometry_.depth(),
                 simt_depth(geometry_.depth()));
}

VerificationReport SimtConvolution::verify(const MemoryReader& read,
                                           TensorCoreKind /*kind*/) const {
    if (!values()) return {};
    const SimtGeometry& g = geometry_;
    const std::vector<float> input = singles(activations_, g.input_floats());
    const std::vector<float> filters = singles(weights_, g.filters * g.depth());
    return compare_rows(read, region("output").base, g.pixels(), g.filters, g.out_pitch(),
                        [&](std::uint64_t pixel, std::uint64_t filter) {
                            float sum = 0;
                            const float* weight = filters.data() + filter * g.depth();
                            for (std::uint64_t y = 0; y < g.filter_height; ++y) {
                                for (std::uint64_t x = 0; x < g.filter_width; ++x) {
                                    for (std::uint64_t c = 0; c < g.channels; ++c, ++weight) {
                                        const std::int64_t at = g.input_of(pixel, y, x, c);
                                        if (at < 0) continue;
                                        sum = std::fma(input[static_cast<std::uint64_t>(at)],
                                                       *weight, sum);
                                    }
                                }
                            }
                            return sum;
                        });
}

std::vector<Reference> SimtConvolution::references() const {
    if (config().layer.transposed) return {};
    return {
        simt_reference(geometry_, config().layer, activations_, weights_, region("output").base)};
}

// SimtMatrixProduct

SimtMatrixProduct::SimtMatrixProduct(const WorkloadConfig& config, std::uint64_t seed, bool values,
                                     const TargetMachine& machine)
    : Workload(product_name(config.gemm), config, seed, values),
      activations_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kActivations, values)),
      weights_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kWeights, values)) {
    SimtProductTask product;
    product.name = name() + ".simt";
    product.m = config.gemm.m;
    product.n = config.gemm.n;
    product.k = product.a_pitch = product.b_pitch = simt_depth(config.gemm.k);
    product.d_pitch = simt_columns(product.n);
    product.a = allocate("a", product.m * product.k * kFloat);
    product.b = allocate("b", product.n * product.k * kFloat);
    product.d = allocate("d", product.m * product.d_pitch * kFloat);
    product.granularity = machine.granularity;
    product.values = values;
    add(std::make_unique<SimtProductKernel>(std::move(product)));
}

void SimtMatrixProduct::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    const GemmShapeConfig& shape = config().gemm;
    const std::uint64_t pitch = simt_depth(shape.k);
    write_floats(write, region("a").base, activations_, shape.m, shape.k, pitch);
    write_floats(write, region("b").base, weights_, shape.n, shape.k, pitch);
}

VerificationReport SimtMatrixProduct::verify(const MemoryReader& read,
                                             TensorCoreKind /*kind*/) const {
    if (!values()) return {};
    const GemmShapeConfig& shape = config().gemm;
    const std::uint64_t k = shape.k;
    const std::vector<float> a = singles(activations_, shape.m * k);
    const std::vector<float> b = singles(weights_, shape.n * k);
    return compare_rows(read, region("d").base, shape.m, shape.n, simt_columns(shape.n),
                        [&](std::uint64_t row, std::uint64_t column) {
                            float sum = 0;
                            for (std::uint64_t i = 0; i < k; ++i) {
                                sum = std::fma(a[row * k + i], b[column * k + i], sum);
                            }
                            return sum;
                        });
}

std::vector<Reference> SimtMatrixProduct::references() const {
    const GemmShapeConfig& shape = config().gemm;
    Reference reference;
    reference.source = [this, &shape] {
        return singles(activations_, std::uint64_t{shape.m} * shape.k);
    };
    reference.weights = [this, &shape] {
        return singles(weights_, std::uint64_t{shape.n} * shape.k);
    };
    ProductShape& result = reference.result;
    result.m = shape.m;
    result.n = shape.n;
    result.k = shape.k;
    result.d = region("d").base;
    result.pitch = simt_columns(shape.n);
    result.makes = [](std::uint64_t, std::uint64_t) { return true; };
    return {reference};
}

}  // namespace tessera
