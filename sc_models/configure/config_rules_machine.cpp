#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_rules.h"
#include "sc_models/cosim/duplo_core_rtl.h"
#include "sc_models/cosim/load_history_buffer_rtl.h"
#include "sc_models/memory/core/dram_timing.h"
#include "sc_models/memory/core/sector_tags.h"
#include "sc_models/tensor_core/spwmma_pipeline.h"

namespace tessera {
namespace {

class MachineRules : private ConfigRules {
public:
    MachineRules(const Config& config, const ConfigSource& source) : ConfigRules(config, source) {}

    void check() const {
        check_sm();
        check_caches();
        check_dram();
        check_mesh();
        check_duplo();
        check_tensor_cores();
        check_pipe();
        check_impl();
        check_energy();
    }

private:
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
                                 number(kMaxLineSectors) + " sectors of " +
                                 std::string(sector_key) + " (" + number(sector) + ")";
        require(line % sector == 0 && line / sector <= kMaxLineSectors, {line_key, sector_key},
                what);
    }

    void check_caches() const {
        const L1Config& l1 = c_.l1;
        const L2Config& l2 = c_.l2;
        check_line(l1.line_bytes, l1.sector_bytes, "l1.line_bytes", "l1.sector_bytes");
        check_line(l2.line_bytes, l2.sector_bytes, "l2.line_bytes", "l2.sector_bytes");
        require(c_.sm.l1_cache_bytes() % (std::uint64_t{l1.ways} * l1.line_bytes) == 0,
                {"l1.ways", "l1.line_bytes", "sm.unified_l1_kib", "sm.shared_memory_kib"},
                "the L1 cache (sm.unified_l1_kib - sm.shared_memory_kib = " +
                    number(c_.sm.l1_cache_bytes()) +
                    " bytes) to be a multiple of l1.ways x l1.line_bytes (" +
                    number(std::uint64_t{l1.ways} * l1.line_bytes) + ")");
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
        locate_errors([&] { (void)DramTiming(dram, c_.l2.sector_bytes); });
    }

    void check_energy() const {
        const std::string& table = c_.gpu.energy_table;
        if (table != kNoEnergyTable)
            locate_errors([&] { (void)ConfigCatalog().energy_table(table); });
    }

    void check_mesh() const {
        if (c_.noc.kind != NocKind::kMesh) return;
        const MeshConfig& mesh = c_.noc.mesh;
        require(mesh.virtual_channels % 2 == 0, {"noc.mesh.virtual_channels"},
                "an even number: half for requests, half for replies");
        const std::uint32_t controllers = c_.dram.channels;
        require(std::uint64_t{c_.gpu.sms} + controllers <= std::uint64_t{mesh.width} * mesh.height,
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
        const bool steps = c_.workload.kind == WorkloadKind::kTrace;
        require(!outer_product || !steps, {"tensor_core.kind", "workload.kind"},
                "tensor_core.kind fedp: traces hold HMMA steps of Volta's tensor cores");
        const TensorRatesConfig& rates = c_.sm.tensor_rates;
        require(outer_product || rates.available()[static_cast<std::size_t>(MmaShape::kHmma884)] ||
                    rates[MmaShape::kHmma1688].is_number() ||
                    rates[MmaShape::kHmma16816].is_number() ||
                    c_.workload.kind == WorkloadKind::kTrace,
                {"sm.tensor_rates.hmma_884.products_per_cycle"},
                "a rate for one of HMMA.884, HMMA.1688 and HMMA.16816, to which kernels compile "
                "their products");
        for (std::size_t i = 0; i < kRtlBlocks.size(); ++i) {
            if (kRtlBlocks[i].home != RtlHome::kTensorCores) continue;
            const std::string key = "impl." + std::string(kRtlBlocks[i].name);
            require(c_.impl.blocks[i] == Implementation::kTlm || (outer_product && c_.values),
                    {key, "tensor_core.kind", "values"},
                    key +
                        " tlm unless tensor_core.kind is outer_product and values are on: without "
                        "values there is nothing to compute");
        }
        const bool sparse = c_.workload.uses_spwmma();
        require(!c_.impl.has_rtl(RtlBlock::kBitmapUnit) || sparse,
                {"impl.bitmap_unit", "workload.kind", "workload.sparse.method"},
                "impl.bitmap_unit tlm unless workload.sparse.method is single or dual, whose "
                "SpWMMAs the unit cuts up");
        require(!c_.impl.has_rtl(RtlBlock::kAccumulationBuffer) ||
                    SpwmmaPipeline::supports(c_.tensor_core.spwmma.buffer),
                {"impl.accumulation_buffer"},
                "the keys of tensor_core.accumulation_buffer as they are by default with its RTL, "
                "which knows no other");
        require(!sparse || !c_.impl.has_rtl(RtlHome::kTensorCores) ||
                    SpwmmaPipeline::supports(c_.tensor_core.spwmma),
                {"impl.feop_array", "impl.accumulation_buffer", "impl.bitmap_unit"},
                "tensor_core.spwmma.accumulation collector, the other keys of tensor_core.spwmma "
                "but latency_cycles and swap_cycles as they are by default, and "
                "tensor_core.accumulation_buffer likewise, with RTL under SpWMMAs: it knows no "
                "other");
    }

    void check_id_generator_rtl() const {
        if (!c_.impl.is_made(RtlBlock::kIdGenerator) && !has_core()) return;
        require(c_.duplo.id_formula == IdFormula::kCorrected,
                {"impl.id_generator", "duplo.id_formula"},
                "duplo.id_formula corrected: the RTL of the ID generator knows no other");
        require(c_.duplo.granularity == Granularity::kRow16,
                {"impl.id_generator", "duplo.granularity"},
                "duplo.granularity row16: the RTL of the ID generator makes ids of single rows");
        require(c_.duplo.keep == RetentionPolicy::kAny, {"impl.id_generator", "duplo.keep"},
                "duplo.keep any: the RTL of the ID generator does not say whether a datum recurs");
    }

    void check_history_rtl() const {
        if (!c_.impl.is_made(RtlBlock::kLoadHistoryBuffer) && !has_core()) return;
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
        require(duplo.keep == RetentionPolicy::kAny, {"impl.load_history_buffer", "duplo.keep"},
                "duplo.keep any: the RTL of the load history buffer replaces the least recently "
                "used");
    }

    [[nodiscard]] bool has_core() const { return c_.impl.has_rtl(RtlBlock::kDuploCore); }

    void check_pipe() const {
        const DuploConfig& duplo = c_.duplo;
        if (duplo.pipe == PipeTiming::kAssumed) return;
        require(duplo.lookups_per_cycle != DuploConfig::kUnlimitedLookups,
                {"duplo.pipe", "duplo.lookups_per_cycle"},
                "duplo.lookups_per_cycle other than unlimited with duplo.pipe built");
        require(duplo.lifetime == Lifetime::kMapped && duplo.release == ReleasePoint::kIssue &&
                    duplo.in_flight_hits && duplo.keep == RetentionPolicy::kAny &&
                    duplo.granularity == Granularity::kRow16,
                {"duplo.pipe", "duplo.lifetime", "duplo.release", "duplo.in_flight_hits",
                 "duplo.keep", "duplo.granularity"},
                "duplo.lifetime mapped, duplo.release issue, duplo.in_flight_hits on, duplo.keep "
                "any and duplo.granularity row16 with duplo.pipe built");
    }

    void check_rename_rtl() const {
        if (!c_.impl.is_made(RtlBlock::kRenameTable)) return;
        require(
            (c_.duplo.lifetime == Lifetime::kMapped || c_.duplo.lifetime == Lifetime::kInFlight) &&
                c_.duplo.release == ReleasePoint::kIssue,
            {"impl.rename_table", "duplo.lifetime", "duplo.release"},
            "duplo.lifetime mapped or in_flight and duplo.release issue: the RTL of the rename "
            "table frees a register with its last unit");
    }

    void check_core_rtl() const {
        if (!has_core()) return;
        require(
            c_.duplo.pipe == PipeTiming::kBuilt && c_.duplo.lookups_per_cycle == 1 &&
                c_.duplo.latency_cycles == DuploCoreRtl::kLatency,
            {"impl.duplo_core", "duplo.pipe", "duplo.lookups_per_cycle", "duplo.latency_cycles"},
            "duplo.pipe built, duplo.lookups_per_cycle 1 and duplo.latency_cycles 20, the pipe "
            "of the RTL");
    }

    void check_impl() const {
        const DuploConfig& duplo = c_.duplo;
        require(!c_.impl.has_rtl(RtlHome::kDetectionUnit) || duplo.enabled,
                {"impl.id_generator", "impl.load_history_buffer", "impl.rename_table",
                 "impl.duplo_core", "duplo.enabled"},
                "duplo.enabled on with RTL in the detection unit");
        check_id_generator_rtl();
        check_history_rtl();
        check_rename_rtl();
        check_core_rtl();
        if (c_.impl.fault->empty()) return;
        const std::string_view name =
            std::string_view(c_.impl.fault.get()).substr(0, c_.impl.fault->find(':'));
        std::size_t block = 0;
        while (block < kRtlBlocks.size() && kRtlBlocks[block].name != name) ++block;
        require(block < kRtlBlocks.size() && c_.impl.blocks[block] != Implementation::kTlm,
                {"impl.fault"},
                "the name of a block that runs as RTL (impl.BLOCK rtl or both), then a colon");
        locate_errors([&] { static_cast<void>(c_.impl.fault_of(static_cast<RtlBlock>(block))); });
    }
};

}  // namespace

void check_machine(const Config& config, const ConfigSource& source) {
    MachineRules(config, source).check();
}

}  // namespace tessera
