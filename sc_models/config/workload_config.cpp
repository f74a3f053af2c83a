#include "sc_models/config/workload_config.h"

#include "sc_models/common/error.h"
#include "sc_models/config/workload_conditions.h"

namespace tessera {
namespace {

void bind_operands(ConfigVisitor& v, OperandType& operands, std::string_view help) {
    v.choice("operands", operands,
             {{"fp16", OperandType::kFp16},
              {"bf16", OperandType::kBf16},
              {"tf32", OperandType::kTf32},
              {"fp8", OperandType::kFp8},
              {"int8", OperandType::kInt8},
              {"uint8", OperandType::kUint8}},
             help);
}

}  // namespace

void LayerConfig::bind(ConfigVisitor& v) {
    v.acts_if(acts::kNamed)
        .text(
            "name", name,
            "Name of the layer in results and their files (resnet.C2): letters, digits, '_', '-', "
            "'+' and '.'; empty: that of its kind.");
    v.acts_if(acts::kLayer)
        .integer("batch", batch, 1, 1024,
                 "Images (Duplo Table I: 8); the 32-byte convolution packet counts up to 1024.");
    v.acts_if(acts::kLayer).integer("height", height, 1, 65535, "Rows of the input image.");
    v.acts_if(acts::kLayer).integer("width", width, 1, 65535, "Columns of the input image.");
    v.acts_if(acts::kLayer)
        .integer("channels", channels, 1, 1 << 20, "Channels of the input image.");
    v.acts_if(acts::kLayer)
        .integer("filters", filters, 1, 1 << 20, "Filters, which are the channels of the output.");
    v.acts_if(acts::kLayer)
        .integer("filter_height", filter_height, 1, 1024,
                 "Rows of a filter; at most 15 with workload.kernel fragments.");
    v.acts_if(acts::kLayer).integer("filter_width", filter_width, 1, 1024, "Columns of a filter.");
    v.acts_if(acts::kLayer)
        .acts_if(acts::kCommonPad)
        .integer(
            "pad", pad, 0, 255,
            "Zero rows and columns around the input on every side; for a transposed layer those "
            "of the convolution it is the transpose of.");
    v.acts_if(acts::kLayer)
        .acts_if(acts::kCommonStride)
        .integer("stride", stride, 1, 255,
                 "Step of the filter; for a transposed layer the factor of zero insertion.");
    const auto of_axis = [&v](const KeyCondition& condition, std::string_view key,
                              std::uint32_t& parameter, std::uint64_t least,
                              std::string_view help) {
        v.acts_if(condition).integer_or(key, parameter, least, 255, "same", kSame, help);
    };
    of_axis(acts::kPadOfAxis, "pad_height", pad_height, 0,
            "Zero rows above and below the input; same: as pad says.");
    of_axis(acts::kPadOfAxis, "pad_width", pad_width, 0,
            "Zero columns at its left and right; same: as pad says.");
    of_axis(acts::kLibraryLayer, "stride_height", stride_height, 1,
            "Step of the filter downwards; same: as stride says.");
    of_axis(acts::kLibraryLayer, "stride_width", stride_width, 1,
            "Step of the filter to the right; same: as stride says.");
    v.acts_if(acts::kLibraryLayer)
        .integer("dilation", dilation, 1, 255,
                 "Input pixels from one tap of the filter to the next; 1 with workload.kernel "
                 "fragments.");
    v.acts_if(acts::kLayer)
        .boolean("transposed", transposed,
                 "Transposed convolution: zeros are inserted by the stride, then a convolution of "
                 "stride 1 follows (Duplo Table I, TC layers).");
    v.acts_if(acts::kLayer)
        .integer(
            "groups", groups, 1, 65535,
            "Groups that channels and filters are divided into, which do not meet (AlexNet: 2; "
            "depthwise: as many as channels); 1 with workload.kind sparse_convolution.");
    bind_operands(
        v.acts_if(acts::kMultistageLayer), operands,
        "Type of pixels and filters. bf16, tf32 (FP32 numbers, rounded), int8, and uint8 of "
        "pixels with filters of int8 are for machines that have a rate for them; the "
        "result of tf32 is FP32, of integers INT32.");
}

void check_groups(const LayerConfig& layer) {
    if (layer.channels % layer.groups == 0 && layer.filters % layer.groups == 0) return;
    throw ConfigError("workload.layer.groups: got '" + std::to_string(layer.groups) +
                      "', expected a divisor of workload.layer.channels (" +
                      std::to_string(layer.channels) + ") and workload.layer.filters (" +
                      std::to_string(layer.filters) + ")");
}

void GemmShapeConfig::bind(ConfigVisitor& v) {
    v.acts_if(acts::kProduct).integer("m", m, 1, 1 << 24, "Rows of A, C and D.");
    v.acts_if(acts::kProduct).integer("n", n, 1, 1 << 24, "Columns of B, C and D.");
    v.acts_if(acts::kProduct).integer("k", k, 1, 1 << 24, "Columns of A and rows of B.");
    const auto transpose = [&v](std::string_view key, Transpose& parameter, std::string_view help) {
        v.acts_if(acts::kStagedGemm)
            .choice(key, parameter, {{"n", Transpose::kN}, {"t", Transpose::kT}}, help);
    };
    transpose("transpose_a", transpose_a,
              "How A lies in memory, as BLAS has it: n, by columns (a column's m side by side); t, "
              "transposed (a row's k side by side), which kernel fragments demands.");
    transpose("transpose_b", transpose_b,
              "How B lies in memory, as BLAS has it: n, by columns (a column's k side by side), "
              "which kernel fragments demands; t, transposed (a row's n side by side).");
    bind_operands(
        v.acts_if(acts::kStagedGemm), operands,
        "Type of A and B. bf16, tf32 (FP32 numbers, rounded), int8, and uint8 of A with B "
        "of int8 and order rows are for kernel multistage, bf16 and fp8 (E4M3) for wgmma, "
        "on machines that have a rate for them; D of int8 and uint8 is INT32.");
    v.acts_if(acts::kFloatGemm)
        .choice(
            "output", output,
            {{"fp32", OutputType::kFp32}, {"fp16", OutputType::kFp16}, {"bf16", OutputType::kBf16}},
            "Type of C and D; sums are FP32. fp16 and bf16 are for operands of the same type, "
            "fp16 also for those of fp8, and kernels other than fragments.");
    v.acts_if(acts::kFloatGemm)
        .boolean("read_c", read_c,
                 "Whether a kernel other than fragments adds C (BLAS: beta 1) or leaves it alone "
                 "(beta 0).");
    v.acts_if(acts::kStagedGemm)
        .choice(
            "order", order, {{"columns", ResultOrder::kColumns}, {"rows", ResultOrder::kRows}},
            "How C and D lie in memory with kernels other than fragments: by columns, as BLAS has "
            "it, or by rows, as networks do. Sparse products and fragments write rows.");
}

void GivenConfig::bind(ConfigVisitor& v) {
    v.text("file", file,
           "A file with the values of the tensors, as tessera network writes them for each layer; "
           "relative to the file that names it. Empty: values are generated.");
    v.acts_if(acts::kGiven)
        .text("digest", digest, "Digest of that file: it must be the one that is meant.");
}

void TilingConfig::bind(ConfigVisitor& v) {
    v.acts_if(acts::kTiled)
        .integer("cta_m", cta_m, 16, 1024, "Rows of C that a CTA computes, a multiple of warp_m.");
    v.acts_if(acts::kTiled)
        .integer("cta_n", cta_n, 16, 1024,
                 "Columns of C that a CTA computes, a multiple of warp_n.");
    v.acts_if(acts::kTiled)
        .integer("warp_m", warp_m, 16, 1024, "Rows of C that a warp computes, a multiple of 16.");
    v.acts_if(acts::kTiled)
        .integer("warp_n", warp_n, 16, 1024,
                 "Columns of C that a warp computes, a multiple of 16.");
    v.acts_if(acts::kTiled)
        .integer("fragment_buffers", fragment_buffers, 1, 4,
                 "Sets of A and B fragments of a warp; 2 load the next k-step while one computes.");
    v.acts_if(acts::kRaster)
        .choice(
            "raster", raster,
            {{"n_fastest", RasterOrder::kNFastest},
             {"m_fastest", RasterOrder::kMFastest},
             {"n_groups", RasterOrder::kNGroups},
             {"m_groups", RasterOrder::kMGroups}},
            "Order in which CTAs walk over C: along N or along M first; in groups, along N or M in "
            "strips of up to eight tiles, as CUTLASS's swizzle.");
    v.acts_if(acts::kFragments)
        .choice("warp_map", warp_map,
                {{"n_neighbours_apart", WarpMap::kNNeighboursApart},
                 {"n_neighbours_together", WarpMap::kNNeighboursTogether}},
                "Whether warps with the same rows of A run on different sub-cores or on one (which "
                "renaming inside a sub-core needs).");
    v.acts_if(acts::kTiled)
        .boolean("c_traffic", c_traffic,
                 "Whether each CTA reads its tile of C before and writes D after.");
    v.acts_if(acts::kTiled)
        .integer_or(
            "ctas_per_sm", ctas_per_sm, 1, 256, "auto", 0,
            "CTAs an SM runs at once: auto for as many as fit, or exactly so many, even where "
            "registers would not suffice (Duplo II-C: 3).");
    v.acts_if(acts::kTiled)
        .integer("overhead_registers", overhead_registers, 0, 255,
                 "Registers a thread spends besides fragments.");
    v.acts_if(acts::kTiled)
        .integer("loop_overhead_instructions", loop_overhead_instructions, 0, 1000,
                 "ALU instructions a warp spends each k-step on addresses and the loop.");
    v.acts_if(acts::kTiled)
        .integer_or("cta_limit", cta_limit, 0, 0xffffffff, "all", 0,
                    "Runs only the first so many CTAs of a kernel; all of them by default.");
}

void DirectConfig::bind(ConfigVisitor& v) {
    v.choice("mapping", mapping,
             {{"column", DirectMapping::kColumn},
              {"packed", DirectMapping::kPacked},
              {"pixel", DirectMapping::kPixel},
              {"plane", DirectMapping::kPlane},
              {"image", DirectMapping::kImage}},
             "What a thread computes: yseg rows of one output column (lanes are the neighbouring "
             "columns of a plane, packed: of the next planes too), one pixel (lanes are its "
             "neighbours), or a plane row by row (lanes are planes, or with image the same plane "
             "of other images).");
    v.choice("loop_order", loop_order,
             {{"reduction_inner", DirectLoopOrder::kReductionInner},
              {"reduction_outer", DirectLoopOrder::kReductionOuter}},
             "Whether a window sums over all input planes before the thread moves on, or each "
             "input plane takes all windows.");
    v.choice("atomics", atomics,
             {{"vector_op", AtomicGranularity::kVectorOp},
              {"window", AtomicGranularity::kWindow},
              {"output", AtomicGranularity::kOutput}},
             "When a sum is added to memory: after every vector operation, every window of one "
             "input plane, or every output.");
    v.integer("yseg", yseg, 1, 65535,
              "Output rows a thread walks down with mapping column and packed.");
    v.integer("cta_warps", cta_warps, 1, 32, "Warps of a CTA.");
    v.integer("unroll", unroll, 1, 16, "Elements of a vector an iteration of its loop handles.");
    v.integer("overhead_instructions", overhead_instructions, 1, 1000,
              "Address arithmetic before each vector operation, whoever computes it.");
    v.integer("loop_instructions", loop_instructions, 0, 1000,
              "Counting and branching of one iteration over a vector's elements.");
    v.integer("image_alignment_bytes", image_alignment_bytes, 4, 1 << 20,
              "Every image of a tensor begins at a multiple of so many bytes, a multiple of 4.");
}

void SparseConfig::bind(ConfigVisitor& v) {
    v.choice("method", method,
             {{"dense", ProductMethod::kDense},
              {"vector_wise", ProductMethod::kVectorWise},
              {"single", ProductMethod::kSingle},
              {"dual", ProductMethod::kDual}},
             "What is left out: dense, nothing (FEDP); vector_wise, three of four k of B, pruned "
             "that way (FEDP, no values); single, the zeros of B; dual, those of both.");
    v.acts_if(acts::kSparseTiles)
        .integer_or(
            "k_step", k_step, 16, 128, "auto", kAutoStep,
            "k of a step, for which a CTA has its operands in shared memory, a multiple of "
            "16; auto for the longest of 16, 32, 64 and 128 with as many CTAs an SM as 16.");
    v.acts_if(acts::kSparseTiles)
        .boolean("read_c", read_c,
                 "Whether CTAs read their tile of C before (D = A x B + C) or begin with zeros.");
    v.acts_if(acts::kSparseLayer)
        .choice(
            "lowering", lowering,
            {{"explicit", Lowering::kExplicit}, {"implicit", Lowering::kImplicit}},
            "With kind sparse_convolution: explicit, the lowered feature map lies in memory, where "
            "a kernel of its own has put it (workload.im2col); implicit, CTAs gather it from the "
            "feature map.");
    v.acts_if(acts::kSparseProduct)
        .choice("nonfinite", nonfinite,
                {{"skip_hides", NonfiniteNumbers::kSkipHides},
                 {"explicit", NonfiniteNumbers::kExplicit},
                 {"strict", NonfiniteNumbers::kStrict}},
                "Infinities and NaNs in Matrix Market files (kind sparse_gemm): skip_hides, zeros "
                "opposite are skipped like others and hide the NaN; explicit, they are stored, so "
                "that D is the dense product's; strict, such a number is refused.");
    v.acts_if(acts::kSparseFile)
        .choice(
            "file_values", file_values,
            {{"as_written", FileValues::kAsWritten},
             {"ones", FileValues::kOnes},
             {"scaled", FileValues::kScaled}},
            "Numbers of Matrix Market files: as_written, rounded to FP16, and refused beyond "
            "65504; ones, every element is 1, so that only the pattern counts; scaled, times the "
            "power of two that brings the largest magnitude of a file into [0.5, 1).");
    v.acts_if(acts::kSparseTiles)
        .boolean(
            "a_fragments", a_fragments,
            "With kind sparse_convolution, lowering explicit and method dense or single: warps "
            "load A as 16x16 fragments from the lowered feature map, where Duplo's detection "
            "unit sees them, and not through shared memory.");
    v.acts_if(acts::kStagedTiles)
        .boolean(
            "skip_unmet_tiles", skip_unmet_tiles,
            "Of SpWMMAs whose A is staged in tiles: a CTA reads the descriptors of its B two steps "
            "before and leaves out copies of tiles of A that meet only empty tiles of B.");
    v.acts_if(acts::kGenerated)
        .section("a",
                 "Zeros of A, of which a line is a row, or of the feature map, a line a pixel.",
                 [&] { a.bind(v); });
    v.acts_if(acts::kGenerated)
        .section("b", "Zeros of B, of which a line is a column or a filter.", [&] { b.bind(v); });
}

void WorkloadConfig::bind(ConfigVisitor& v) {
    const auto bind_pattern = [&v](std::string_view key, ValuePattern& pattern,
                                   std::string_view help) {
        v.acts_if(acts::kValues)
            .acts_if(acts::kPatterns)
            .acts_if(acts::kGenerated)
            .choice(key, pattern,
                    {{"uniform", ValuePattern::kUniform},
                     {"relu", ValuePattern::kRelu},
                     {"dyadic", ValuePattern::kDyadic}},
                    help);
    };
    v.choice("kind", kind,
             {{"convolution", WorkloadKind::kConvolution},
              {"gemm", WorkloadKind::kGemm},
              {"sparse_gemm", WorkloadKind::kSparseGemm},
              {"trace", WorkloadKind::kTrace},
              {"microbenchmarks", WorkloadKind::kMicrobenchmarks},
              {"direct_convolution", WorkloadKind::kDirectConvolution},
              {"sparse_convolution", WorkloadKind::kSparseConvolution},
              {"composition", WorkloadKind::kComposition},
              {"tensor", WorkloadKind::kTensor},
              {"attention", WorkloadKind::kAttention}},
             "Follows from layer and mechanism unless it is set. What runs: the convolution of "
             "workload.layer, lowered or directly as workload.direct "
             "says, the product of workload.gemm with fragments from global memory, either "
             "(sparse_gemm, sparse_convolution) through shared memory with the zeros of "
             "workload.sparse, the kernels of workload.trace, or those of tessera microbench. A "
             "composition is the layer as convolution, sparse_convolution and direct_convolution, "
             "one after the other on one machine. tensor is the operator of workload.tensor, "
             "attention that of workload.attention.");
    v.section("layer", "Geometry of a convolution: NHWC input, KHWC filters.",
              [&] { layer.bind(v); });
    v.acts_if(acts::kKernel)
        .choice(
            "kernel", kernel,
            {{"fragments", ProductKernel::kFragments},
             {"auto", ProductKernel::kAuto},
             {"cudnn", ProductKernel::kCudnn},
             {"depthwise", ProductKernel::kDepthwise},
             {"multistage", ProductKernel::kMultistage},
             {"wgmma", ProductKernel::kWgmma},
             {"simt", ProductKernel::kSimt},
             {"winograd", ProductKernel::kWinograd},
             {"fft", ProductKernel::kFft},
             {"256x128", ProductKernel::k256x128},
             {"128x256", ProductKernel::k128x256},
             {"256x64", ProductKernel::k256x64},
             {"64x256", ProductKernel::k64x256},
             {"128x128", ProductKernel::k128x128},
             {"128x64", ProductKernel::k128x64},
             {"64x128", ProductKernel::k64x128},
             {"64x64", ProductKernel::k64x64},
             {"128x32", ProductKernel::k128x32},
             {"32x128", ProductKernel::k32x128},
             {"64x32", ProductKernel::k64x32},
             {"32x64", ProductKernel::k32x64}},
            "How the product of workload.gemm, or the convolution of workload.layer, is computed: "
            "fragments, as Duplo's authors do, straight from global memory and cut up as "
            "workload.tiling says; by a CTA's tile, through shared memory as BLAS libraries do, "
            "or as implicit GEMM; auto for the tile that promises to be fastest; cudnn, of a "
            "convolution, for the fastest of those that cuDNN 7 has for the pass; depthwise, of a "
            "forward convolution with a group for each channel, on the CUDA cores without tensor "
            "cores, which auto, cudnn and multistage choose for such layers; multistage, with "
            "the asynchronous copies and HMMA.16816 of Ampere; wgmma, of a product, with the "
            "bulk copies and warpgroup products of Hopper; simt, in FP32 on the CUDA cores as "
            "CUTLASS's SIMT SGEMM, behind an explicit im2col if it is a convolution; winograd, of "
            "a forward convolution with 3x3 filters and stride 1, F(2x2, 3x3) in FP32 by "
            "transforms and 16 such products; fft, of a forward convolution with stride 1, by "
            "Fourier "
            "transforms of tiles of 16x16 and 144 such products.");
    v.acts_if(acts::kMultistage)
        .text(
            "multistage", multistage,
            "Kernel of workload.kernel multistage: TILE_STEPxSTAGES as 128x128_32x4, a CTA's tile, "
            "the k of a step and the buffers of steps; auto for what promises to be fastest.");
    v.acts_if(acts::kWgmma)
        .text("wgmma", wgmma,
              "Kernel of workload.kernel wgmma: TILExSTEP_STAGES as 128x256x64_4, a CTA's tile, "
              "the k "
              "of a step and the buffers of steps; auto for what promises to be fastest.");
    v.acts_if(acts::kMulticast)
        .boolean(
            "multicast", multicast,
            "Whether two CTAs of workload.kernel wgmma that follow one another share the operand "
            "that both need: each fetches half of it for both (clusters of two). "
            "flash_attention_3 shares keys and values so if heads have 128 elements and all "
            "tokens attend to all.");
    v.acts_if(acts::kStagedGemm)
        .choice("structured_sparsity", structured_sparsity,
                {{"none", StructuredSparsity::kNone}, {"2of4", StructuredSparsity::k2of4}},
                "Zeros of one operand of workload.kernel multistage: 2of4, it is pruned to the two "
                "largest of each four k and stored compressed, and HMMA.SP.16832 multiply it. With "
                "workload.gemm.order rows that is B, the weights, with columns A.");
    v.acts_if(acts::kPass)
        .choice(
            "pass", pass,
            {{"forward", LayerPass::kForward},
             {"backward_data", LayerPass::kBackwardData},
             {"backward_weight", LayerPass::kBackwardWeight}},
            "What is computed of workload.layer: output from input and filters, gradient of the "
            "input, or gradient of the filters, which workload.kernel fragments does not know.");
    v.acts_if(acts::kSumOrder)
        .choice(
            "sum_order", sum_order,
            {{"taps_outer", SumOrder::kTapsOuter}, {"taps_inner", SumOrder::kTapsInner}},
            "Order in which forward and backward_data sum: all channels of a tap and then of the "
            "next, as cuDNN, or all taps of 32 channels and then of the next 32.");
    v.acts_if(acts::kStagedProduct)
        .integer_or(
            "split_k", split_k, 1, 256, "auto", kAutoSplit,
            "Parts that a kernel other than fragments divides k into, for different CTAs; a "
            "kernel of its own adds them up. auto for what promises to be fastest.");
    v.integer_or("repeat", repeat, 1, 1000, "auto", kAutoRepeat,
                 "Times that all kernels run, one after the other on what the caches hold; with 2 "
                 "or more, warm_cycles is the mean over all but the first. auto: 2, or 1 where "
                 "operands and results are more than eight times what L2 holds, so that little "
                 "would be left of them.");
    v.section("gemm", "Shape of D = A x B + C: A and B in FP16, C and D in FP32 or FP16.",
              [&] { gemm.bind(v); });
    v.acts_if(acts::kTrace)
        .text(
            "trace", trace,
            "A kernelslist.g that names instruction traces in Accel-Sim's format; relative to the "
            "file that names it.");
    v.acts_if(acts::kSparse)
        .section(
            "sparse",
            "Zeros of a product and what is made of them (kinds sparse_gemm, sparse_convolution).",
            [&] { sparse.bind(v); });
    v.section("tiling", "How the GEMM is cut into CTAs and warps (Duplo II-C: C in shared memory).",
              [&] { tiling.bind(v); });
    v.acts_if(acts::kOperator)
        .acts_if(acts::kGenerated)
        .section("tensor", "An operator of a network that is no product (kind tensor).",
                 [&] { tensor.bind(v); });
    v.acts_if(acts::kAttention)
        .section("attention", "Attention of a decoder, or its rotary embedding (kind attention).",
                 [&] { attention.bind(v); });
    v.section("given", "The tensors of a network's layer, in place of generated ones.",
              [&] { given.bind(v); });
    v.acts_if(acts::kDirect)
        .section("direct",
                 "How a convolution is computed directly, in FP32 (opportunistic computing).",
                 [&] { direct.bind(v); });
    v.acts_if(acts::kLoweredFragments)
        .choice(
            "channel_rule", channel_rule,
            {{"pad16", ChannelRule::kPad16},
             {"pad8_filter_row", ChannelRule::kPad8FilterRow},
             {"dense", ChannelRule::kDense}},
            "How channels fill 16-half rows: padded to 16; padded to 8 and each filter row to 16; "
            "or as they are, where rows that cross a filter row bypass the detection unit.");
    v.acts_if(acts::kWorkspace)
        .choice("im2col", im2col,
                {{"timed", Im2colMode::kTimed}, {"functional", Im2colMode::kFunctional}},
                "Whether lowering to the workspace is a kernel of its own or free of charge.");
    bind_pattern("activations", activations,
                 "Values of the input with values on: uniform in [-1, 1), normal with negatives "
                 "set to zero, or k/8 with k in [-8, 8].");
    bind_pattern("weights", weights,
                 "Values of the filters with values on: uniform in [-1, 1), normal with "
                 "negatives set to zero, or k/8 with k in [-8, 8].");
}

}  // namespace tessera
