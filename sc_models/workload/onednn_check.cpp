#include "sc_models/workload/onednn_check.h"

#include <algorithm>
#include <cmath>
#include <dnnl.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "sc_models/workload/composition.h"
#include "sc_models/workload/direct_convolution.h"
#include "sc_models/workload/lowered_convolution.h"
#include "sc_models/workload/matrix_product.h"
#include "sc_models/workload/sparse_convolution.h"

namespace tessera {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

/// A computation of oneDNN that can be repeated on other values: tensors as the layer defines them,
/// and the primitive with the layouts it works fastest on.
struct Computation {
    dnnl::primitive primitive;
    memory::desc source_layout, weights_layout, result_layout;
    memory::desc fast_source, fast_weights, fast_result;
    std::vector<float> source, weights;
    std::uint64_t products = 0;  ///< of one output

    /// The same tensors with the layout left to oneDNN: with the plain ones it would fall back to
    /// its reference code, hundreds of times slower.
    static memory::desc any(const memory::desc& layout) {
        return {layout.dims(), layout.data_type(), Tag::any};
    }

    template <class PrimitiveDescriptor>
    void set_layouts(const PrimitiveDescriptor& descriptor) {
        fast_source = descriptor.src_desc();
        fast_weights = descriptor.weights_desc();
        fast_result = descriptor.dst_desc();
    }
};

/// oneDNN's CPU engine.
class Onednn {
public:
    Onednn() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

    [[nodiscard]] const dnnl::engine& engine() const { return engine_; }

    static memory::desc tensor(const memory::dims& dims, Tag tag) {
        return {dims, memory::data_type::f32, tag};
    }

    /// Runs `c` and returns its output in result_layout.
    std::vector<float> run(Computation& c) {
        std::vector<float> result(c.result_layout.get_size() / sizeof(float));
        memory out(c.result_layout, engine_, result.data());
        memory fast_out(c.fast_result, engine_);
        c.primitive.execute(
            stream_, {{DNNL_ARG_SRC, reordered(c.source_layout, c.source, c.fast_source)},
                      {DNNL_ARG_WEIGHTS, reordered(c.weights_layout, c.weights, c.fast_weights)},
                      {DNNL_ARG_DST, fast_out}});
        dnnl::reorder(fast_out, out).execute(stream_, fast_out, out);
        stream_.wait();
        return result;
    }

private:
    memory reordered(const memory::desc& from, std::vector<float>& values, const memory::desc& to) {
        memory plain(from, engine_, values.data());
        memory fast(to, engine_);
        dnnl::reorder(plain, fast).execute(stream_, plain, fast);
        return fast;
    }

    dnnl::engine engine_;
    dnnl::stream stream_;
};

std::vector<float> generate(const ValueGenerator& values, std::uint64_t count) {
    std::vector<float> tensor(count);
    for (std::uint64_t i = 0; i < count; ++i) tensor[i] = half_to_float(values(i));
    return tensor;
}

/// Turns every filter by 180 degrees: a deconvolution scatters what the equivalent convolution
/// gathers.
void turn_filters(std::vector<float>& weights, const LayerConfig& layer) {
    const std::uint64_t taps = std::uint64_t{layer.filter_height} * layer.filter_width;
    const std::uint64_t channels = layer.channels / layer.groups;
    for (std::uint64_t filter = 0; filter < layer.filters; ++filter) {
        float* first = &weights[filter * taps * channels];
        for (std::uint64_t tap = 0; tap < taps / 2; ++tap) {
            std::swap_ranges(first + tap * channels, first + (tap + 1) * channels,
                             first + (taps - 1 - tap) * channels);
        }
    }
}

/// Filters of a layer, whose channels are those of their group.
memory::desc filters_of(const LayerConfig& layer, Tag tag, Tag tag_of_groups) {
    const std::int64_t o = layer.filters, c = layer.channels, groups = layer.groups;
    const std::int64_t kh = layer.filter_height, kw = layer.filter_width;
    if (groups == 1) return Onednn::tensor({o, c, kh, kw}, tag);
    return Onednn::tensor({groups, o / groups, c / groups, kh, kw}, tag_of_groups);
}

/// Of the feature map `source` (NHWC) and the filters `weights` (OHWI). All sizes come from the
/// layer's description and none from the geometry that the kernels follow.
Computation make_convolution(Onednn& onednn, const LayerConfig& layer, std::vector<float> source,
                             std::vector<float> weights) {
    const std::int64_t n = layer.batch, c = layer.channels, o = layer.filters;
    const std::int64_t h = layer.height, w = layer.width;
    const std::int64_t kh = layer.filter_height, kw = layer.filter_width;
    const std::int64_t pad = layer.pad, stride = layer.stride;
    const auto outputs = [&](std::int64_t size, std::int64_t filter) {
        return layer.transposed ? size * stride + filter - 1 - 2 * pad
                                : (size + 2 * pad - filter) / stride + 1;
    };
    Computation k;
    k.source_layout = Onednn::tensor({n, c, h, w}, Tag::nhwc);
    k.weights_layout = filters_of(layer, Tag::ohwi, Tag::gohwi);
    k.result_layout = Onednn::tensor({n, o, outputs(h, kh), outputs(w, kw)}, Tag::nhwc);
    k.source = std::move(source);
    k.weights = std::move(weights);
    k.products = static_cast<std::uint64_t>(kh * kw * (c / layer.groups));
    const auto forward = dnnl::prop_kind::forward_inference;
    if (layer.transposed) {
        turn_filters(k.weights, layer);
        // Behind the last input pixel's copy stride - 1 more outputs are wanted.
        const std::int64_t pad_end = pad - (stride - 1);
        const dnnl::deconvolution_forward::desc operation(
            forward, dnnl::algorithm::deconvolution_direct, Computation::any(k.source_layout),
            Computation::any(k.weights_layout), Computation::any(k.result_layout), {stride, stride},
            {pad, pad}, {pad_end, pad_end});
        const dnnl::deconvolution_forward::primitive_desc descriptor(operation, onednn.engine());
        k.set_layouts(descriptor);
        k.primitive = dnnl::deconvolution_forward(descriptor);
    } else {
        const dnnl::convolution_forward::desc operation(
            forward, dnnl::algorithm::convolution_direct, Computation::any(k.source_layout),
            Computation::any(k.weights_layout), Computation::any(k.result_layout), {stride, stride},
            {pad, pad}, {pad, pad});
        const dnnl::convolution_forward::primitive_desc descriptor(operation, onednn.engine());
        k.set_layouts(descriptor);
        k.primitive = dnnl::convolution_forward(descriptor);
    }
    return k;
}

Computation make_product(Onednn& onednn, const GemmShapeConfig& shape) {
    const std::int64_t m = shape.m;
    const std::int64_t n = shape.n;
    const std::int64_t k = shape.k;
    Computation c;
    c.source_layout = Onednn::tensor({m, k}, Tag::ab);
    c.weights_layout = Onednn::tensor({k, n}, Tag::ba);
    c.result_layout = Onednn::tensor({m, n}, Tag::ab);
    c.products = static_cast<std::uint64_t>(k);
    const dnnl::matmul::desc operation(Computation::any(c.source_layout),
                                       Computation::any(c.weights_layout),
                                       Computation::any(c.result_layout));
    const dnnl::matmul::primitive_desc descriptor(operation, onednn.engine());
    c.set_layouts(descriptor);
    c.primitive = dnnl::matmul(descriptor);
    return c;
}

/// A tensor whose first two dimensions lie in memory the other way round.
memory::desc exchanged(const memory::dims& dims) {
    return Onednn::tensor(dims, Tag::bacd);
}

/// The three passes of a layer: a convolution, a deconvolution of the gradient, and a convolution
/// of the input by the gradient, which sums over images.
Computation make_direct(Onednn& onednn, const DirectConvolution& direct) {
    const LayerConfig& layer = direct.config().layer;
    const std::int64_t n = layer.batch, c = layer.channels, o = layer.filters;
    const std::int64_t h = layer.height, w = layer.width, groups = layer.groups;
    const std::int64_t kh = layer.filter_height, kw = layer.filter_width;
    const std::int64_t oh = direct.forward_height(), ow = direct.forward_width();
    const std::int64_t stride = layer.stride;
    const memory::dims pad = {layer.height > 1 ? std::int64_t{layer.pad} : 0, layer.pad};
    const auto forward = dnnl::prop_kind::forward_inference;
    const auto values = [](const ValueGenerator& generator, std::int64_t count) {
        std::vector<float> tensor(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = generator.single(i);
        return tensor;
    };
    Computation k;
    k.products = direct.geometry().operations_per_output() * direct.geometry().kernel_width;
    if (direct.geometry().pass == DirectPass::kBackwardData) {
        k.source = values(direct.gradients(), n * o * oh * ow);
        k.weights = values(direct.filters(), o * c * kh * kw);
        k.products = layer.filters * layer.filter_height * layer.filter_width;
        k.source_layout = Onednn::tensor({n, o, oh, ow}, Tag::nchw);
        k.weights_layout = exchanged({c, o, kh, kw});
        k.result_layout = Onednn::tensor({n, c, h, w}, Tag::nchw);
        const dnnl::deconvolution_forward::desc operation(
            forward, dnnl::algorithm::deconvolution_direct, Computation::any(k.source_layout),
            Computation::any(k.weights_layout), Computation::any(k.result_layout), {1, 1}, pad,
            pad);
        const dnnl::deconvolution_forward::primitive_desc descriptor(operation, onednn.engine());
        k.set_layouts(descriptor);
        k.primitive = dnnl::deconvolution_forward(descriptor);
        return k;
    }
    k.source = values(direct.activations(), n * c * h * w);
    if (direct.geometry().pass == DirectPass::kBackwardWeight) {
        k.weights = values(direct.gradients(), n * o * oh * ow);
        k.source_layout = exchanged({c, n, h, w});
        k.weights_layout = exchanged({o, n, oh, ow});
        k.result_layout = exchanged({c, o, kh, kw});
    } else {
        k.weights = values(direct.filters(), o * (c / groups) * kh * kw);
        k.source_layout = Onednn::tensor({n, c, h, w}, Tag::nchw);
        k.weights_layout = filters_of(layer, Tag::oihw, Tag::goihw);
        k.result_layout = Onednn::tensor({n, o, oh, ow}, Tag::nchw);
    }
    const dnnl::convolution_forward::desc operation(
        forward, dnnl::algorithm::convolution_direct, Computation::any(k.source_layout),
        Computation::any(k.weights_layout), Computation::any(k.result_layout), {stride, stride},
        pad, pad);
    const dnnl::convolution_forward::primitive_desc descriptor(operation, onednn.engine());
    k.set_layouts(descriptor);
    k.primitive = dnnl::convolution_forward(descriptor);
    return k;
}

std::vector<float> decode(const BitmapMatrix& matrix) {
    const std::vector<HalfBits> halves = matrix.decode();
    std::vector<float> tensor(halves.size());
    std::transform(halves.begin(), halves.end(), tensor.begin(), half_to_float);
    return tensor;
}

/// None for a workload that oneDNN has no primitive for.
std::optional<Computation> make_computation(Onednn& onednn, const Workload& workload) {
    if (const auto* layer = dynamic_cast<const LoweredConvolution*>(&workload)) {
        const LayerConfig& l = layer->config().layer;
        return make_convolution(
            onednn, l,
            generate(layer->activations(),
                     std::uint64_t{l.batch} * l.height * l.width * l.channels),
            generate(layer->weights(), std::uint64_t{l.filters} * l.filter_height * l.filter_width *
                                           (l.channels / l.groups)));
    }
    if (const auto* layer = dynamic_cast<const SparseConvolution*>(&workload)) {
        return make_convolution(onednn, layer->config().layer, decode(layer->map()),
                                decode(layer->filters()));
    }
    const GemmShapeConfig& shape = workload.config().gemm;
    if (const auto* product = dynamic_cast<const MatrixProduct*>(&workload)) {
        Computation c = make_product(onednn, shape);
        c.source = generate(product->a(), std::uint64_t{shape.m} * shape.k);
        c.weights = generate(product->b(), std::uint64_t{shape.n} * shape.k);
        return c;
    }
    if (const auto* product = dynamic_cast<const SparseProduct*>(&workload)) {
        Computation c = make_product(onednn, shape);
        c.source = decode(product->a());
        c.weights = decode(product->b());
        return c;
    }
    if (const auto* direct = dynamic_cast<const DirectConvolution*>(&workload)) {
        return make_direct(onednn, *direct);
    }
    return std::nullopt;
}

/// Adds an output to the report: what memory has against oneDNN's, with the sum of magnitudes.
void compare(OnednnReport& report, double unit, float stored, float expected, float magnitude) {
    const double error = std::fabs(static_cast<double>(stored) - static_cast<double>(expected));
    const double bound = unit * static_cast<double>(magnitude);
    ++report.outputs;
    if (!(error <= bound)) ++report.violations;  // also when it is a NaN
    report.max_error = std::max(report.max_error, error);
    if (error > 0) {
        report.max_error_over_bound = std::max(report.max_error_over_bound, error / bound);
    }
}

void compare_images(OnednnReport& report, double unit, const DirectConvolution& direct,
                    const MemoryReader& read, const std::vector<float>& expected,
                    const std::vector<float>& magnitude) {
    const DirectGeometry& g = direct.geometry();
    const std::size_t image = std::size_t{g.planes} * g.out_height * g.out_width;
    std::vector<float> stored(image);
    for (std::size_t n = 0; n * image < expected.size(); ++n) {
        read(direct.kernel().regions().output + n * g.out_image * sizeof(float), stored.data(),
             image * sizeof(float));
        for (std::size_t i = 0; i < image; ++i) {
            compare(report, unit, stored[i], expected[n * image + i], magnitude[n * image + i]);
        }
    }
}

void add(OnednnReport& all, const OnednnReport& one) {
    all.outputs += one.outputs;
    all.violations += one.violations;
    all.max_error = std::max(all.max_error, one.max_error);
    all.max_error_over_bound = std::max(all.max_error_over_bound, one.max_error_over_bound);
}

void make_absolute(std::vector<float>& values) {
    for (float& value : values) value = std::fabs(value);
}

}  // namespace

OnednnReport compare_with_onednn(const Workload& workload, const MemoryReader& read) {
    OnednnReport report;
    if (!workload.values()) {
        report.skipped = "oneDNN check skipped because the run moved no values";
        return report;
    }
    if (const auto* composition = dynamic_cast<const Composition*>(&workload)) {
        for (const auto& way : composition->ways()) add(report, compare_with_onednn(*way, read));
        return report;
    }
    Onednn onednn;
    std::optional<Computation> computation = make_computation(onednn, workload);
    if (!computation) {
        report.skipped = "oneDNN check skipped because oneDNN has nothing like " + workload.name();
        return report;
    }
    Computation& c = *computation;
    const std::vector<float> expected = onednn.run(c);
    make_absolute(c.source);
    make_absolute(c.weights);
    const std::vector<float> magnitude = onednn.run(c);

    const double unit = 1.5 * static_cast<double>(c.products) * 0x1p-23;
    if (const auto* direct = dynamic_cast<const DirectConvolution*>(&workload)) {
        compare_images(report, unit, *direct, read, expected, magnitude);
        return report;
    }
    const ProductShape& shape = workload.product();
    std::vector<float> stored(shape.n);
    for (std::uint64_t row = 0; row < shape.m; ++row) {
        read(shape.d + row * shape.pitch * sizeof(float), stored.data(), shape.n * sizeof(float));
        for (std::uint64_t column = 0; column < shape.n; ++column) {
            if (!shape.makes(row, column)) continue;
            const std::uint64_t element = row * shape.n + column;
            compare(report, unit, stored[column], expected[element], magnitude[element]);
        }
    }
    return report;
}

}  // namespace tessera
