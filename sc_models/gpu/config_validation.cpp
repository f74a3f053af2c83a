#include "sc_models/gpu/config_validation.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/memory/sector_tags.h"
#include "sc_models/tensor_core/spwmma_pipeline.h"
#include "sc_models/workload/convolution_geometry.h"
#include "sc_models/workload/direct_convolution_geometry.h"

namespace tessera {

namespace {

using Keys = std::initializer_list<std::string_view>;

std::string number(std::uint64_t value) {
    return std::to_string(value);
}

class Validator {
public:
    Validator(const Config& config, const ConfigSource& source) : c_(config), source_(source) {}

    void run() const {
        check_sm();
        check_caches();
        check_dram();
        check_mesh();
        check_duplo();
        check_tensor_cores();
        check_impl();
        if (c_.workload.kind == WorkloadKind::kTrace ||
            c_.workload.kind == WorkloadKind::kMicrobenchmarks) {
            check_addresses_only();
            return;
        }
        check_opportunistic();
        if (c_.workload.kind == WorkloadKind::kComposition) {
            check_direct();
            check_sparse();
            check_tiling();
            check_layer();
            return;
        }
        if (c_.workload.kind == WorkloadKind::kDirectConvolution) {
            check_direct();
            return;
        }
        if (is_sparse(c_.workload.kind)) {
            check_sparse();
            return;
        }
        check_tiling();
        if (c_.workload.kind == WorkloadKind::kConvolution) {
            check_layer();
        } else {
            check_grid(c_.workload.gemm.m, c_.workload.gemm.n,
                       {"workload.gemm.m", "workload.gemm.n", "workload.tiling.cta_m",
                        "workload.tiling.cta_n"});
        }
    }

private:
    void require(bool good, Keys keys, const std::string& expected) const {
        if (!good) source_.fail(keys, expected);
    }
    void require_power_of_two(std::uint64_t value, std::string_view key) const {
        require(is_power_of_two(value), {key}, "a power of two");
    }

    void check_sm() const {
        const SmConfig& sm = c_.sm;
        require(sm.max_warps % sm.sub_cores == 0, {"sm.max_warps", "sm.sub_cores"},
                "sm.max_warps (" + number(sm.max_warps) + ") to be a multiple of sm.sub_cores (" +
                    number(sm.sub_cores) + ")");
        require(
            sm.shared_memory_kib < sm.unified_l1_kib, {"sm.shared_memory_kib", "sm.unified_l1_kib"},
            "sm.shared_memory_kib (" + number(sm.shared_memory_kib) +
                ") to leave an L1 cache of sm.unified_l1_kib (" + number(sm.unified_l1_kib) + ")");
    }

    void check_line(std::uint32_t line, std::uint32_t sector, std::string_view line_key,
                    std::string_view sector_key) const {
        require_power_of_two(line, line_key);
        require_power_of_two(sector, sector_key);
        const std::string what = std::string(line_key) + " (" + number(line) + ") to hold 1 to " +
                                 number(SectorTags::kMaxSectors) + " sectors of " +
                                 std::string(sector_key) + " (" + number(sector) + ")";
        require(line % sector == 0 && line / sector <= SectorTags::kMaxSectors,
                {line_key, sector_key}, what);
    }

    void check_caches() const {
        const L1Config& l1 = c_.l1;
        const L2Config& l2 = c_.l2;
        check_line(l1.line_bytes, l1.sector_bytes, "l1.line_bytes", "l1.sector_bytes");
        check_line(l2.line_bytes, l2.sector_bytes, "l2.line_bytes", "l2.sector_bytes");
        require(c_.sm.l1_cache_bytes() % (l1.ways * l1.line_bytes) == 0,
                {"l1.ways", "l1.line_bytes", "sm.unified_l1_kib", "sm.shared_memory_kib"},
                "the L1 cache (sm.unified_l1_kib - sm.shared_memory_kib = " +
                    number(c_.sm.l1_cache_bytes()) +
                    " bytes) to be a multiple of l1.ways x l1.line_bytes (" +
                    number(l1.ways * l1.line_bytes) + ")");
        require_power_of_two(l1.banks, "l1.banks");
        require_power_of_two(l1.bank_interleave_bytes, "l1.bank_interleave_bytes");
        require(l1.sector_bytes == l2.sector_bytes, {"l1.sector_bytes", "l2.sector_bytes"},
                "l1.sector_bytes (" + number(l1.sector_bytes) + ") and l2.sector_bytes (" +
                    number(l2.sector_bytes) + ") to be equal");
        require_power_of_two(l2.slice_interleave_bytes, "l2.slice_interleave_bytes");
        require(l2.slice_interleave_bytes >= l2.line_bytes,
                {"l2.slice_interleave_bytes", "l2.line_bytes"},
                "l2.slice_interleave_bytes (" + number(l2.slice_interleave_bytes) +
                    ") to be at least l2.line_bytes (" + number(l2.line_bytes) + ")");
    }

    void check_dram() const {
        const DramConfig& dram = c_.dram;
        require(c_.l2.slices % dram.channels == 0, {"l2.slices", "dram.channels"},
                "l2.slices (" + number(c_.l2.slices) + ") to be a multiple of dram.channels (" +
                    number(dram.channels) + ")");
        require_power_of_two(dram.banks, "dram.banks");
        require_power_of_two(dram.row_bytes, "dram.row_bytes");
        require(dram.row_bytes >= c_.l2.line_bytes, {"dram.row_bytes", "l2.line_bytes"},
                "dram.row_bytes (" + number(dram.row_bytes) + ") to be at least l2.line_bytes (" +
                    number(c_.l2.line_bytes) + ")");
    }

    void check_mesh() const {
        if (c_.noc.kind != NocKind::kMesh) return;
        const MeshConfig& mesh = c_.noc.mesh;
        require(mesh.virtual_channels % 2 == 0, {"noc.mesh.virtual_channels"},
                "an even number: half for requests, half for replies");
        const std::uint32_t controllers = c_.dram.channels;
        require(std::uint64_t{c_.gpu.sms} + controllers <= mesh.width * mesh.height,
                {"noc.mesh.width", "noc.mesh.height", "gpu.sms", "dram.channels", "noc.kind"},
                "a mesh (" + number(mesh.width) + " x " + number(mesh.height) +
                    ") with a node for each of gpu.sms (" + number(c_.gpu.sms) +
                    ") and dram.channels (" + number(controllers) + ")");
        require(controllers % mesh.height == 0 || mesh.height % controllers == 0,
                {"noc.mesh.height", "dram.channels", "noc.kind"},
                "dram.channels (" + number(controllers) +
                    ") to spread evenly over the rows of noc.mesh.height (" + number(mesh.height) +
                    ")");
    }

    void check_duplo() const {
        const DuploConfig& duplo = c_.duplo;
        if (duplo.lhb_entries != DuploConfig::kInfiniteEntries) {
            const Keys keys = {"duplo.lhb.entries", "duplo.lhb.ways"};
            require(duplo.lhb_entries % duplo.lhb_ways == 0, keys,
                    "duplo.lhb.entries (" + number(duplo.lhb_entries) +
                        ") to be a multiple of duplo.lhb.ways (" + number(duplo.lhb_ways) + ")");
            require(is_power_of_two(duplo.lhb_entries / duplo.lhb_ways), keys,
                    "duplo.lhb.entries / duplo.lhb.ways (" +
                        number(duplo.lhb_entries / duplo.lhb_ways) +
                        " sets) to be a power of two, since the set is picked by bits of the id");
        }
        require(duplo.granularity != Granularity::kTile16 || duplo.octet_copies == 1,
                {"duplo.octet_copies", "duplo.granularity"},
                "duplo.octet_copies 1 with duplo.granularity tile16, where the fragment is one "
                "unit");
        require(duplo.spare_units == 0 || duplo.lifetime == Lifetime::kUntilReused,
                {"duplo.spare_units", "duplo.lifetime"},
                "duplo.spare_units 0 unless duplo.lifetime is until_reused, the only one that uses "
                "them");
        require(duplo.in_flight_hits || duplo.lifetime != Lifetime::kInFlight,
                {"duplo.in_flight_hits", "duplo.lifetime"},
                "duplo.in_flight_hits on with duplo.lifetime in_flight, which allows no other "
                "hits");
    }

    void check_tensor_cores() const {
        const bool outer_product = c_.tensor_core.kind == TensorCoreKind::kOuterProduct;
        const bool steps = c_.workload.kind == WorkloadKind::kTrace ||
                           c_.workload.kind == WorkloadKind::kMicrobenchmarks;
        require(!outer_product || !steps, {"tensor_core.kind", "workload.kind"},
                "tensor_core.kind fedp: traces and microbenchmarks hold HMMA steps of Volta's "
                "tensor cores");
        const auto check_rtl = [&](Implementation value, std::string_view key) {
            require(value == Implementation::kTlm || (outer_product && c_.values),
                    {key, "tensor_core.kind", "values"},
                    std::string(key) +
                        " tlm unless tensor_core.kind is outer_product and values are on: without "
                        "values there is nothing to compute");
        };
        check_rtl(c_.impl.feop_array, "impl.feop_array");
        check_rtl(c_.impl.accumulation_buffer, "impl.accumulation_buffer");
        check_rtl(c_.impl.bitmap_unit, "impl.bitmap_unit");
        const bool sparse = c_.workload.uses_spwmma();
        require(c_.impl.bitmap_unit == Implementation::kTlm || sparse,
                {"impl.bitmap_unit", "workload.kind", "workload.sparse.method"},
                "impl.bitmap_unit tlm unless workload.sparse.method is single or dual, whose "
                "SpWMMAs the unit cuts up");
        require(!sparse || !c_.impl.tensor_rtl() || SpwmmaPipeline::supports(c_.tensor_core.spwmma),
                {"impl.feop_array", "impl.accumulation_buffer", "impl.bitmap_unit"},
                "tensor_core.spwmma.accumulation collector, the other keys of tensor_core.spwmma "
                "but latency_cycles and swap_cycles as they are by default, and "
                "tensor_core.accumulation_buffer likewise, with RTL under SpWMMAs: it knows no "
                "other");
    }

    void check_sparse() const {
        const ProductMethod method = c_.workload.sparse.method;
        const bool fragments =
            method == ProductMethod::kDense || method == ProductMethod::kVectorWise;
        const bool outer_product = c_.tensor_core.kind == TensorCoreKind::kOuterProduct;
        require(fragments || outer_product, {"workload.sparse.method", "tensor_core.kind"},
                "tensor_core.kind outer_product with workload.sparse.method single and dual, which "
                "are made of SpWMMAs");
        require(!c_.duplo.enabled || c_.workload.kind == WorkloadKind::kComposition ||
                    c_.workload.sparse.a_fragments,
                {"workload.kind", "duplo.enabled", "workload.sparse.a_fragments"},
                "duplo.enabled off with workload.kind sparse_gemm and sparse_convolution, which "
                "load no A fragments from global memory without workload.sparse.a_fragments");
        require(!c_.values || c_.workload.tiling.c_traffic, {"values", "workload.tiling.c_traffic"},
                "workload.tiling.c_traffic on with values on: otherwise no output is stored that "
                "could be checked");
        const SpwmmaConfig& spwmma = c_.tensor_core.spwmma;
        require_power_of_two(spwmma.buffer.banks, "tensor_core.accumulation_buffer.banks");
        require(spwmma.granularity == OhmmaGranularity::k8x16 ||
                    spwmma.accumulation == AccumulationDetail::kCount,
                {"tensor_core.spwmma.granularity", "tensor_core.spwmma.accumulation"},
                "tensor_core.spwmma.accumulation count with granularity 8x8: the collector takes "
                "OHMMAs of 8x16");
    }

    void check_id_generator_rtl() const {
        if (c_.impl.id_generator == Implementation::kTlm) return;
        require(c_.duplo.id_formula == IdFormula::kCorrected,
                {"impl.id_generator", "duplo.id_formula"},
                "duplo.id_formula corrected: the RTL of the ID generator knows no other");
        require(c_.duplo.granularity == Granularity::kRow16,
                {"impl.id_generator", "duplo.granularity"},
                "duplo.granularity row16: the RTL of the ID generator makes ids of single rows");
    }

    void check_history_rtl() const {
        if (c_.impl.load_history_buffer == Implementation::kTlm) return;
        const DuploConfig& duplo = c_.duplo;
        require(duplo.lhb_entries != DuploConfig::kInfiniteEntries &&
                    duplo.lhb_entries <= LoadHistoryBufferRtl::kMaxEntries,
                {"impl.load_history_buffer", "duplo.lhb.entries"},
                "duplo.lhb.entries to be at most " + number(LoadHistoryBufferRtl::kMaxEntries) +
                    ", what the RTL has");
        require(duplo.lhb_ways <= LoadHistoryBufferRtl::kMaxWays && is_power_of_two(duplo.lhb_ways),
                {"impl.load_history_buffer", "duplo.lhb.ways"},
                "duplo.lhb.ways 1, 2, 4 or 8, what the RTL can be");
        require(duplo.lifetime != Lifetime::kForever,
                {"impl.load_history_buffer", "duplo.lifetime"},
                "duplo.lifetime other than forever, whose registers no RTL can count");
    }

    void check_impl() const {
        const DuploConfig& duplo = c_.duplo;
        require(!c_.impl.detection_rtl() || duplo.enabled,
                {"impl.id_generator", "impl.load_history_buffer", "duplo.enabled"},
                "duplo.enabled on with RTL in the detection unit");
        check_id_generator_rtl();
        check_history_rtl();
        if (c_.impl.fault.empty()) return;
        const std::array<std::pair<std::string_view, Implementation>, 5> blocks = {
            {{"id_generator", c_.impl.id_generator},
             {"load_history_buffer", c_.impl.load_history_buffer},
             {"feop_array", c_.impl.feop_array},
             {"accumulation_buffer", c_.impl.accumulation_buffer},
             {"bitmap_unit", c_.impl.bitmap_unit}}};
        const std::string_view name =
            std::string_view(c_.impl.fault).substr(0, c_.impl.fault.find(':'));
        const auto block = std::find_if(blocks.begin(), blocks.end(),
                                        [&](const auto& b) { return b.first == name; });
        require(block != blocks.end() && block->second != Implementation::kTlm, {"impl.fault"},
                "the name of a block that runs as RTL (impl.BLOCK rtl or both), then a colon");
        try {
            static_cast<void>(c_.impl.fault_of(name));
        } catch (const ConfigError& error) {
            throw source_.located(error);
        }
    }

    void check_opportunistic() const {
        const OpportunisticConfig& o = c_.opportunistic;
        require(o.scheme == OpportunisticScheme::kNone || has_vector_operations(c_.workload.kind),
                {"opportunistic.scheme", "workload.kind"},
                "opportunistic.scheme none unless workload.kind is direct_convolution, whose "
                "vector operations it acts on, or a composition");
        if (!o.inter() && !o.characterise) return;
        require(c_.gpu.sms % o.cluster_sms == 0, {"opportunistic.cluster_sms", "gpu.sms"},
                "opportunistic.cluster_sms (" + number(o.cluster_sms) + ") to divide gpu.sms (" +
                    number(c_.gpu.sms) + ")");
    }

    void check_direct() const {
        require(c_.workload.direct.image_alignment_bytes % 4 == 0,
                {"workload.direct.image_alignment_bytes"}, "a multiple of 4, the bytes of a float");
        try {
            static_cast<void>(DirectGeometry::make(c_.workload.layer, c_.workload.direct));
        } catch (const ConfigError& error) {
            throw source_.located(error);
        }
    }

    void check_addresses_only() const {
        require(c_.workload.kind != WorkloadKind::kTrace || !c_.workload.trace.empty(),
                {"workload.trace", "workload.kind"},
                "the path of a kernelslist.g with workload.kind trace");
        require(!c_.values, {"values", "workload.kind"},
                "values off with traces and microbenchmarks, which have addresses but no values");
    }

    void check_tiling() const {
        const TilingConfig& t = c_.workload.tiling;
        const auto check_side = [&](std::uint32_t cta, std::uint32_t warp, std::string_view cta_key,
                                    std::string_view warp_key) {
            require(warp % 16 == 0, {warp_key}, "a multiple of 16, the side of a fragment");
            require(cta % warp == 0, {cta_key, warp_key},
                    std::string(cta_key) + " (" + number(cta) + ") to be a multiple of " +
                        std::string(warp_key) + " (" + number(warp) + ")");
        };
        check_side(t.cta_m, t.warp_m, "workload.tiling.cta_m", "workload.tiling.warp_m");
        check_side(t.cta_n, t.warp_n, "workload.tiling.cta_n", "workload.tiling.warp_n");
        require(!c_.values || t.c_traffic, {"values", "workload.tiling.c_traffic"},
                "workload.tiling.c_traffic on with values on: otherwise no output is stored that "
                "could be checked");
        check_registers();
        check_residency();
    }

    /// 32-bit registers a thread of the GEMM: a 16x16 fragment takes 8 of each thread of a warp.
    [[nodiscard]] std::uint64_t registers_per_thread() const {
        const TilingConfig& t = c_.workload.tiling;
        const std::uint64_t rows = t.warp_m / 16, columns = t.warp_n / 16;
        return 8 * (t.fragment_buffers * (rows + columns) + rows * columns) + t.overhead_registers;
    }
    [[nodiscard]] std::uint32_t warps_per_cta() const {
        const TilingConfig& t = c_.workload.tiling;
        return t.cta_m / t.warp_m * (t.cta_n / t.warp_n);
    }

    void check_registers() const {
        constexpr std::uint32_t kMostRegisters = 255;
        const std::uint64_t registers = registers_per_thread();
        require(registers <= kMostRegisters,
                {"workload.tiling.warp_m", "workload.tiling.warp_n",
                 "workload.tiling.fragment_buffers", "workload.tiling.overhead_registers"},
                "fragments and overhead to take at most " + number(kMostRegisters) +
                    " registers a thread, not " + number(registers));
    }

    /// One CTA must fit an SM, and as many as are forced, where only registers may be exceeded.
    void check_residency() const {
        const TilingConfig& t = c_.workload.tiling;
        const SmConfig& sm = c_.sm;
        const std::uint32_t forced = t.ctas_per_sm;
        const std::uint64_t ctas = std::max<std::uint64_t>(forced, 1);
        const std::string who =
            forced == 0 ? "a CTA" : number(forced) + " CTAs (workload.tiling.ctas_per_sm)";
        const std::uint64_t warps = ctas * warps_per_cta();
        require(warps <= sm.max_warps,
                {"workload.tiling.cta_m", "workload.tiling.cta_n", "workload.tiling.warp_m",
                 "workload.tiling.warp_n", "workload.tiling.ctas_per_sm", "sm.max_warps"},
                who + " to fit an SM: needs " + number(warps) + " warps of sm.max_warps (" +
                    number(sm.max_warps) + ")");
        require(ctas <= sm.max_ctas, {"workload.tiling.ctas_per_sm", "sm.max_ctas"},
                who + " to fit an SM of sm.max_ctas (" + number(sm.max_ctas) + ")");
        const std::uint64_t shared = ctas * t.cta_m * t.cta_n * 4;
        require(shared <= std::uint64_t{sm.shared_memory_kib} * 1024,
                {"workload.tiling.cta_m", "workload.tiling.cta_n", "workload.tiling.ctas_per_sm",
                 "sm.shared_memory_kib"},
                who + " to fit an SM: the tile of C needs " + number(shared) +
                    " bytes of sm.shared_memory_kib (" + number(sm.shared_memory_kib) + " KiB)");
        // Registers are given to warps in units of 8 a thread.
        const std::uint64_t registers =
            round_up<std::uint64_t>(registers_per_thread(), 8) * warps_per_cta();
        require(forced != 0 || registers <= sm.warp_registers(),
                {"workload.tiling.cta_m", "workload.tiling.cta_n", "workload.tiling.warp_m",
                 "workload.tiling.warp_n", "workload.tiling.fragment_buffers",
                 "workload.tiling.overhead_registers", "sm.register_file_kib"},
                "a CTA to fit an SM: needs " + number(registers) + " warp registers of " +
                    number(sm.warp_registers()) + " (sm.register_file_kib)");
    }

    void check_grid(std::uint64_t m, std::uint64_t n, Keys keys) const {
        constexpr std::uint64_t kMostCtas = std::uint64_t{1} << 31;
        const TilingConfig& t = c_.workload.tiling;
        const std::uint64_t ctas =
            ceil_div<std::uint64_t>(m, t.cta_m) * ceil_div<std::uint64_t>(n, t.cta_n);
        require(ctas < kMostCtas, keys, "fewer than 2^31 CTAs, not " + number(ctas));
    }

    void check_layer() const {
        const LayerConfig& layer = c_.workload.layer;
        if (layer.transposed) check_transposed(layer);
        const std::uint32_t up = layer.transposed ? layer.stride : 1;
        const std::uint32_t pad =
            layer.transposed ? layer.filter_height - 1 - layer.pad : layer.pad;
        check_filter(layer.filter_height, std::uint64_t{layer.height} * up + 2 * pad,
                     "workload.layer.filter_height", "workload.layer.height");
        check_filter(layer.filter_width, std::uint64_t{layer.width} * up + 2 * pad,
                     "workload.layer.filter_width", "workload.layer.width");
        try {
            check_packet(ConvolutionGeometry::make(layer, c_.workload.channel_rule));
        } catch (const ConfigError& error) {
            throw source_.located(error);
        }
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

    /// The 32 bytes that describe a lowered convolution to the detection unit limit its size;
    /// fields that are keys themselves have these limits as their range.
    void check_packet(const ConvolutionGeometry& g) const {
        const auto fits = [&](std::uint64_t value, std::uint64_t most, std::string_view what,
                              Keys keys) {
            require(value <= most, keys,
                    std::string(what) + " (" + number(value) + ") of at most " + number(most) +
                        ", which is what the convolution packet can express");
        };
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
        check_grid(g.m, g.n, size_keys);
    }

    const Config& c_;
    const ConfigSource& source_;
};

}  // namespace

void validate(const Config& config, const ConfigSource& source) {
    Validator(config, source).run();
}

}  // namespace tessera
