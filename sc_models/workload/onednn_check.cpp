#include "sc_models/workload/onednn_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <dnnl.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sc_models/common/error.h"
#include "sc_models/workload/given_layer.h"

namespace tessera {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

/// A computation of oneDNN that can be repeated on other values: tensors according to the layer's
/// definition, and the primitive with its fastest layouts.
struct Computation {
    dnnl::primitive primitive;
    memory::desc source_layout, weights_layout, result_layout;
    memory::desc fast_source, fast_weights, fast_result;
    std::vector<float> source, weights;
    std::uint64_t products = 0;  ///< of one output
    int source_argument = DNNL_ARG_SRC, weights_argument = DNNL_ARG_WEIGHTS,
        result_argument = DNNL_ARG_DST;

    /// Returns the same tensors with the layout left to oneDNN: with plain layouts it would fall
    /// back to its reference code, which is hundreds of times slower.
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
            stream_, {{c.source_argument, reordered(c.source_layout, c.source, c.fast_source)},
                      {c.weights_argument, reordered(c.weights_layout, c.weights, c.fast_weights)},
                      {c.result_argument, fast_out}});
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

/// Rotates every filter by 180 degrees: a deconvolution scatters where the equivalent convolution
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

/// Sizes of a layer's tensors, all from its description.
struct Sides {
    std::int64_t n, c, o, h, w, kh, kw, oh, ow, groups;
    memory::dims stride, pad;
    memory::dims dilation;  ///< in oneDNN's unit: pixels between taps

    Sides(const LayerConfig& layer, std::uint32_t pad_y)
        : n(layer.batch),
          c(layer.channels),
          o(layer.filters),
          h(layer.height),
          w(layer.width),
          kh(layer.filter_height),
          kw(layer.filter_width),
          groups(layer.groups),
          stride{layer.stride_of_height(), layer.stride_of_width()},
          pad{pad_y, layer.pad_of_width()},
          dilation{layer.dilation - 1, layer.dilation - 1} {
        const auto outputs = [&](std::int64_t size, std::int64_t filter, std::size_t axis) {
            if (layer.transposed) return size * stride[axis] + filter - 1 - 2 * pad[axis];
            const std::int64_t wide = (filter - 1) * (dilation[axis] + 1) + 1;
            return (size + 2 * pad[axis] - wide) / stride[axis] + 1;
        };
        oh = outputs(h, kh, 0);
        ow = outputs(w, kw, 1);
    }

    [[nodiscard]] memory::desc input(bool channels_last) const {
        return Onednn::tensor({n, c, h, w}, channels_last ? Tag::nhwc : Tag::nchw);
    }
    [[nodiscard]] memory::desc output(bool channels_last) const {
        return Onednn::tensor({n, o, oh, ow}, channels_last ? Tag::nhwc : Tag::nchw);
    }
    /// A filter has the channels of its group.
    [[nodiscard]] memory::desc filters(bool channels_last) const {
        if (groups == 1) {
            return Onednn::tensor({o, c, kh, kw}, channels_last ? Tag::ohwi : Tag::oihw);
        }
        return Onednn::tensor({groups, o / groups, c / groups, kh, kw},
                              channels_last ? Tag::gohwi : Tag::goihw);
    }
};

dnnl::convolution_forward::primitive_desc forward_of(const Onednn& onednn, const Sides& s,
                                                     const memory::desc& input,
                                                     const memory::desc& filters,
                                                     const memory::desc& output) {
    const dnnl::convolution_forward::desc operation(
        dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
        Computation::any(input), Computation::any(filters), Computation::any(output), s.stride,
        s.dilation, s.pad, s.pad);
    return {operation, onednn.engine()};
}

void set_convolution(Computation& c, const Onednn& onednn, const Sides& s) {
    const auto descriptor =
        forward_of(onednn, s, c.source_layout, c.weights_layout, c.result_layout);
    c.set_layouts(descriptor);
    c.primitive = dnnl::convolution_forward(descriptor);
}

/// Sets up the gradient of the input, whose source is the output's gradient.
void set_input_gradient(Computation& c, const Onednn& onednn, const Sides& s) {
    const auto forward = forward_of(onednn, s, c.result_layout, c.weights_layout, c.source_layout);
    const dnnl::convolution_backward_data::desc operation(
        dnnl::algorithm::convolution_direct, Computation::any(c.result_layout),
        Computation::any(c.weights_layout), Computation::any(c.source_layout), s.stride, s.dilation,
        s.pad, s.pad);
    const dnnl::convolution_backward_data::primitive_desc descriptor(operation, onednn.engine(),
                                                                     forward);
    c.fast_source = descriptor.diff_dst_desc();
    c.fast_weights = descriptor.weights_desc();
    c.fast_result = descriptor.diff_src_desc();
    c.source_argument = DNNL_ARG_DIFF_DST;
    c.result_argument = DNNL_ARG_DIFF_SRC;
    c.primitive = dnnl::convolution_backward_data(descriptor);
}

/// Sets up the gradient of the filters. The output's gradient takes the place of the weights.
void set_filter_gradient(Computation& c, const Onednn& onednn, const Sides& s) {
    const auto forward = forward_of(onednn, s, c.source_layout, c.result_layout, c.weights_layout);
    const dnnl::convolution_backward_weights::desc operation(
        dnnl::algorithm::convolution_direct, Computation::any(c.source_layout),
        Computation::any(c.result_layout), Computation::any(c.weights_layout), s.stride, s.dilation,
        s.pad, s.pad);
    const dnnl::convolution_backward_weights::primitive_desc descriptor(operation, onednn.engine(),
                                                                        forward);
    c.fast_source = descriptor.src_desc();
    c.fast_weights = descriptor.diff_dst_desc();
    c.fast_result = descriptor.diff_weights_desc();
    c.weights_argument = DNNL_ARG_DIFF_DST;
    c.result_argument = DNNL_ARG_DIFF_WEIGHTS;
    c.primitive = dnnl::convolution_backward_weights(descriptor);
}

void set_deconvolution(Computation& c, const Onednn& onednn, const Sides& s) {
    // The last input pixel is followed by stride - 1 more outputs.
    const memory::dims pad_end = {s.pad[0] - (s.stride[0] - 1), s.pad[1] - (s.stride[1] - 1)};
    const dnnl::deconvolution_forward::desc operation(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::deconvolution_direct,
        Computation::any(c.source_layout), Computation::any(c.weights_layout),
        Computation::any(c.result_layout), s.stride, s.pad, pad_end);
    const dnnl::deconvolution_forward::primitive_desc descriptor(operation, onednn.engine());
    c.set_layouts(descriptor);
    c.primitive = dnnl::deconvolution_forward(descriptor);
}

void set_product(Computation& c, const Onednn& onednn, const GemmShapeConfig& shape,
                 bool by_columns) {
    const std::int64_t m = by_columns ? shape.n : shape.m;
    const std::int64_t n = by_columns ? shape.m : shape.n;
    const std::int64_t k = shape.k;
    c.source_layout = Onednn::tensor({m, k}, Tag::ab);
    c.weights_layout = Onednn::tensor({k, n}, Tag::ba);
    c.result_layout = Onednn::tensor({m, n}, Tag::ab);
    c.products = shape.k;
    const dnnl::matmul::desc operation(Computation::any(c.source_layout),
                                       Computation::any(c.weights_layout),
                                       Computation::any(c.result_layout));
    const dnnl::matmul::primitive_desc descriptor(operation, onednn.engine());
    c.set_layouts(descriptor);
    c.primitive = dnnl::matmul(descriptor);
}

Computation make_computation(const Onednn& onednn, const WorkloadConfig& config,
                             const Reference& reference) {
    const LayerConfig& layer = config.layer;
    Computation c;
    c.source = reference.source();
    c.weights = reference.weights();
    if (reference.kind == Reference::Kind::kProduct) {
        set_product(c, onednn, config.gemm, reference.result.by_columns);
        return c;
    }
    const Sides s(layer, reference.pad_y);
    const bool last = reference.channels_last;
    switch (reference.kind) {
        case Reference::Kind::kInputGradient:
            c.source_layout = s.output(last);
            c.weights_layout = s.filters(last);
            c.result_layout = s.input(last);
            c.products = static_cast<std::uint64_t>(s.o / s.groups * s.kh * s.kw);
            set_input_gradient(c, onednn, s);
            return c;
        case Reference::Kind::kFilterGradient:
            c.source_layout = s.input(last);
            c.weights_layout = s.output(last);
            c.result_layout = s.filters(last);
            c.products = static_cast<std::uint64_t>(s.n * s.oh * s.ow);
            set_filter_gradient(c, onednn, s);
            return c;
        default:
            break;
    }
    c.source_layout = s.input(last);
    c.weights_layout = s.filters(last);
    c.result_layout = s.output(last);
    c.products = static_cast<std::uint64_t>(s.kh * s.kw * (s.c / s.groups));
    if (layer.transposed) {
        turn_filters(c.weights, layer);
        set_deconvolution(c, onednn, s);
    } else {
        set_convolution(c, onednn, s);
    }
    return c;
}

/// An element of the result: the value in memory, oneDNN's value, and the sum of its products'
/// magnitudes.
struct Output {
    double stored = 0, expected = 0, magnitude = 0;
    int roundings = 0;  ///< to 16 bits, of the value in memory and of the expected one
    Float16 format = Float16::kFp16;
};

/// Limits of rounding to 16 bits.
struct Rounding {
    double largest;   ///< number
    double overflow;  ///< the smallest value that rounds to infinity
    double relative;  ///< a little more than half a unit in the last place, of the magnitude
    double smallest;  ///< half the smallest number
};

Rounding rounding_of(Float16 format) {
    if (format == Float16::kBf16) return {0x1.fep127, 0x1.ffp127, 0x1.01p-8, 0x1p-134};
    return {65504, 65520, 0x1.002p-11, 0x1p-25};
}

/// Half a unit in the last place of a number of this magnitude, or of the smallest number.
double half_rounding(Float16 format, double magnitude) {
    const Rounding rounding = rounding_of(format);
    return std::max(magnitude * rounding.relative, rounding.smallest);
}

/// Whether `other`, which is accurate to `slack`, might round to `infinity`, given that one of the
/// two has 16 bits.
bool may_overflow_to(double infinity, double other, double slack, Float16 format) {
    return std::isfinite(slack) && std::signbit(infinity) == std::signbit(other) &&
           std::fabs(other) + slack >= rounding_of(format).overflow;
}

/// Whether memory and oneDNN agree if one of the two is infinite or a NaN: sums with such products
/// do not depend on the order.
bool agrees_beyond_numbers(double slack, const Output& output) {
    const auto [stored, expected, magnitude, roundings, format] = output;
    if (std::isnan(stored) || std::isnan(expected))
        return std::isnan(stored) && std::isnan(expected);
    if (stored == expected) return true;
    if (roundings == 0 || (std::isinf(stored) && std::isinf(expected))) return false;
    return std::isinf(stored) ? may_overflow_to(stored, expected, slack, format)
                              : may_overflow_to(expected, stored, slack, format);
}

/// Adds an output to the report: compares the value in memory with oneDNN's, given the sum of
/// magnitudes.
void compare(OnednnReport& report, double unit, const Output& output) {
    const double expected = output.expected;
    if (!std::isfinite(output.stored) || !std::isfinite(expected)) {
        ++report.outputs;
        const double slack =
            unit * output.magnitude +
            output.roundings * half_rounding(output.format, rounding_of(output.format).largest);
        if (agrees_beyond_numbers(slack, output)) return;
        ++report.violations;
        report.max_error = std::numeric_limits<double>::infinity();
        return;
    }
    const double error = std::fabs(output.stored - expected);
    const double bound = unit * output.magnitude +
                         output.roundings * half_rounding(output.format, std::fabs(expected));
    ++report.outputs;
    if (!(error <= bound)) ++report.violations;  // also when the bound is a NaN
    report.max_error = std::max(report.max_error, error);
    if (error > 0) {
        report.max_error_over_bound = std::max(report.max_error_over_bound, error / bound);
    }
}

void make_absolute(std::vector<float>& values) {
    for (float& value : values) value = std::fabs(value);
}

void compare(OnednnReport& report, const WorkloadConfig& config, const Reference& reference,
             const MemoryReader& read) {
    Onednn onednn;
    Computation c = make_computation(onednn, config, reference);
    const std::vector<float> expected = onednn.run(c);
    make_absolute(c.source);
    make_absolute(c.weights);
    const std::vector<float> magnitude = onednn.run(c);

    // The known result of a network's layer is rounded to half and may have the same error as
    // oneDNN's.
    const GivenLayer::Elements known =
        config.given_layer != nullptr ? config.given_layer->result : nullptr;
    if (known != nullptr && known->size() != expected.size()) {
        throw ConfigError("workload.given.file: got a result of another size than the layer's");
    }
    constexpr double kNoBound = 1e30;  // for functions of unbounded slope
    const ProductEpilogue* const epilogue = config.epilogue.get();
    const double unit = 1.5 * static_cast<double>(c.products) * 0x1p-23;
    const ProductShape& shape = reference.result;
    if (expected.size() < shape.m * shape.n) {
        throw std::logic_error("oneDNN's result is smaller than the workload's");
    }
    const Float16 format = format_of(shape.operands);
    const std::size_t bytes = shape.halves ? sizeof(HalfBits) : sizeof(float);
    std::vector<float> stored(shape.n);
    std::vector<HalfBits> halves(shape.halves ? shape.n : 0);
    for (std::uint64_t row = 0; row < shape.m; ++row) {
        const Address at = shape.d + row * shape.pitch * bytes;
        if (shape.halves) {
            read(at, halves.data(), shape.n * bytes);
            std::transform(halves.begin(), halves.end(), stored.begin(),
                           [format](HalfBits half) { return to_float(half, format); });
        } else {
            read(at, stored.data(), shape.n * bytes);
        }
        for (std::uint64_t column = 0; column < shape.n; ++column) {
            if (!shape.makes(row, column)) continue;
            const std::uint64_t element = row * shape.n + column;
            const double added = shape.c ? shape.c(row, column) : 0;
            double wanted = expected[element] + added;
            double growth = 1;
            if (epilogue != nullptr) {
                growth = std::min(epilogue->growth(row, column, shape.n), kNoBound);
                wanted = epilogue->apply(static_cast<float>(wanted), row, column, shape.n);
            }
            const double bound_of = growth * (magnitude[element] + std::fabs(added)) +
                                    (epilogue != nullptr ? std::fabs(wanted) : 0);
            compare(report, unit, {stored[column], wanted, bound_of, shape.halves ? 1 : 0, format});
            if (known == nullptr) continue;
            compare(report, 2 * unit,
                    {stored[column], to_float((*known)[element], format), bound_of,
                     shape.halves ? 2 : 1, format});
        }
    }
}

}  // namespace

OnednnReport compare_with_onednn(const Workload& workload, const MemoryReader& read) {
    OnednnReport report;
    if (!workload.values()) {
        report.skipped = "oneDNN check skipped because the run moved no values";
        return report;
    }
    const std::vector<Reference> references = workload.references();
    if (references.empty()) {
        report.skipped = "oneDNN check skipped because oneDNN has nothing like " + workload.name();
    }
    for (const Reference& reference : references) {
        compare(report, workload.config(), reference, read);
    }
    return report;
}

}  // namespace tessera
