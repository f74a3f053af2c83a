// Configuration of the workload: a convolution layer or a GEMM, its lowering and its values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sc_models/common/types.h"
#include "sc_models/config/attention_config.h"
#include "sc_models/config/engine/config_visitor.h"
#include "sc_models/config/sparsity_config.h"
#include "sc_models/config/tensor_config.h"
#include "sc_models/isa/mma_shape.h"

namespace tessera {

struct GivenLayer;
class ProductEpilogue;
struct Requantization;

enum class WorkloadKind {
    kConvolution,
    kGemm,
    kSparseGemm,
    kTrace,
    kMicrobenchmarks,
    kDirectConvolution,
    kSparseConvolution,
    kComposition,
    kTensor,
    kAttention
};
/// Whether some kernels of this kind are those of a dense convolution.
[[nodiscard]] constexpr bool is_dense_convolution(WorkloadKind kind) {
    return kind == WorkloadKind::kConvolution || kind == WorkloadKind::kComposition;
}
/// Whether some kernels of this kind consist of vector operations.
[[nodiscard]] constexpr bool has_vector_operations(WorkloadKind kind) {
    return kind == WorkloadKind::kDirectConvolution || kind == WorkloadKind::kComposition;
}
/// Whether the kind is a StagedProductKernel with the zeros of workload.sparse.
[[nodiscard]] constexpr bool is_sparse(WorkloadKind kind) {
    return kind == WorkloadKind::kSparseGemm || kind == WorkloadKind::kSparseConvolution;
}
/// Whether the kind runs SpWMMAs if workload.sparse.method selects them.
[[nodiscard]] constexpr bool has_sparse_product(WorkloadKind kind) {
    return is_sparse(kind) || kind == WorkloadKind::kComposition;
}
enum class ChannelRule {
    kPad16,          ///< channels padded to a multiple of 16
    kPad8FilterRow,  ///< channels padded to a multiple of 8, every filter row to 16 halves
    kDense  ///< unpadded channels; chunks that cross a filter row bypass the detection unit
};
enum class Im2colMode {
    kTimed,      ///< by a kernel on the machine
    kFunctional  ///< the workspace exists when the GEMM starts, at no cost
};
/// Kernel of a product: with fragments loaded directly from global memory, or as in libraries,
/// staged through shared memory, by CTA tile (rows of m x columns of n).
enum class ProductKernel {
    kFragments,
    kAuto,   ///< the tile with the lowest time expected by choose_dense_kernel()
    kCudnn,  ///< for convolutions: kAuto among the tiles of cuDNN 7
    k256x128,
    k128x256,
    k256x64,
    k64x256,
    k128x128,
    k128x64,
    k64x128,
    k64x64,
    k128x32,
    k32x128,
    k64x32,
    k32x64,
    kDepthwise,   ///< for convolutions with one group per channel: on the CUDA cores
    kMultistage,  ///< kAuto among the kernels of workload.multistage
    kWgmma,       ///< the same among those of workload.wgmma
    kSimt,        ///< in FP32 on the CUDA cores, a convolution lowered explicitly (workload/simt)
    kWinograd,    ///< for convolutions: F(2x2, 3x3) in FP32 on the CUDA cores (workload/simt)
    kFft          ///< for convolutions: Fourier transforms in FP32 on the CUDA cores (likewise)
};
/// Whether products run in FP32 on the CUDA cores.
[[nodiscard]] constexpr bool is_fp32(ProductKernel kernel) {
    return kernel == ProductKernel::kSimt || kernel == ProductKernel::kWinograd ||
           kernel == ProductKernel::kFft;
}
/// Zeros of a product's weights that its kernel knows without looking.
enum class StructuredSparsity {
    kNone,
    k2of4  ///< two of each four k, stored compressed (tensor_core/structured_sparsity.h)
};
/// Memory layout of an operand in BLAS terms: by columns, or transposed.
enum class Transpose { kN, kT };
enum class OutputType { kFp32, kFp16, kBf16 };
/// Memory layout of a result: by columns as in BLAS, or by rows as in networks.
enum class ResultOrder { kColumns, kRows };
enum class RasterOrder { kNFastest, kMFastest, kNGroups, kMGroups };
enum class WarpMap {
    kNNeighboursApart,    ///< warp w at row w / warps_n, column w % warps_n of the CTA tile
    kNNeighboursTogether  ///< warp w at row w % warps_m, column w / warps_m: neighbours along N
                          ///< share a sub-core
};
enum class ValuePattern {
    kUniform,  ///< uniform in [-1, 1)
    kRelu,     ///< standard normal, negatives to zero: about half zeros
    kDyadic    ///< k/8 with k in [-8, 8]: sums of products are exact in any order
};
/// Pass of a layer: its output, or the gradient of its input or of its filters.
enum class LayerPass { kForward, kBackwardData, kBackwardWeight };
/// Summation order of a pass over taps and the channels (or filters) of a tap.
enum class SumOrder {
    kTapsOuter,  ///< all channels of a tap, then the next tap
    kTapsInner   ///< all taps of 32 channels, then those of the next 32
};
/// Work of a thread of a direct convolution.
enum class DirectMapping {
    kColumn,  ///< one output column, `yseg` rows of it downwards; lanes are neighbouring columns
    kPacked,  ///< as kColumn, but lanes continue with the columns of the next plane
    kPixel,   ///< one output pixel; lanes are neighbouring pixels of a plane
    kPlane,   ///< a whole output plane, row by row; lanes are planes
    kImage    ///< a whole output plane, row by row; lanes are images
};
inline constexpr std::size_t kDirectMappings = 5;
enum class DirectLoopOrder {
    kReductionInner,  ///< all input planes of a window, then the next window
    kReductionOuter   ///< all windows with one input plane, then the next plane
};
/// Time at which a warp adds its sums to the output in memory.
enum class AtomicGranularity { kVectorOp, kWindow, kOutput };

/// Geometry of a convolution layer, as in Duplo Table I; NHWC input and KHWC filter, or NCHW and
/// KCHW for direct convolution.
struct LayerConfig {
    std::string name;
    std::uint32_t batch = 8;
    std::uint32_t height = 56, width = 56, channels = 64;
    std::uint32_t filters = 64, filter_height = 3, filter_width = 3;
    std::uint32_t pad = 1, stride = 1;
    bool transposed = false;
    /// Filter i belongs to group i / (filters / groups) and uses only the channels of that group.
    std::uint32_t groups = 1;
    /// Values of a single axis; kSame: the common `pad` or `stride`.
    static constexpr std::uint32_t kSame = 0xffffffff;
    std::uint32_t pad_height = kSame, pad_width = kSame;
    std::uint32_t stride_height = kSame, stride_width = kSame;
    std::uint32_t dilation = 1;
    OperandType operands = OperandType::kFp16;  ///< pixels and filters

    [[nodiscard]] std::uint32_t pad_of_height() const {
        return pad_height == kSame ? pad : pad_height;
    }
    [[nodiscard]] std::uint32_t pad_of_width() const {
        return pad_width == kSame ? pad : pad_width;
    }
    [[nodiscard]] std::uint32_t stride_of_height() const {
        return stride_height == kSame ? stride : stride_height;
    }
    [[nodiscard]] std::uint32_t stride_of_width() const {
        return stride_width == kSame ? stride : stride_width;
    }

    void bind(ConfigVisitor& v);
};
/// Throws ConfigError unless channels and filters divide into the groups.
void check_groups(const LayerConfig& layer);

/// D = A x B + C with A of m x k and B of k x n of FP16, BF16, TF32 or FP8, C and D of m x n FP32
/// or, but for TF32, of 16 bits; or D = A x B with A of INT8 or UINT8, B of INT8 and D of INT32.
struct GemmShapeConfig {
    std::uint32_t m = 1024, n = 1024, k = 1024;
    OperandType operands = OperandType::kFp16;
    Transpose transpose_a = Transpose::kT, transpose_b = Transpose::kN;
    OutputType output = OutputType::kFp32;
    bool read_c = false;
    ResultOrder order = ResultOrder::kColumns;

    void bind(ConfigVisitor& v);
};

/// File with the tensors of a network's layer (workload/given_layer.h).
struct GivenConfig {
    std::string file;  ///< empty: tensors are generated
    std::string digest;

    void bind(ConfigVisitor& v);
};

/// Tiling of the GEMM (Duplo II-C: only C in shared memory).
struct TilingConfig {
    std::uint32_t cta_m = 128, cta_n = 64;
    std::uint32_t warp_m = 32, warp_n = 32;
    std::uint32_t fragment_buffers = 2;
    RasterOrder raster = RasterOrder::kNFastest;
    WarpMap warp_map = WarpMap::kNNeighboursApart;
    bool c_traffic = true;                         ///< reads C before and writes D after each CTA
                                                   ///< tile
    std::uint32_t ctas_per_sm = 0;                 ///< 0: as many as fit
    std::uint32_t overhead_registers = 16;         ///< registers per thread besides fragments
    std::uint32_t loop_overhead_instructions = 2;  ///< ALU instructions of a warp per k-step
    std::uint32_t cta_limit = 0;                   ///< runs only the first so many CTAs; 0: all

    void bind(ConfigVisitor& v);
};

/// Direct computation of a layer (opportunistic computing).
struct DirectConfig {
    DirectMapping mapping = DirectMapping::kColumn;
    DirectLoopOrder loop_order = DirectLoopOrder::kReductionInner;
    AtomicGranularity atomics = AtomicGranularity::kVectorOp;
    std::uint32_t yseg = 8;
    std::uint32_t cta_warps = 1;
    std::uint32_t unroll = 1;
    std::uint32_t overhead_instructions = 4;
    std::uint32_t loop_instructions = 2;
    std::uint32_t image_alignment_bytes = 128;

    void bind(ConfigVisitor& v);
};

/// Elements that a sparse product skips.
enum class ProductMethod {
    kDense,       ///< none: FEDP fragments
    kVectorWise,  ///< three of four k, for weights pruned that way: a single-side sparse tensor
                  ///< core
    kSingle,      ///< zeros of B: SpWMMA with a dense A
    kDual         ///< zeros of both: SpWMMA
};

/// Lowering of a sparse convolution's feature map to A.
enum class Lowering {
    kExplicit,  ///< A is in memory, made by a kernel or present from the start
    kImplicit   ///< CTAs gather their part of A from the feature map
};

/// Handling of infinities and NaNs in an operand's file.
enum class NonfiniteNumbers {
    kSkipHides,  ///< multiplied; opposite zeros are skipped, which may hide a NaN
    kExplicit,   ///< multiplied; opposite zeros are stored, so that D equals the dense product's
    kStrict      ///< refused
};

/// Elements made of the numbers in an operand's file.
enum class FileValues {
    kAsWritten,  ///< rounded to the nearest half; larger ones than 65504 are refused
    kOnes,       ///< 1 for each number that is not zero
    kScaled      ///< times the power of two that brings the largest magnitude into [0.5, 1)
};

/// Execution of a product with zeros.
struct SparseConfig {
    ProductMethod method = ProductMethod::kDual;
    static constexpr std::uint32_t kAutoStep = 0;

    std::uint32_t k_step = kAutoStep;
    bool read_c = false;
    Lowering lowering = Lowering::kExplicit;
    NonfiniteNumbers nonfinite = NonfiniteNumbers::kSkipHides;
    FileValues file_values = FileValues::kAsWritten;
    bool a_fragments = false;       ///< A of a convolution as fragments instead of through
                                    ///< shared memory
    bool skip_unmet_tiles = false;  ///< tiles of A that only meet empty tiles are not copied
    SparsityConfig a, b;

    void bind(ConfigVisitor& v);
};

/// The workload: a layer, a product or a trace, and the kernel that computes it.
struct WorkloadConfig {
    WorkloadKind kind = WorkloadKind::kConvolution;
    Address first_address = 0x10000000;  ///< first address of the regions; set for compositions,
                                         ///< not by users
    LayerConfig layer;
    GemmShapeConfig gemm;
    std::string trace;  ///< path of a kernelslist.g
    ProductKernel kernel = ProductKernel::kFragments;
    static constexpr const char* kAutoMultistage = "auto";
    std::string multistage = std::string(kAutoMultistage);
    std::string wgmma = std::string(kAutoMultistage);
    bool multicast = true;  ///< of wgmma and FlashAttention-3
    StructuredSparsity structured_sparsity = StructuredSparsity::kNone;
    LayerPass pass = LayerPass::kForward;
    SumOrder sum_order = SumOrder::kTapsOuter;
    static constexpr std::uint32_t kAutoSplit = 0;
    std::uint32_t split_k = kAutoSplit;
    static constexpr std::uint32_t kAutoRepeat = 0;
    std::uint32_t repeat = 1;
    SparseConfig sparse;
    TilingConfig tiling;
    DirectConfig direct;
    ChannelRule channel_rule = ChannelRule::kPad16;
    Im2colMode im2col = Im2colMode::kTimed;
    ValuePattern activations = ValuePattern::kUniform;
    ValuePattern weights = ValuePattern::kUniform;
    TensorConfig tensor;
    AttentionConfig attention;
    GivenConfig given;
    std::shared_ptr<const GivenLayer> given_layer;  ///< contents of `given`, once read
    /// Applied to the sums of the product before they are written; null: none. Set for networks,
    /// not by users.
    std::shared_ptr<const ProductEpilogue> epilogue;
    /// Takes sums of integers to bytes of the result; null: none. Set for networks, as the
    /// epilogue.
    std::shared_ptr<const Requantization> requantization;

    /// Type of the operands of a product, convolution or attention.
    [[nodiscard]] OperandType operand_type() const {
        if (kind == WorkloadKind::kAttention) return attention.operands;
        if (kernel == ProductKernel::kFragments || is_fp32(kernel)) return OperandType::kFp16;
        if (kind == WorkloadKind::kGemm) return gemm.operands;
        const bool layers = is_dense_convolution(kind) && kernel == ProductKernel::kMultistage;
        return layers ? layer.operands : OperandType::kFp16;
    }
    /// Product of fragments that a dense product or convolution consists of.
    [[nodiscard]] FragmentProduct fragment_product() const { return product_of(operand_type()); }
    /// Whether it is a product or convolution of integers of 8 bits.
    [[nodiscard]] bool multiplies_integers() const { return is_integer(operand_type()); }
    /// Whether products consist of SpWMMAs.
    [[nodiscard]] bool uses_spwmma() const {
        return has_sparse_product(kind) &&
               (sparse.method == ProductMethod::kSingle || sparse.method == ProductMethod::kDual);
    }

    void bind(ConfigVisitor& v);
};

}  // namespace tessera
