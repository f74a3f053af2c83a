#include "sc_models/workload/given_sizes.h"

#include <fmt/format.h>
#include <string>

#include "sc_models/common/error_kinds.h"
#include "sc_models/workload/layer_pass.h"

namespace tessera {
namespace {

/// Numbers of elements of the tensors of a product or a convolution.
struct Sizes {
    std::uint64_t activations = 0, weights = 0;
    std::uint64_t rows = 0, columns = 0;  ///< of the result
};

[[noreturn]] void refuse(const std::string& what) {
    throw FileError("workload.given.file: " + what);
}

void expect_size(const std::string& name, const GivenLayer::Elements& given,
                 std::uint64_t expected) {
    if (given == nullptr || given->size() == expected) return;
    refuse(fmt::format("got {} of {} elements, expected {} as the layer has them", name,
                       given->size(), expected));
}

/// Number of windows along a side; 0 if the filter does not fit.
std::uint64_t outputs_of(std::uint64_t size, std::uint64_t filter, std::uint64_t pad,
                         std::uint64_t stride, std::uint64_t dilation) {
    const std::uint64_t reach = (filter - 1) * dilation + 1;
    return size + 2 * pad < reach ? 0 : (size + 2 * pad - reach) / stride + 1;
}

Sizes sizes_of_convolution(const WorkloadConfig& given) {
    if (given.pass == LayerPass::kBackwardWeight) {
        refuse("got workload.pass 'backward_weight', expected forward or backward_data");
    }
    const WorkloadConfig config = without_transposition(given);
    const LayerConfig& layer = config.layer;
    const std::uint64_t pixels = std::uint64_t{layer.batch} * layer.height * layer.width;
    const std::uint64_t outputs =
        layer.batch *
        outputs_of(layer.height, layer.filter_height, layer.pad_of_height(),
                   layer.stride_of_height(), layer.dilation) *
        outputs_of(layer.width, layer.filter_width, layer.pad_of_width(), layer.stride_of_width(),
                   layer.dilation);
    Sizes sizes;
    sizes.weights = std::uint64_t{layer.filters} * layer.filter_height * layer.filter_width *
                    (layer.channels / layer.groups);
    const bool forward = config.pass == LayerPass::kForward;
    sizes.activations = forward ? pixels * layer.channels : outputs * layer.filters;
    sizes.rows = forward ? outputs : pixels;
    sizes.columns = forward ? layer.filters : layer.channels;
    return sizes;
}

Sizes sizes_of_product(const GemmShapeConfig& gemm) {
    return {std::uint64_t{gemm.m} * gemm.k, std::uint64_t{gemm.n} * gemm.k, gemm.m, gemm.n};
}

void check_attention_sizes(const AttentionConfig& a, const GivenLayer& layer) {
    const std::uint64_t head = a.head_size, keys = a.context + a.tokens;
    const std::uint64_t of_queries = std::uint64_t{a.batch} * a.tokens * a.heads * head;
    const std::uint64_t of_keys = a.batch * keys * a.kv_heads * head;
    std::vector<std::uint64_t> sizes = {of_queries, of_keys, of_keys};
    if (a.layout == AttentionLayout::kPacked) sizes = {of_queries + 2 * of_keys};
    if (a.mask == AttentionMask::kKeys) sizes.push_back(a.batch * keys);
    if (layer.operands.size() != sizes.size()) {
        refuse(fmt::format("got {} operands, expected {} of attention", layer.operands.size(),
                           sizes.size()));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        expect_size(fmt::format("operand {} of attention", i), layer.operands[i], sizes[i]);
    }
    expect_size("result", layer.result, of_queries);
}

}  // namespace

void check_operand_sizes(const TensorOperation& operation,
                         const std::vector<GivenLayer::Elements>& operands) {
    if (operands.size() != operation.operands.size()) {
        refuse(fmt::format("got {} operands, expected {} of {}", operands.size(),
                           operation.operands.size(), name_of(operation.op)));
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
        expect_size(fmt::format("operand {} of {}", i, name_of(operation.op)), operands[i],
                    elements_of(operation.operands[i]) *
                        (given_type(operation, i) == TensorType::kFp32 ? 2 : 1));
    }
}

void check_given_sizes(const WorkloadConfig& config) {
    const GivenLayer& layer = *config.given_layer;
    if (layer.operation.has_value() != (config.kind == WorkloadKind::kTensor)) {
        refuse(layer.operation ? "got an operator that is no product, expected workload.kind tensor"
                               : "got a product, expected another workload.kind than tensor");
    }
    if (layer.operation) {
        check_tensor_operation(*layer.operation);
        check_operand_sizes(*layer.operation, layer.operands);
        return;
    }
    if (config.kind == WorkloadKind::kAttention) {
        check_attention_sizes(config.attention, layer);
        return;
    }
    if (!layer.operands.empty()) refuse("got attention, expected workload.kind attention");
    const bool product =
        config.kind == WorkloadKind::kGemm || config.kind == WorkloadKind::kSparseGemm;
    const Sizes sizes = product ? sizes_of_product(config.gemm) : sizes_of_convolution(config);
    expect_size("activations", layer.activations, sizes.activations);
    expect_size("weights", layer.weights, sizes.weights);
    expect_size("result", layer.result, sizes.rows * sizes.columns);
    if (layer.requantization != nullptr) {
        const Requantization& rule = *layer.requantization;
        if (rule.bias.size() != sizes.columns || rule.factors.size() != sizes.columns) {
            refuse(fmt::format("got a requantization of {} and {} columns, expected {}",
                               rule.bias.size(), rule.factors.size(), sizes.columns));
        }
    }
    if (layer.epilogue == nullptr) return;
    for (std::size_t i = 0; i < layer.epilogue->operands().size(); ++i) {
        const ProductEpilogue::Operand& operand = layer.epilogue->operands()[i];
        const bool each = operand.place == ProductEpilogue::OperandExtent::kElements;
        expect_size(fmt::format("operand {} of the epilogue", i), operand.values,
                    each ? sizes.rows * sizes.columns : sizes.columns);
    }
}

}  // namespace tessera
