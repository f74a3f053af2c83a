#include <algorithm>
#include <string>
#include <string_view>

#include "sc_models/configure/config_rules.h"
#include "sc_models/isa/convolution_packet.h"
#include "sc_models/mechanisms/mechanisms.h"
#include "sc_models/workload/depthwise/depthwise_geometry.h"
#include "sc_models/workload/direct/direct_convolution_geometry.h"
#include "sc_models/workload/fragment/convolution_geometry.h"
#include "sc_models/workload/layer_pass.h"
#include "sc_models/workload/library/convolution_pass.h"
#include "sc_models/workload/operators/tensor_operation.h"
#include "sc_models/workload/simt/fft_geometry.h"
#include "sc_models/workload/simt/winograd_geometry.h"

namespace tessera {
namespace {

class WorkloadRules : private ConfigRules {
public:
    WorkloadRules(const Config& config, const ConfigSource& source) : ConfigRules(config, source) {}

    void check() const {
        check_name();
        check_given();
        check_repetitions();
        check_pass();
        check_sample();
        if (c_.workload.kind == WorkloadKind::kTrace ||
            c_.workload.kind == WorkloadKind::kMicrobenchmarks) {
            check_addresses_only();
            return;
        }
        check_operands(c_, source_);
        check_kernels();
        for (const Mechanism* mechanism : mechanisms()) mechanism->check_workload(c_, source_);
    }

private:
    void check_kernels() const {
        if (c_.workload.kind == WorkloadKind::kComposition) {
            check_axes(true);
            check_direct();
            check_sparse();
            check_tiling(c_, source_);
            check_layer(c_.workload.layer);
            return;
        }
        if (c_.workload.kind == WorkloadKind::kDirectConvolution) {
            check_axes(false);
            check_direct();
            return;
        }
        if (c_.workload.kind == WorkloadKind::kTensor) {
            if (c_.workload.given.file.empty()) {
                locate_errors([&] { (void)operation_of(c_.workload.tensor); });
            }
            return;
        }
        if (c_.workload.kind == WorkloadKind::kAttention) {
            check_attention(c_, source_);
            return;
        }
        if (is_sparse(c_.workload.kind)) {
            if (c_.workload.kind == WorkloadKind::kSparseConvolution) check_axes(true);
            check_csr();
            check_sparse();
            return;
        }
        const bool convolution = c_.workload.kind == WorkloadKind::kConvolution;
        if ((convolution || c_.workload.kind == WorkloadKind::kGemm) &&
            is_fp32(c_.workload.kernel)) {
            check_fp32(convolution);
            return;
        }
        if ((convolution || c_.workload.kind == WorkloadKind::kGemm) &&
            c_.workload.kernel != ProductKernel::kFragments) {
            const bool multistage = c_.workload.kernel == ProductKernel::kMultistage;
            require(!multistage || c_.sm.tensor_rates[MmaShape::kHmma16816].is_number(),
                    {"workload.kernel", "sm.tensor_rates.hmma_16816.products_per_cycle"},
                    "a number above 0 in sm.tensor_rates.hmma_16816.products_per_cycle with "
                    "workload.kernel multistage: the machine has no rate for its HMMA.16816");
            const bool wgmma = c_.workload.kernel == ProductKernel::kWgmma;
            require(!wgmma || !convolution, {"workload.kernel", "workload.kind"},
                    "workload.kind gemm with workload.kernel wgmma: there are no such kernels of "
                    "convolutions");
            require(!wgmma || c_.sm.tensor_rates[MmaShape::kHgmma16].is_number(),
                    {"workload.kernel", "sm.tensor_rates.hgmma_16.products_per_cycle"},
                    "a number above 0 in sm.tensor_rates.hgmma_16.products_per_cycle with "
                    "workload.kernel wgmma: the machine has no rate for its HGMMA.64xNx16");
            require(!wgmma || c_.sm.bulk_copy_latency_cycles > 0,
                    {"workload.kernel", "sm.bulk_copy_latency_cycles"},
                    "a number above 0 in sm.bulk_copy_latency_cycles with workload.kernel wgmma: "
                    "the machine has no bulk copies");
            require(!wgmma || c_.noc.kind == NocKind::kCrossbar || !c_.workload.multicast,
                    {"workload.kernel", "workload.multicast", "noc.kind"},
                    "noc.kind crossbar or workload.multicast off with workload.kernel wgmma: a "
                    "mesh has no multicast");
            require(!wgmma || !c_.workload.gemm.read_c, {"workload.kernel", "workload.gemm.read_c"},
                    "workload.gemm.read_c off with workload.kernel wgmma: its kernels do not read "
                    "C");
            require(convolution || (c_.workload.kernel != ProductKernel::kCudnn &&
                                    c_.workload.kernel != ProductKernel::kDepthwise),
                    {"workload.kernel", "workload.kind"},
                    "another workload.kernel than cudnn and depthwise with workload.kind gemm");
            if (convolution)
                locate_errors([&] {
                    const WorkloadConfig strided = without_transposition(c_.workload);
                    const ConvolutionPass pass(strided.layer, strided.pass);
                    if (strided.kernel == ProductKernel::kDepthwise) check_depthwise(strided);
                    if (multistage && !is_depthwise(strided)) check_lanes(pass);
                });
            return;
        }
        check_tiling(c_, source_);
        if (convolution) {
            check_axes(true);
            LayerConfig lowered;
            locate_errors([&] { lowered = lowered_pass(c_.workload).layer; });
            check_layer(lowered);
        } else {
            check_fragments();
            check_grid(1, c_.workload.gemm.m, c_.workload.gemm.n,
                       {"workload.gemm.m", "workload.gemm.n", "workload.tiling.cta_m",
                        "workload.tiling.cta_n"});
        }
    }

    /// An asynchronous copy has 4, 8 or 16 bytes a lane.
    void check_lanes(const ConvolutionPass& pass) const {
        require(pass.lane_halves() > 1,
                {"workload.kernel", "workload.layer.channels", "workload.layer.filters",
                 "workload.layer.groups"},
                "channels and filters of a group that are even with workload.kernel multistage: no "
                "asynchronous copy has 2 bytes a lane");
    }

    /// The layer's name becomes a part of file names of the results.
    void check_name() const {
        constexpr std::string_view kCharacters =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.";
        constexpr std::size_t kMaxLength = 64;
        const std::string& name = c_.workload.layer.name;
        if (name.empty()) return;  // the kind's name is used
        require(name.size() <= kMaxLength && name.front() != '.' &&
                    name.find_first_not_of(kCharacters) == std::string::npos,
                {"workload.layer.name"},
                "at most " + number(kMaxLength) +
                    " letters, digits, '_', '-', '+' and '.', which is not the first");
    }

    void check_given() const {
        const GivenConfig& given = c_.workload.given;
        if (given.file.empty()) return;
        const WorkloadKind kind = c_.workload.kind;
        require(kind != WorkloadKind::kTrace && kind != WorkloadKind::kMicrobenchmarks,
                {"workload.given.file", "workload.kind"},
                "no workload.given.file with traces and microbenchmarks, which have no tensors");
        const AttentionOperation attention = c_.workload.attention.operation;
        require(kind != WorkloadKind::kAttention || attention == AttentionOperation::kPrefill,
                {"workload.given.file", "workload.attention.operation"},
                "no workload.given.file with workload.attention.operation decode and rotary, whose "
                "tensors are generated");
        require(kind != WorkloadKind::kComposition, {"workload.given.file", "workload.kind"},
                "no workload.given.file with compositions, whose kernels want tensors in several "
                "orders");
    }

    void check_repetitions() const {
        const WorkloadKind kind = c_.workload.kind;
        const bool adds = kind == WorkloadKind::kDirectConvolution ||
                          kind == WorkloadKind::kComposition ||
                          kind == WorkloadKind::kMicrobenchmarks;
        require(!adds || c_.workload.repeat == 1, {"workload.repeat", "workload.kind"},
                "workload.repeat 1 with workload.kind direct_convolution, composition and "
                "microbenchmarks, which find in memory what they left there");
    }

    void check_pass() const {
        const bool forward =
            is_sparse(c_.workload.kind) || c_.workload.kind == WorkloadKind::kComposition;
        require(!forward || c_.workload.pass == LayerPass::kForward,
                {"workload.pass", "workload.kind"},
                "workload.pass forward with workload.kind sparse_gemm, sparse_convolution and "
                "composition");
    }

    void check_sample() const {
        if (!c_.sample.enabled) return;
        const WorkloadKind kind = c_.workload.kind;
        require(kind != WorkloadKind::kMicrobenchmarks, {"sample.enabled", "workload.kind"},
                "sample.enabled off with workload.kind microbenchmarks, whose kernels have one "
                "wave");
        const bool library_layer =
            kind == WorkloadKind::kConvolution && c_.workload.kernel != ProductKernel::kFragments;
        require(!c_.values || (!has_vector_operations(kind) && !library_layer &&
                               kind != WorkloadKind::kTensor && kind != WorkloadKind::kAttention),
                {"sample.enabled", "values", "workload.kind", "workload.kernel"},
                "sample.enabled off with values on and kernels of which is not known which results "
                "a CTA makes: direct convolutions, compositions, operators that are no product, "
                "attention, and convolutions with a workload.kernel other than fragments");
    }

    void check_fragments() const {
        const GemmShapeConfig& gemm = c_.workload.gemm;
        require(gemm.transpose_a == Transpose::kT && gemm.transpose_b == Transpose::kN,
                {"workload.gemm.transpose_a", "workload.gemm.transpose_b", "workload.kernel"},
                "workload.gemm.transpose_a t and transpose_b n with workload.kernel fragments and "
                "simt");
        require(gemm.output == OutputType::kFp32, {"workload.gemm.output", "workload.kernel"},
                "workload.gemm.output fp32 with workload.kernel fragments and simt");
    }

    /// Products of matrices in CSR.
    void check_csr() const {
        const WorkloadConfig& w = c_.workload;
        if (w.kernel != ProductKernel::kSimt) return;
        require(w.kind == WorkloadKind::kSparseGemm, {"workload.kernel", "workload.kind"},
                "another workload.kernel than simt with workload.kind sparse_convolution");
        require(w.sparse.method == ProductMethod::kDense,
                {"workload.sparse.method", "workload.kernel"},
                "workload.sparse.method dense with workload.kernel simt, whose operands are in CSR "
                "and no tiles of tensor cores");
        require(w.given.file.empty(), {"workload.given.file", "workload.kernel"},
                "no workload.given.file with workload.kernel simt");
        require(!c_.sample.enabled || !c_.values, {"sample.enabled", "values", "workload.kernel"},
                "sample.enabled off with values on and workload.kernel simt");
    }

    void check_fp32(bool convolution) const {
        const WorkloadConfig& w = c_.workload;
        require(w.pass == LayerPass::kForward, {"workload.pass", "workload.kernel"},
                "workload.pass forward with workload.kernel simt, winograd and fft");
        require(
            w.given.file.empty(), {"workload.given.file", "workload.kernel"},
            "no workload.given.file with workload.kernel simt, winograd and fft, whose tensors are "
            "in FP32");
        require(!c_.sample.enabled || !c_.values, {"sample.enabled", "values", "workload.kernel"},
                "sample.enabled off with values on and workload.kernel simt, winograd and fft");
        if (!convolution) {
            require(w.kernel == ProductKernel::kSimt, {"workload.kernel", "workload.kind"},
                    "another workload.kernel than winograd and fft with workload.kind gemm");
            check_fragments();
            return;
        }
        locate_errors([&] {
            if (w.kernel == ProductKernel::kWinograd) {
                (void)WinogradGeometry::make(w.layer);
            } else if (w.kernel == ProductKernel::kFft) {
                (void)FftGeometry::make(w.layer);
            } else {
                (void)SimtGeometry::make(w.layer);
            }
        });
    }

    void check_sparse() const {
        require(!c_.values || c_.workload.tiling.c_traffic, {"values", "workload.tiling.c_traffic"},
                "workload.tiling.c_traffic on with values on: otherwise no output is stored that "
                "could be checked");
    }

    void check_direct() const {
        require(c_.workload.direct.image_alignment_bytes % 4 == 0,
                {"workload.direct.image_alignment_bytes"}, "a multiple of 4, the bytes of a float");
        locate_errors([&] {
            static_cast<void>(
                DirectGeometry::make(c_.workload.layer, c_.workload.pass, c_.workload.direct));
        });
    }

    void check_addresses_only() const {
        require(c_.workload.kind != WorkloadKind::kTrace || !c_.workload.trace.empty(),
                {"workload.trace", "workload.kind"},
                "the path of a kernelslist.g with workload.kind trace");
        require(!c_.values, {"values", "workload.kind"},
                "values off with traces and microbenchmarks, which have addresses but no values");
    }

    void check_grid(std::uint64_t groups, std::uint64_t m, std::uint64_t n, Keys keys) const {
        constexpr std::uint64_t kMostCtas = std::uint64_t{1} << 31;
        const TilingConfig& t = c_.workload.tiling;
        const std::uint64_t ctas =
            groups * ceil_div<std::uint64_t>(m, t.cta_m) * ceil_div<std::uint64_t>(n, t.cta_n);
        require(ctas < kMostCtas, keys, "fewer than 2^31 CTAs, not " + number(ctas));
    }

    /// Refuses geometries that only library kernels (ConvolutionPass) support.
    void check_axes(bool pads_are_equal) const {
        const LayerConfig& layer = c_.workload.layer;
        const auto expect = [this](bool holds, std::string_view key, std::string_view wanted) {
            require(holds, {key, "workload.kind", "workload.kernel"},
                    std::string(wanted) +
                        ", unless the layer runs on kernels of libraries (workload.kind "
                        "convolution, workload.kernel other than fragments)");
        };
        expect(layer.dilation == 1, "workload.layer.dilation", "1");
        const std::string_view stride = "that of workload.layer.stride";
        const std::string_view pad = "that of workload.layer.pad";
        expect(layer.stride_of_height() == layer.stride, "workload.layer.stride_height", stride);
        expect(layer.stride_of_width() == layer.stride, "workload.layer.stride_width", stride);
        if (!pads_are_equal) return;
        expect(layer.pad_of_height() == layer.pad, "workload.layer.pad_height", pad);
        expect(layer.pad_of_width() == layer.pad, "workload.layer.pad_width", pad);
    }

    void check_layer(const LayerConfig& layer) const {
        if (layer.transposed) check_transposed(layer);
        const std::uint32_t up = layer.transposed ? layer.stride : 1;
        const std::uint64_t pad =
            layer.transposed ? layer.filter_height - 1 - layer.pad : layer.pad;
        check_filter(layer.filter_height, std::uint64_t{layer.height} * up + 2 * pad,
                     "workload.layer.filter_height", "workload.layer.height");
        check_filter(layer.filter_width, std::uint64_t{layer.width} * up + 2 * pad,
                     "workload.layer.filter_width", "workload.layer.width");
        locate_errors(
            [&] { check_packet(ConvolutionGeometry::make(layer, c_.workload.channel_rule)); });
    }

    void check_transposed(const LayerConfig& layer) const {
        require(layer.filter_height == layer.filter_width,
                {"workload.layer.filter_height", "workload.layer.filter_width",
                 "workload.layer.transposed"},
                "a square filter for a transposed layer, whose padding is the same on all sides");
        require(layer.pad < layer.filter_height,
                {"workload.layer.pad", "workload.layer.filter_height", "workload.layer.transposed"},
                "workload.layer.pad (" + number(layer.pad) +
                    ") of a transposed layer to be less than workload.layer.filter_height (" +
                    number(layer.filter_height) + ")");
    }

    void check_filter(std::uint32_t filter, std::uint64_t padded, std::string_view filter_key,
                      std::string_view input_key) const {
        require(filter <= padded,
                {filter_key, input_key, "workload.layer.pad", "workload.layer.stride",
                 "workload.layer.transposed"},
                std::string(filter_key) + " (" + number(filter) +
                    ") to be at most the padded input (" + number(padded) + ")");
    }

    /// The packet of 32 bytes that describes a lowered convolution to the detection unit limits its
    /// size; fields that are keys themselves have these limits as their range.
    void check_packet(const ConvolutionGeometry& g) const {
        const auto fits = [&](std::uint64_t value, std::uint64_t most, std::string_view what,
                              Keys keys) {
            require(value <= most, keys,
                    std::string(what) + " (" + number(value) + ") of at most " + number(most) +
                        ", which is what the convolution packet can express");
        };
        fits(c_.workload.layer.filter_height, ConvolutionPacket::kMostFilterHeight,
             "a filter's height", {"workload.layer.filter_height"});
        fits(c_.workload.layer.filter_width, ConvolutionPacket::kMostFilterWidth,
             "a filter's width", {"workload.layer.filter_width"});
        fits(g.up_factor, 15, "the zero insertion of a transposed layer",
             {"workload.layer.stride", "workload.layer.transposed"});
        fits(g.padded_height, 65535, "a padded input height",
             {"workload.layer.height", "workload.layer.pad", "workload.layer.stride"});
        fits(g.padded_width, 65535, "a padded input width",
             {"workload.layer.width", "workload.layer.pad", "workload.layer.stride"});
        fits(g.padded_channels, 65535, "padded channels",
             {"workload.layer.channels", "workload.channel_rule"});
        const Keys row_keys = {"workload.layer.channels", "workload.layer.filter_width",
                               "workload.channel_rule"};
        if (g.rule == ChannelRule::kDense) {
            fits(g.filter_row, 32767, "halves of a filter row", row_keys);
        } else {
            fits(g.filter_row_pitch / 16, 32767, "chunks of a filter row", row_keys);
        }
        const Keys size_keys = {"workload.layer.batch", "workload.layer.height",
                                "workload.layer.width", "workload.layer.channels"};
        fits(g.workspace_bytes() / 32, 0xffffffff, "32-byte chunks of the workspace", size_keys);
        check_grid(g.groups, g.group_rows(), g.n, size_keys);
    }
};

}  // namespace

void check_workload(const Config& config, const ConfigSource& source) {
    WorkloadRules(config, source).check();
}

}  // namespace tessera
