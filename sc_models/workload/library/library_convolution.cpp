#include "sc_models/workload/library/library_convolution.h"

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sc_models/isa/convolution_packet.h"
#include "sc_models/workload/library/convolution_pass_operands.h"
#include "sc_models/workload/library/offsets_kernel.h"
#include "sc_models/workload/library/split_k_reduction.h"
#include "sc_models/workload/staged/staged_product_kernel.h"

namespace tessera {
namespace {

constexpr std::uint64_t kHalfBytes = sizeof(HalfBits);

constexpr std::string_view name_of(LayerPass pass) {
    constexpr std::string_view kNames[] = {"forward", "backward_data", "backward_weight"};
    return kNames[static_cast<std::size_t>(pass)];
}

/// Gradients of filters sum over pixels, so they have one order.
SumOrder order_of(const WorkloadConfig& config) {
    return config.pass == LayerPass::kBackwardWeight ? SumOrder::kTapsOuter : config.sum_order;
}

/// The layer with channels in units of 2 bytes.
LayerConfig layer_of(const WorkloadConfig& config) {
    LayerConfig layer = config.layer;
    layer.operands = config.operand_type();
    layer.channels = halves_of(layer.operands, layer.channels);
    return layer;
}

}  // namespace

DenseProblem problem_of(const ConvolutionPass& pass) {
    DenseProblem problem;
    problem.products = pass.members().size();
    problem.n = pass.columns_of_d();
    std::uint64_t rows = 0,
                  k = 1;  // input pixels without any output have no terms to sum
    for (const ConvolutionPass::Member& member : pass.members()) {
        rows += member.m;
        k = std::max(k, member.k);
    }
    problem.m = ceil_div(rows, problem.products);
    problem.k = k;
    problem.a_transposed = pass.pass() == LayerPass::kBackwardWeight;
    problem.b_transposed = pass.pass() != LayerPass::kForward;
    problem.lane_bytes = pass.lane_halves() * std::uint32_t{sizeof(HalfBits)};
    problem.tensor_bytes =
        (pass.input_elements() + pass.output_elements() + pass.filter_elements()) * kHalfBytes;
    problem.k_key = "the sums of workload.pass";
    problem.cudnn_divides_k = pass.pass() != LayerPass::kBackwardData;
    return problem;
}

DenseProblem problem_of_layer(const WorkloadConfig& config) {
    return problem_of(ConvolutionPass(layer_of(config), config.pass));
}

LibraryConvolution::LibraryConvolution(const WorkloadConfig& config, std::uint64_t seed,
                                       bool values, const PacketOptions& packet,
                                       const TargetMachine& machine)
    : Workload(config.layer.name.empty() ? "convolution" : config.layer.name, config, seed, values),
      layer_(layer_of(config)),
      pass_(layer_, config.pass, order_of(config)),
      choice_(choose_dense_kernel(problem_of(pass_), config, machine)),
      activations_(values_of(ValueGenerator::Tensor::kActivations)),
      weights_(values_of(ValueGenerator::Tensor::kWeights)),
      gradients_(values_of(ValueGenerator::Tensor::kGradients)) {
    place_sources();
    const bool integers = is_integer(layer_.operands);
    const bool wide = keeps_sums(layer_.operands);
    const DenseKernel& kernel = *choice_.kernel;
    const DenseProblem shape = problem_of(pass_);
    const bool divided = choice_.parts > 1;
    StagedProduct product;
    product.n = pass_.columns_of_d();
    for (const ConvolutionPass::Member& member : pass_.members()) {
        product.members.push_back({member.m, member.k});
        product.m = std::max(product.m, member.m);
        product.k = std::max(product.k, member.k);
    }
    product.places = &pass_;
    product.elements = pass_.result_elements();
    product.depth_tiles = kernel.step / kDepthTile;
    product.stages = kernel.stages;
    product.asynchronous = kernel.asynchronous;
    product.operands = layer_.operands;
    product.halves = !divided && !wide;
    product.reads_c = false;
    product.values = values;
    product.tiling = dense_tiling(kernel);
    product.tiling.cta_m = kernel.cta_m;
    product.tiling.cta_n = kernel.cta_n;
    product.tiling.warp_m = kernel.warp_m;
    product.tiling.warp_n = kernel.warp_n;
    product.tiling.raster = config.tiling.raster;
    const PlacedRequantization& requantization =
        place_requantization(config.layer.filters, pass_.output_pitch());
    if (!requantization.empty() && !integers) {
        throw std::logic_error(name() + " has a requantization, but no integers");
    }
    const std::uint64_t element = !requantization.empty() ? 1 : wide ? sizeof(float) : kHalfBytes;
    product.d = d_ = allocate("result", product.elements * element);
    const PlacedEpilogue& epilogue = epilogue_of_pass();
    SplitKSums sums{0,        choice_.parts,   product.elements, 0, d_, false, !wide,
                    epilogue, layer_.operands, requantization};
    if (divided) {
        const auto steps =
            static_cast<std::uint32_t>(ceil_div(product.k, std::uint64_t{kernel.step}));
        product.steps_per_part = ceil_div(steps, choice_.parts);
        part_k_ = std::uint64_t{product.steps_per_part} * kernel.step;
        sums.parts = product.d =
            allocate("parts", choice_.parts * product.elements * sizeof(float));
    } else {
        product.epilogue = epilogue;
        product.requantization = requantization;
    }
    const std::string kernel_name =
        fmt::format("{}.{}.{}{}{}", name(), name_of(pass_.pass()), prefix_of(layer_.operands),
                    kernel.name, divided ? fmt::format(".split{}", choice_.parts) : "");
    auto rows = operand(*a_, {0, product.m, 0, shape.a_transposed, kernel.cta_m});
    auto columns = operand(*b_, {0, product.n, 0, shape.b_transposed, kernel.cta_n});
    add_offsets();
    if (packet.wanted) place_packet();
    product.convolution_packet = packet_;
    add(std::make_unique<StagedProductKernel>(kernel_name, product, std::move(rows),
                                              std::move(columns)));
    if (divided) add_completion(std::make_unique<SplitKReduction>(name() + ".reduction", sums));
}

/// Values of a tensor of the layer.
ValueGenerator LibraryConvolution::values_of(ValueGenerator::Tensor tensor) const {
    const LayerConfig& layer = config().layer;
    ValueGenerator all = ValueGenerator::of(config(), seed(), tensor, values());
    const bool is_signed =
        layer_.operands == OperandType::kUint8 && tensor != ValueGenerator::Tensor::kActivations;
    return all.as_type(is_signed ? OperandType::kInt8 : layer_.operands, layer.channels);
}

/// Places the epilogue. Columns are channels of the result, without those added by rounding up.
const PlacedEpilogue& LibraryConvolution::epilogue_of_pass() {
    const bool forward = pass_.pass() == LayerPass::kForward;
    if (config().epilogue != nullptr && pass_.pass() == LayerPass::kBackwardWeight) {
        throw std::logic_error(name() + ": an epilogue of a gradient of filters");
    }
    const std::uint64_t pitch = forward ? pass_.output_pitch() : pass_.input_pitch();
    return place_epilogue(pass_.result_elements() / pitch,
                          forward ? config().layer.filters : config().layer.channels, pitch);
}

std::unique_ptr<StagedOperand> LibraryConvolution::operand(const ElementSource& source,
                                                           const DenseSide& side) const {
    GatheredOperand::Layout layout;
    layout.aside = side.aside;
    layout.cta_tiles = side.cta_lines / kLineTile;
    layout.lines = side.lines;
    layout.lane_bytes = pass_.lane_halves() * std::uint32_t{sizeof(HalfBits)};
    layout.swizzled = choice_.kernel->asynchronous;
    return std::make_unique<GatheredOperand>(&source, layout);
}

/// Allocates the tensors that the pass reads.
void LibraryConvolution::place_sources() {
    const auto place = [this](const char* region, std::uint64_t elements) {
        return allocate(region, elements * kHalfBytes);
    };
    const bool reads_input = pass_.pass() != LayerPass::kBackwardData;
    const bool reads_filters = pass_.pass() != LayerPass::kBackwardWeight;
    const bool reads_output = pass_.pass() != LayerPass::kForward;
    Address input = 0, filters = 0, output = 0;
    if (reads_input) input = place("input", pass_.input_elements());
    if (reads_filters) filters = place("filters", pass_.filter_elements());
    if (reads_output) output = place("output_gradient", pass_.output_elements());
    using Of = PixelSource::Of;
    switch (pass_.pass()) {
        case LayerPass::kForward:
            a_ = std::make_unique<PixelSource>(pass_, Of::kInput, input);
            b_ = std::make_unique<FilterSource>(pass_, filters);
            break;
        case LayerPass::kBackwardData:
            a_ = std::make_unique<PixelSource>(pass_, Of::kOutput, output);
            b_ = std::make_unique<FilterSource>(pass_, filters);
            break;
        case LayerPass::kBackwardWeight:
            a_ = std::make_unique<PixelSource>(pass_, Of::kOutput, output);
            b_ = std::make_unique<PixelSource>(pass_, Of::kInput, input);
            break;
    }
}

/// Adds cuDNN's computeOffsetsKernel; for gradients of inputs also computeBOffsetsKernel; for
/// gradients of filters computeWgradSplitKOffsetsKernel and computeWgradBOffsetsKernel instead. The
/// forward pass of a plain product needs none; its gradients have theirs on the card
/// (docs/library_kernels.md). CUTLASS's kernels, which copy asynchronously, take the host's table
/// of distances between taps as an argument (conv/threadblock/conv2d_params.h).
void LibraryConvolution::add_offsets() {
    if (choice_.kernel->asynchronous) return;
    if (pass_.pass() == LayerPass::kForward && pass_.is_plain_product()) return;
    const std::uint64_t steps = std::max<std::uint64_t>(
        1, ceil_div<std::uint64_t>(problem_of(pass_).k, DenseKernel::kStep));
    std::vector<const char*> tables = {"offsets"};
    if (pass_.pass() != LayerPass::kForward) tables.push_back("b_offsets");
    for (const char* const table : tables) {
        const Address at = allocate(table, OffsetsKernel::table_bytes(steps));
        add(std::make_unique<OffsetsKernel>(name() + "." + table, at, steps));
    }
}

/// Describes A's tensor: the input, or the output's gradient. With a stride pixels may be narrower
/// than a step, but no chunk holds parts of two.
void LibraryConvolution::place_packet() {
    const bool of_input = pass_.pass() == LayerPass::kForward;
    const std::uint64_t pixel = of_input ? pass_.input_pitch() : pass_.output_pitch();
    const std::uint64_t of_group = of_input ? pass_.channels() : pass_.filters();
    constexpr std::uint64_t kChunkHalves = kFragmentRowBytes / kHalfBytes;
    if (pass_.pass() == LayerPass::kBackwardWeight || pixel % kChunkHalves != 0 ||
        of_group % kChunkHalves != 0) {
        return;
    }
    packet_ = allocate("packet", ConvolutionPacket::kBytes);
}

void LibraryConvolution::initialise(const MemoryWriter& write) const {
    if (packet_ != 0) {
        const MemoryRegion& tensor =
            region(pass_.pass() == LayerPass::kForward ? "input" : "output_gradient");
        const ConvolutionPacket::Bytes packet =
            ConvolutionPacket::by_place(tensor.base, tensor.bytes / kFragmentRowBytes).encode();
        write(packet_, packet.data(), packet.size());
    }
    if (!values()) return;
    write_epilogue(write);
    write_requantization(write);
    const LayerConfig& layer = layer_;
    const auto pixels = static_cast<std::uint64_t>(pass_.rows().size * pass_.columns().size);
    const auto outputs =
        static_cast<std::uint64_t>(pass_.rows().outputs() * pass_.columns().outputs());
    if (pass_.pass() != LayerPass::kBackwardData) {
        write_pixels(write, "input", activations_, layer.batch * pixels, layer.channels,
                     pass_.input_pitch());
    }
    if (pass_.pass() != LayerPass::kBackwardWeight) write_filters(write);
    if (pass_.pass() != LayerPass::kForward) {
        write_pixels(write, "output_gradient", gradients_, layer.batch * outputs, layer.filters,
                     pass_.output_pitch());
    }
}

/// Writes pixels; unwritten memory is zero.
void LibraryConvolution::write_pixels(const MemoryWriter& write, const std::string& region_name,
                                      const ValueGenerator& values, std::uint64_t pixels,
                                      std::uint64_t channels, std::uint64_t pitch) const {
    std::vector<HalfBits> pixel(channels);
    for (std::uint64_t i = 0; i < pixels; ++i) {
        for (std::uint64_t c = 0; c < channels; ++c) pixel[c] = values(i * channels + c);
        write(region(region_name).base + i * pitch * kHalfBytes, pixel.data(),
              channels * kHalfBytes);
    }
}

void LibraryConvolution::write_filters(const MemoryWriter& write) const {
    const LayerConfig& layer = layer_;
    const std::uint64_t channels = layer.channels / layer.groups;
    std::vector<HalfBits> tap(channels);
    for (std::uint64_t i = 0; i < layer.filters * pass_.taps(); ++i) {
        for (std::uint64_t c = 0; c < channels; ++c) tap[c] = weights_(i * channels + c);
        write(region("filters").base + i * pass_.channels() * kHalfBytes, tap.data(),
              channels * kHalfBytes);
    }
}

VerificationReport LibraryConvolution::verify(const MemoryReader& read, TensorCoreKind kind) const {
    VerificationReport report;
    if (!values()) return report;
    ConvolutionPassOperands operands(layer_, pass_.pass(), order_of(config()),
                                     {&activations_, &weights_, &gradients_});
    for (std::uint32_t i = 0; i < pass_.members().size(); ++i) {
        const ConvolutionPass::Member& member = pass_.members()[i];
        ProductShape shape;
        shape.m = member.m;
        shape.n = pass_.columns_of_d();
        // Without terms to sum the golden model sums zeros.
        shape.k = round_up(std::max<std::uint64_t>(1, member.k), std::uint64_t{kDepthTile});
        shape.d = d_;
        shape.makes = [](std::uint64_t, std::uint64_t) { return true; };
        shape.part_k = part_k_;
        shape.halves = !keeps_sums(layer_.operands);
        shape.operands = layer_.operands;
        shape.element = [this, i](std::uint64_t row) { return pass_.element(i, row); };
        shape.epilogue = golden_epilogue(shape.element);
        check_requantized(shape);
        operands.select(member.group, member.class_y, member.class_x, shape.k);
        report.add(
            compare_with_golden(kind, shape, operands, read, seed() + i),
            fmt::format("group {}, class ({}, {})", member.group, member.class_y, member.class_x));
    }
    return report;
}

std::vector<Reference> LibraryConvolution::references() const {
    if (is_integer(layer_.operands)) return {};  // oneDNN's check is one of real numbers
    const LayerConfig& layer = config().layer;
    Reference reference;
    reference.channels_last = true;
    reference.pad_y = layer.pad_of_height();
    const auto input = [this, &layer] {
        return activations_.rounded(std::uint64_t{layer.batch} * layer.height * layer.width *
                                    layer.channels);
    };
    const auto filters = [this, &layer] {
        return weights_.rounded(std::uint64_t{layer.filters} * pass_.taps() *
                                (layer.channels / layer.groups));
    };
    const auto outputs = layer.batch * static_cast<std::uint64_t>(pass_.rows().outputs() *
                                                                  pass_.columns().outputs());
    const auto gradient = [this, &layer, outputs] {
        return gradients_.rounded(outputs * layer.filters);
    };
    ProductShape& result = reference.result;
    result.d = d_;
    result.halves = !keeps_sums(layer_.operands);
    result.operands = layer_.operands;
    result.makes = [](std::uint64_t, std::uint64_t) { return true; };
    switch (pass_.pass()) {
        case LayerPass::kForward:
            reference.kind = Reference::Kind::kConvolution;
            reference.source = input;
            reference.weights = filters;
            result.m = outputs;
            result.n = layer.filters;
            result.pitch = pass_.output_pitch();
            break;
        case LayerPass::kBackwardData:
            reference.kind = Reference::Kind::kInputGradient;
            reference.source = gradient;
            reference.weights = filters;
            result.m = std::uint64_t{layer.batch} * layer.height * layer.width;
            result.n = layer.channels;
            result.pitch = pass_.input_pitch();
            break;
        case LayerPass::kBackwardWeight:
            reference.kind = Reference::Kind::kFilterGradient;
            reference.source = input;
            reference.weights = gradient;
            result.m = layer.filters * pass_.taps();
            result.n = layer.channels / layer.groups;
            result.pitch = pass_.columns_of_tap();
            break;
    }
    return {reference};
}

}  // namespace tessera
