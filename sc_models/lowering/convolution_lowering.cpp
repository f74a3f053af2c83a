#include "sc_models/lowering/convolution_lowering.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sc_models/lowering/volume_lowering.h"

namespace tessera {

using network::Node;
using network::OperatorCall;
using network::Shape;
using network::Window;

namespace {

void set_pad(LayerConfig& layer, std::int64_t height, std::int64_t width) {
    layer.pad = side_of(width);
    if (height == width) return;
    layer.pad_height = side_of(height);
    layer.pad_width = side_of(width);
}

/// Number of pixels of a side, including padding, that the windows of a transposed convolution
/// reach.
std::int64_t reach_of(const Window& window, std::size_t side) {
    return (window.output[side] - 1) * window.stride[side] +
           (window.taps[side] - 1) * window.dilation[side] + 1;
}

/// Extends `window` to that of the whole gradient along the sides from `first` on, and likewise
/// `whole`, which includes the slices. `cut` becomes the padding that crops the whole gradient to
/// the output; slices have their own.
void leave_whole(Window& window, std::size_t first, Window& whole, Window& cut) {
    cut.pad_begin = cut.pad_end = {};
    for (std::size_t side = first; side < network::kImageSides; ++side) {
        const std::int64_t full =
            window.image[side] + window.pad_begin[side] + window.pad_end[side];
        // Output padding of a stride or more adds pixels that no convolution with this output
        // reads.
        const std::int64_t beyond =
            (full - reach_of(window, side)) / window.stride[side] * window.stride[side];
        cut.pad_begin[side] = -window.pad_begin[side];
        cut.pad_end[side] = beyond - window.pad_end[side];
        window.image[side] = whole.image[side] = full - beyond;
        window.pad_begin[side] = window.pad_end[side] = 0;
        whole.pad_begin[side] = whole.pad_end[side] = 0;
    }
}

/// Whether trailing padding equal to the leading padding yields the actual outputs.
bool is_padded_evenly(const Window& window, std::size_t side) {
    const std::int64_t reach = (window.taps[side] - 1) * window.dilation[side] + 1;
    const std::int64_t padded = window.image[side] + 2 * window.pad_begin[side];
    return (padded - reach) / window.stride[side] + 1 == window.output[side];
}

}  // namespace

void set_window(const Window& window, LayerConfig& layer) {
    layer.filter_height = side_of(window.taps[1]);
    layer.filter_width = side_of(window.taps[2]);
    layer.stride = side_of(window.stride[2]);
    if (window.stride[1] != window.stride[2] && window.sides >= 2) {
        layer.stride_height = side_of(window.stride[1]);
        layer.stride_width = side_of(window.stride[2]);
    }
    const bool rows = window.taps[1] > 1;
    const bool columns = window.taps[2] > 1;
    layer.dilation = side_of(columns ? window.dilation[2] : rows ? window.dilation[1] : 1);
    set_pad(layer, window.pad_begin[1], window.pad_begin[2]);
}

PlacedTensor ConvolutionLowering::lower() {
    const OperatorCall call = layers_.call_of(node_);
    Window window = Window::of_convolution(call);
    PlacedTensor x = in_layout(layers_.placed(node_.inputs[0]), true, layers_.sink());
    PlacedTensor weights = layers_.placed(node_.inputs[1]);
    LoweredLayer lowered;
    lowered.kind = LoweredLayer::Kind::kConvolution;
    LayerConfig& layer = lowered.layer;
    const std::int64_t groups = call.attributes().integer("group", 1);
    const VolumeLowering::Slices slices = VolumeLowering::take_slices(window, x, weights, false);
    const bool volumes = slices.sides > 0;
    set_window(window, layer);
    weights = volumes ? VolumeLowering::filters_of_volumes(weights, groups, false)
                      : weights.with_channels_last(true);
    if (volumes) x = VolumeLowering::images_of_volumes(layers_, x, slices, groups);
    for (const std::size_t side : {1U, 2U}) {
        if (is_padded_evenly(window, side)) continue;
        // Pads the input on all sides first.
        x = padded(x, window);
        for (const std::size_t both : {1U, 2U}) {
            window.image[both] += window.pad_begin[both] + window.pad_end[both];
        }
        layer.pad_height = layer.pad_width = LayerConfig::kSame;
        layer.pad = 0;
        break;
    }
    layer.batch = side_of(x.shape[0]);
    layer.height = side_of(window.image[1]);
    layer.width = side_of(window.image[2]);
    layer.channels = side_of(x.shape[1]);
    layer.filters = side_of(weights.shape[0]);
    layer.groups = side_of(groups);
    lowered.shape = layer_text(layer) + (volumes ? ", by slices" : "");
    lowered.given.activations = x.elements;
    lowered.given.weights = weights.elements;
    return add_convolution(std::move(lowered), x, weights);
}

/// Lowers to the gradient of the input of the convolution whose output this one's input is. If the
/// paddings before and behind differ, the whole gradient is computed and then cropped.
PlacedTensor ConvolutionLowering::lower_transposed() {
    const OperatorCall call = layers_.call_of(node_);
    Window window = Window::of_transposed_convolution(call);
    PlacedTensor x = in_layout(layers_.placed(node_.inputs[0]), true, layers_.sink());
    PlacedTensor weights = layers_.placed(node_.inputs[1]);
    LoweredLayer lowered;
    lowered.kind = LoweredLayer::Kind::kConvolution;
    lowered.pass = LayerPass::kBackwardData;
    LayerConfig& layer = lowered.layer;
    const std::int64_t groups = call.attributes().integer("group", 1);
    const Window file = window;
    const VolumeLowering::Slices slices = VolumeLowering::take_slices(window, x, weights, true);
    const bool volumes = slices.sides > 0;
    const std::size_t first = network::kImageSides - file.sides + slices.sides;
    weights = volumes ? VolumeLowering::filters_of_volumes(weights, groups, true)
                      : weights.with_channels_last(true);
    if (volumes) x = VolumeLowering::images_of_volumes(layers_, x, slices, groups);
    bool even = true;
    for (std::size_t side = first; side < network::kImageSides; ++side) {
        even = even && is_padded_evenly(window, side) && window.pad_begin[side] >= 0;
    }
    Window whole = file, cut = file;
    if (!even) leave_whole(window, first, whole, cut);
    set_window(window, layer);
    layer.batch = side_of(x.shape[0]);
    layer.height = side_of(window.image[1]);
    layer.width = side_of(window.image[2]);
    layer.channels = side_of(weights.shape[1] * groups);
    layer.filters = side_of(weights.shape[0]);
    layer.groups = side_of(groups);
    lowered.shape = layer_text(layer) + (volumes ? ", by slices" : "") + ", transposed";
    lowered.given.activations = x.elements;
    lowered.given.weights = weights.elements;
    if (even) return add_convolution(std::move(lowered), x, weights);
    PlacedTensor result =
        product_.add_of(transposed_by(whole), std::move(lowered), x, weights, true, {});
    result = padded(result, cut);
    return call.has(2) ? with_bias(result, layers_.placed(node_.inputs[2]), 1) : result;
}

/// Returns the transposed convolution alone, with this padding and the resulting output.
Node ConvolutionLowering::transposed_by(const Window& window) const {
    Node node = node_;
    node.epilogue.clear();
    node.inputs.resize(2);
    Shape pads = window.shape_of(window.pad_begin);
    const Shape ends = window.shape_of(window.pad_end);
    pads.insert(pads.end(), ends.begin(), ends.end());
    if (std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad < 0; })) {
        layers_.call_of(node_).fail(
            "output_shape: there is no kernel for slices that no window reaches, expected at most "
            "those of pads 0");
    }
    Shape added;
    for (std::size_t i = 0; i < window.sides; ++i) {
        const std::size_t side = network::kImageSides - window.sides + i;
        added.push_back(window.image[side] + pads[i] + ends[i] - reach_of(window, side));
    }
    node.attributes.set("pads", pads);
    node.attributes.set("output_padding", added);
    node.attributes.set("auto_pad", std::string("NOTSET"));
    node.attributes.set("output_shape", Shape());
    return node;
}

PlacedTensor ConvolutionLowering::add_convolution(LoweredLayer lowered, const PlacedTensor& x,
                                                  const PlacedTensor& weights) {
    const bool biased = layers_.call_of(node_).has(2);
    ProductLayer::Fused fused;
    if (product_.fuses()) {
        const Shape& shape = layers_.graph().value(node_.outputs[0]).type.shape;
        if (biased) {
            PlacedTensor bias = layers_.placed(node_.inputs[2]);
            bias.shape = Shape(shape.size(), 1);
            bias.shape[1] = shape[1];
            fused.addend = product_.fuse_with(TensorOperator::kAdd, bias, shape,
                                              ProductLayer::Columns::kChannels, false, fused);
        }
        if (fused.addend || !biased)
            product_.fuse_epilogue(shape, ProductLayer::Columns::kChannels, fused);
    }
    PlacedTensor result = product_.add(std::move(lowered), x, weights, true, fused);
    if (!biased || fused.addend) return result;
    return with_bias(result, layers_.placed(node_.inputs[2]), 1);
}

/// Adds a bias, one value per channel or feature.
PlacedTensor ConvolutionLowering::with_bias(const PlacedTensor& x, PlacedTensor bias,
                                            std::size_t side) {
    Shape shape(x.shape.size(), 1);
    shape[side] = x.shape[side];
    bias.shape = shape;
    bias = bias.with_channels_last(x.channels_last);
    TensorOperation operation;
    operation.op = TensorOperator::kAdd;
    operation.operands = {x.sides(), bias.sides()};
    return layers_.add_operation("Bias", operation, {x, bias}, {{x.shape, x.channels_last}}).at(0);
}

PlacedTensor ConvolutionLowering::padded(const PlacedTensor& x, const Window& window) {
    TensorOperation operation;
    operation.op = TensorOperator::kPad;
    operation.operands = {x.sides()};
    std::vector<std::int64_t> before(x.shape.size());
    std::vector<std::int64_t> after(x.shape.size());
    Shape shape = x.shape;
    for (std::size_t i = 0; i < window.sides; ++i) {
        const std::size_t from = network::kImageSides - window.sides + i;
        before[2 + i] = window.pad_begin[from];
        after[2 + i] = window.pad_end[from];
        shape[2 + i] += before[2 + i] + after[2 + i];
    }
    operation.pads_before = x.for_sides(before);
    operation.pads_after = x.for_sides(after);
    return layers_.add_operation("Pad", operation, {x}, {{shape, x.channels_last}}).at(0);
}

}  // namespace tessera
