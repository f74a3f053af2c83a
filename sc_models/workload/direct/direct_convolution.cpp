#include "sc_models/workload/direct/direct_convolution.h"

#include <fmt/format.h>
#include <cmath>

namespace tessera {
namespace {

std::string pass_name(LayerPass pass) {
    constexpr const char* kNames[] = {"forward", "backward_data", "backward_weight"};
    return kNames[static_cast<std::size_t>(pass)];
}

std::uint32_t output_side(std::uint32_t size, std::uint32_t pad, std::uint32_t filter,
                          std::uint32_t stride) {
    return (size + 2 * pad - filter) / stride + 1;
}

}  // namespace

DirectConvolution::DirectConvolution(const WorkloadConfig& config, std::uint64_t seed, bool values,
                                     const AccessGranularity& granularity)
    : Workload(config.layer.name.empty() ? "direct." + pass_name(config.pass) : config.layer.name,
               config, seed, values),
      geometry_(DirectGeometry::make(config.layer, config.pass, config.direct)),
      forward_height_(output_side(config.layer.height, config.layer.pad_of_height(),
                                  config.layer.filter_height, config.layer.stride)),
      forward_width_(output_side(config.layer.width, config.layer.pad_of_width(),
                                 config.layer.filter_width, config.layer.stride)),
      activations_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kActivations, values)),
      filters_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kWeights, values)),
      gradients_(ValueGenerator::of(config, seed, ValueGenerator::Tensor::kGradients, values)) {
    DirectConvolutionKernel::Regions regions;
    regions.input = allocate("input", geometry_.input_floats * kFloatBytes);
    regions.weights = allocate("weights", geometry_.weight_floats * kFloatBytes);
    regions.output = allocate("output", geometry_.output_floats * kFloatBytes);
    auto kernel = std::make_unique<DirectConvolutionKernel>(name(), geometry_, config.direct,
                                                            regions, granularity);
    kernel_ = kernel.get();
    add(std::move(kernel));
}

float DirectConvolution::input(std::uint32_t n, std::uint32_t c, std::int64_t y,
                               std::int64_t x) const {
    const LayerConfig& layer = config().layer;
    if (y < 0 || x < 0 || y >= layer.height || x >= layer.width) return 0;
    return activations_.single(
        ((std::uint64_t{n} * layer.channels + c) * layer.height + static_cast<std::uint64_t>(y)) *
            layer.width +
        static_cast<std::uint64_t>(x));
}

float DirectConvolution::filter(std::uint32_t o, std::uint32_t c, std::uint32_t y,
                                std::uint32_t x) const {
    const LayerConfig& layer = config().layer;
    const std::uint64_t channels = layer.channels / layer.groups;
    return filters_.single(((o * channels + c) * layer.filter_height + y) * layer.filter_width + x);
}

float DirectConvolution::gradient(std::uint32_t n, std::uint32_t o, std::int64_t y,
                                  std::int64_t x) const {
    if (y < 0 || x < 0 || y >= forward_height_ || x >= forward_width_) return 0;
    return gradients_.single(((std::uint64_t{n} * config().layer.filters + o) * forward_height_ +
                              static_cast<std::uint64_t>(y)) *
                                 forward_width_ +
                             static_cast<std::uint64_t>(x));
}

std::vector<float> DirectConvolution::input_image(std::uint32_t n) const {
    const DirectGeometry& g = geometry_;
    const bool backward = g.pass == LayerPass::kBackwardData;
    std::vector<float> image(g.in_image);
    float* out = image.data();
    for (std::uint32_t plane = 0; plane < g.in_planes; ++plane) {
        for (std::uint32_t y = 0; y < g.in_height; ++y) {
            for (std::uint32_t x = 0; x < g.in_width; ++x) {
                const std::int64_t row = std::int64_t{y} - g.pad_y;
                const std::int64_t column = std::int64_t{x} - g.pad_x;
                if (g.transposed_product) {
                    *out++ = gradient(n, x, 0, 0);
                } else {
                    *out++ =
                        backward ? gradient(n, plane, row, column) : input(n, plane, row, column);
                }
            }
        }
    }
    return image;
}

std::vector<float> DirectConvolution::weights() const {
    const DirectGeometry& g = geometry_;
    std::vector<float> all(g.weight_floats);
    if (g.pass == LayerPass::kBackwardWeight) {
        for (std::uint32_t n = 0; n < g.batch; ++n) {
            float* out = all.data() + n * g.weight_image;
            for (std::uint32_t o = 0; o < config().layer.filters; ++o) {
                for (std::uint32_t y = 0; y < g.kernel_height; ++y) {
                    for (std::uint32_t x = 0; x < g.kernel_width; ++x) {
                        *out++ = gradient(n, o, y, x);
                    }
                }
            }
        }
        return all;
    }
    float* out = all.data();
    for (std::uint32_t plane = 0; plane < g.planes; ++plane) {
        for (std::uint32_t r = 0; r < g.reduction; ++r) {
            for (std::uint32_t y = 0; y < g.kernel_height; ++y) {
                for (std::uint32_t x = 0; x < g.kernel_width; ++x) {
                    if (g.transposed_product) {
                        *out++ = filter(x, 0, 0, plane);
                    } else if (g.pass == LayerPass::kBackwardData) {
                        *out++ = filter(r, plane, g.kernel_height - 1 - y, g.kernel_width - 1 - x);
                    } else {
                        *out++ = filter(plane, r, y, x);
                    }
                }
            }
        }
    }
    return all;
}

void DirectConvolution::initialise(const MemoryWriter& write) const {
    if (!values()) return;
    const auto& regions = kernel_->regions();
    for (std::uint32_t n = 0; n < geometry_.batch; ++n) {
        const std::vector<float> image = input_image(n);
        write(regions.input + n * geometry_.in_image * kFloatBytes, image.data(),
              image.size() * kFloatBytes);
    }
    const std::vector<float> all = weights();
    write(regions.weights, all.data(), all.size() * kFloatBytes);
}

DirectConvolution::Expected DirectConvolution::expected(std::uint32_t image, std::uint32_t plane,
                                                        std::uint32_t y, std::uint32_t x) const {
    const LayerConfig& layer = config().layer;
    const std::int64_t pad_y = layer.pad_of_height(), pad_x = layer.pad_of_width();
    Expected result;
    const auto add = [&result](float a, float b) {
        const double product = double{a} * double{b};
        result.sum += product;
        result.magnitude += std::abs(product);
        ++result.products;
    };
    if (geometry_.pass == LayerPass::kForward) {
        const std::uint32_t channels = layer.channels / layer.groups;
        const std::uint32_t first = plane / (layer.filters / layer.groups) * channels;
        for (std::uint32_t c = 0; c < channels; ++c) {
            for (std::uint32_t kh = 0; kh < layer.filter_height; ++kh) {
                for (std::uint32_t kw = 0; kw < layer.filter_width; ++kw) {
                    add(input(image, first + c, std::int64_t{y} * layer.stride + kh - pad_y,
                              std::int64_t{x} * layer.stride + kw - pad_x),
                        filter(plane, c, kh, kw));
                }
            }
        }
    } else if (geometry_.pass == LayerPass::kBackwardData) {
        // Gradient of input element (plane, y, x); a transposed product's planes are its columns.
        const std::uint32_t c = geometry_.transposed_product ? 0 : plane;
        const std::int64_t column = geometry_.transposed_product ? plane : x;
        for (std::uint32_t o = 0; o < layer.filters; ++o) {
            for (std::uint32_t kh = 0; kh < layer.filter_height; ++kh) {
                for (std::uint32_t kw = 0; kw < layer.filter_width; ++kw) {
                    add(gradient(image, o, y + pad_y - kh, column + pad_x - kw),
                        filter(o, c, kh, kw));
                }
            }
        }
    } else {
        const std::uint32_t o = plane / layer.channels, c = plane % layer.channels;
        for (std::uint32_t n = 0; n < layer.batch; ++n) {
            for (std::uint32_t i = 0; i < forward_height_; ++i) {
                for (std::uint32_t j = 0; j < forward_width_; ++j) {
                    add(input(n, c, std::int64_t{y} + i - pad_y, std::int64_t{x} + j - pad_x),
                        gradient(n, o, i, j));
                }
            }
        }
    }
    return result;
}

VerificationReport DirectConvolution::verify(const MemoryReader& read,
                                             TensorCoreKind /*kind*/) const {
    VerificationReport report;
    if (!values()) return report;
    report.checked = true;
    const DirectGeometry& g = geometry_;
    const bool exact =
        config().activations == ValuePattern::kDyadic && config().weights == ValuePattern::kDyadic;
    const std::uint32_t images = g.pass == LayerPass::kBackwardWeight ? 1 : g.batch;
    std::vector<float> row(g.out_width);
    for (std::uint32_t n = 0; n < images; ++n) {
        for (std::uint32_t plane = 0; plane < g.planes; ++plane) {
            for (std::uint32_t y = 0; y < g.out_height; ++y) {
                const std::uint64_t index = g.output_plane(n, plane) + y * g.out_width;
                read(kernel_->regions().output + index * kFloatBytes, row.data(),
                     row.size() * kFloatBytes);
                for (std::uint32_t x = 0; x < g.out_width; ++x) {
                    const Expected want = expected(n, plane, y, x);
                    const double allowed =
                        exact ? 0 : static_cast<double>(want.products) * 0x1p-23 * want.magnitude;
                    ++report.outputs;
                    if (std::abs(double{row[x]} - want.sum) <= allowed) continue;
                    if (report.mismatches++ == 0) {
                        report.first_mismatch = fmt::format(
                            "output[{}][{}][{}][{}]: expected {}{}, got {}", n, plane, y, x,
                            want.sum, exact ? "" : fmt::format(" +- {:.3g}", allowed), row[x]);
                    }
                }
            }
        }
    }
    return report;
}

std::vector<Reference> DirectConvolution::references() const {
    using Kind = Reference::Kind;
    const LayerConfig& layer = config().layer;
    const auto tensor = [](const ValueGenerator& values, std::uint64_t count) {
        return [&values, count] {
            std::vector<float> elements(count);
            for (std::uint64_t i = 0; i < count; ++i) elements[i] = values.single(i);
            return elements;
        };
    };
    const std::uint64_t channels = layer.channels / layer.groups;
    const auto input = tensor(
        activations_, std::uint64_t{layer.batch} * layer.channels * layer.height * layer.width);
    const auto filters =
        tensor(filters_, layer.filters * channels * layer.filter_height * layer.filter_width);
    const auto gradient = tensor(
        gradients_, std::uint64_t{layer.batch} * layer.filters * forward_height_ * forward_width_);
    Reference reference;
    reference.pad_y = layer.pad_of_height();
    reference.source = input;
    reference.weights = filters;
    switch (geometry_.pass) {
        case LayerPass::kForward:
            reference.kind = Kind::kConvolution;
            break;
        case LayerPass::kBackwardData:
            reference.kind = Kind::kInputGradient;
            reference.source = gradient;
            break;
        case LayerPass::kBackwardWeight:
            reference.kind = Kind::kFilterGradient;
            reference.weights = gradient;
            break;
    }
    const DirectGeometry& g = geometry_;
    ProductShape& result = reference.result;
    result.m = g.pass == LayerPass::kBackwardWeight ? 1 : g.batch;
    result.n = std::uint64_t{g.planes} * g.out_height * g.out_width;
    result.d = kernel_->regions().output;
    result.pitch = g.out_image;
    result.makes = [](std::uint64_t, std::uint64_t) { return true; };
    return {reference};
}

}  // namespace tessera
