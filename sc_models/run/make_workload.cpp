#include "sc_models/run/make_workload.h"

#include <stdexcept>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/trace/trace_workload.h"
#include "sc_models/workload/attention/attention_workload.h"
#include "sc_models/workload/composition.h"
#include "sc_models/workload/csr/csr_product.h"
#include "sc_models/workload/depthwise/depthwise_convolution.h"
#include "sc_models/workload/direct/direct_convolution.h"
#include "sc_models/workload/fragment/lowered_convolution.h"
#include "sc_models/workload/fragment/matrix_product.h"
#include "sc_models/workload/given_layer.h"
#include "sc_models/workload/given_sizes.h"
#include "sc_models/workload/layer_pass.h"
#include "sc_models/workload/library/library_convolution.h"
#include "sc_models/workload/library/library_product.h"
#include "sc_models/workload/microbenchmarks/microbenchmarks.h"
#include "sc_models/workload/simt/fft_convolution.h"
#include "sc_models/workload/simt/simt_convolution.h"
#include "sc_models/workload/simt/winograd_convolution.h"
#include "sc_models/workload/sparse/sparse_convolution.h"
#include "sc_models/workload/sparse/sparse_product.h"
#include "sc_models/workload/tensor/tensor_workload.h"

namespace tessera {

namespace {

/// Returns `config` extended by the layer in its file.
WorkloadConfig with_given_layer(WorkloadConfig config) {
    GivenLayer layer = read_given_layer(config.given.file, config.given.digest);
    if (config.kind == WorkloadKind::kDirectConvolution) {
        layer.put_channels_first(config.layer, config.pass);
    }
    const bool dense =
        config.kind == WorkloadKind::kConvolution || config.kind == WorkloadKind::kGemm;
    const bool fragments = dense && config.kernel == ProductKernel::kFragments;
    if (layer.epilogue != nullptr && (fragments || has_vector_operations(config.kind))) {
        throw ConfigError(
            "workload.given.file: got a layer with an epilogue, expected one without for kernels "
            "that load fragments and direct convolutions");
    }
    if (fragments && config.pass != LayerPass::kForward) {
        throw ConfigError(
            "workload.given.file: got a transposed convolution, expected none for kernels that "
            "load fragments");
    }
    if ((layer.requantization != nullptr) != config.multiplies_integers()) {
        throw ConfigError(
            layer.requantization == nullptr
                ? "workload.given.file: got a layer of halves, expected workload.gemm.operands and "
                  "workload.layer.operands fp16"
                : "workload.given.file: got a layer of integers, expected workload.gemm.operands "
                  "or "
                  "workload.layer.operands int8 or uint8, and workload.kernel multistage");
    }
    config.epilogue = layer.epilogue;
    config.requantization = layer.requantization;
    if (config.epilogue == nullptr && is_sparse(config.kind)) {
        // Results of networks are in FP16.
        config.epilogue = std::make_shared<const ProductEpilogue>(
            std::vector<ProductEpilogue::Operand>(), std::vector<ProductEpilogue::Step>(), true);
    }
    config.given_layer = std::make_shared<const GivenLayer>(std::move(layer));
    return config;
}

/// Makes the workload of a product or convolution in FP32 on the CUDA cores.
std::unique_ptr<Workload> make_fp32_workload(const WorkloadConfig& config, std::uint64_t seed,
                                             bool values, const TargetMachine& machine) {
    if (config.given_layer != nullptr) {
        throw ConfigError(
            "workload.kernel: got simt, winograd or fft, expected another one for a network's "
            "layer, "
            "whose tensors are in FP16 and have an epilogue");
    }
    if (config.kernel == ProductKernel::kWinograd) {
        return std::make_unique<WinogradConvolution>(config, seed, values, machine);
    }
    if (config.kernel == ProductKernel::kFft) {
        return std::make_unique<FftConvolution>(config, seed, values, machine);
    }
    if (config.kind == WorkloadKind::kGemm) {
        return std::make_unique<SimtMatrixProduct>(config, seed, values, machine);
    }
    return std::make_unique<SimtConvolution>(config, seed, values, machine);
}

}  // namespace

std::unique_ptr<Workload> make_workload(const WorkloadConfig& config, std::uint64_t seed,
                                        bool values, const PacketOptions& packet,
                                        const TargetMachine& machine) {
    if (config.given_layer == nullptr && !config.given.file.empty()) {
        return make_workload(with_given_layer(config), seed, values, packet, machine);
    }
    if (config.given_layer != nullptr) check_given_sizes(config);
    const bool product =
        config.kind == WorkloadKind::kConvolution || config.kind == WorkloadKind::kGemm;
    if (product && is_fp32(config.kernel)) return make_fp32_workload(config, seed, values, machine);
    switch (config.kind) {
        case WorkloadKind::kConvolution:
            if (is_depthwise(config)) {
                return std::make_unique<DepthwiseConvolution>(without_transposition(config), seed,
                                                              values, machine);
            }
            if (config.kernel != ProductKernel::kFragments) {
                return std::make_unique<LibraryConvolution>(without_transposition(config), seed,
                                                            values, packet, machine);
            }
            return std::make_unique<LoweredConvolution>(lowered_pass(config), seed, values, packet);
        case WorkloadKind::kGemm:
            if (config.kernel != ProductKernel::kFragments) {
                return std::make_unique<LibraryProduct>(config, seed, values, machine);
            }
            return std::make_unique<MatrixProduct>(config, seed, values);
        case WorkloadKind::kSparseGemm:
            if (config.kernel == ProductKernel::kSimt) {
                return std::make_unique<CsrProduct>(config, seed, values, machine);
            }
            return std::make_unique<SparseProduct>(config, seed, values, machine);
        case WorkloadKind::kSparseConvolution:
            return std::make_unique<SparseConvolution>(config, seed, values, packet, machine);
        case WorkloadKind::kTrace:
            return std::make_unique<TraceWorkload>(config, seed, machine);
        case WorkloadKind::kDirectConvolution:
            return std::make_unique<DirectConvolution>(config, seed, values, machine.granularity);
        case WorkloadKind::kMicrobenchmarks:
            return std::make_unique<MicrobenchmarkWorkload>(config, seed, machine);
        case WorkloadKind::kTensor:
            return std::make_unique<TensorWorkload>(config, seed, values, machine);
        case WorkloadKind::kAttention:
            return make_attention_workload(config, seed, values, machine);
        case WorkloadKind::kComposition:
            return std::make_unique<Composition>(
                config, seed, values, [&](const WorkloadConfig& way) {
                    return make_workload(way, seed, values, packet, machine);
                });
    }
    throw std::logic_error("unknown workload kind");
}

}  // namespace tessera
