#include "sc_models/duplo/duplo_rules.h"

#include <string>

#include "sc_models/config/config_rules.h"
#include "sc_models/duplo/rtl_limits.h"
#include "sc_models/isa/convolution_packet.h"

namespace tessera {
namespace {

class DuploMachineRules : private ConfigRules {
public:
    DuploMachineRules(const Config& config, const ConfigSource& source)
        : ConfigRules(config, source) {}

    void check() const {
        check_duplo();
        check_pipe();
        require(!c_.impl.has_rtl(RtlHome::kDetectionUnit) || c_.duplo.enabled,
                {"impl.id_generator", "impl.load_history_buffer", "impl.rename_table",
                 "impl.duplo_core", "duplo.enabled"},
                "duplo.enabled on with RTL in the detection unit");
        check_id_generator_rtl();
        check_history_rtl();
        check_rename_rtl();
        check_core_rtl();
    }

private:
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
                    duplo.lhb_entries <= DuploRtlLimits::kMaxEntries,
                {"impl.load_history_buffer", "duplo.lhb.entries"},
                "duplo.lhb.entries to be at most " + number(DuploRtlLimits::kMaxEntries) +
                    ", what the RTL has");
        require(duplo.lhb_ways <= DuploRtlLimits::kMaxWays && is_power_of_two(duplo.lhb_ways),
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
                c_.duplo.latency_cycles == DuploRtlLimits::kCoreLatency,
            {"impl.duplo_core", "duplo.pipe", "duplo.lookups_per_cycle", "duplo.latency_cycles"},
            "duplo.pipe built, duplo.lookups_per_cycle 1 and duplo.latency_cycles 20, the pipe "
            "of the RTL");
    }
};

class DuploWorkloadRules : private ConfigRules {
public:
    DuploWorkloadRules(const Config& config, const ConfigSource& source)
        : ConfigRules(config, source) {}

    void check() const {
        const WorkloadKind kind = c_.workload.kind;
        require(kind != WorkloadKind::kTensor, {"duplo.enabled", "workload.kind"},
                "duplo.enabled off with workload.kind tensor, which loads no matrix");
        require(kind != WorkloadKind::kAttention, {"duplo.enabled", "workload.kind"},
                "duplo.enabled off with workload.kind attention, which lowers no convolution");
        require(!is_sparse(kind) || c_.workload.sparse.a_fragments,
                {"workload.kind", "duplo.enabled", "workload.sparse.a_fragments"},
                "duplo.enabled off with workload.kind sparse_gemm and sparse_convolution, which "
                "load no A fragments from global memory without workload.sparse.a_fragments");
        const bool convolution = kind == WorkloadKind::kConvolution;
        require(!(convolution || kind == WorkloadKind::kGemm) || !is_fp32(c_.workload.kernel),
                {"duplo.enabled", "workload.kernel"},
                "duplo.enabled off with workload.kernel simt, winograd and fft, which load no "
                "fragments of tensor cores");
        if ((convolution || kind == WorkloadKind::kGemm) &&
            c_.workload.kernel != ProductKernel::kFragments) {
            check_library_kernel();
        } else if (convolution || kind == WorkloadKind::kComposition) {
            check_packet();
        }
    }

private:
    void check_library_kernel() const {
        const DuploConfig& duplo = c_.duplo;
        require(c_.workload.kind == WorkloadKind::kConvolution,
                {"duplo.enabled", "workload.kind", "workload.kernel"},
                "duplo.enabled off with workload.kind gemm and a workload.kernel other than "
                "fragments: a product loads nothing twice under another address");
        require(c_.workload.kernel != ProductKernel::kMultistage,
                {"duplo.enabled", "workload.kernel"},
                "duplo.enabled off with workload.kernel multistage, whose copies bring nothing to "
                "registers");
        const auto require_staged = [this](bool met, const char* key, const std::string& value) {
            require(met, {key, "workload.kernel"},
                    std::string(key) + " " + value +
                        " with a workload.kernel other than fragments, where Duplo sees staged "
                        "copies of the tensor");
        };
        require_staged(duplo.granularity == Granularity::kRow16, "duplo.granularity", "row16");
        require_staged(duplo.octet_copies == 1, "duplo.octet_copies", "1");
        require_staged(duplo.id_formula == IdFormula::kCorrected, "duplo.id_formula", "corrected");
        require_staged(duplo.keep == RetentionPolicy::kAny, "duplo.keep", "any");
        require_staged(!duplo.zero_rule, "duplo.zero_rule", "off");
        require_staged(!c_.impl.has_rtl(RtlBlock::kIdGenerator), "impl.id_generator", "tlm");
        require_staged(!c_.impl.has_rtl(RtlBlock::kDuploCore), "impl.duplo_core", "tlm");
    }

    void check_packet() const {
        const LayerConfig& layer = c_.workload.layer;
        const std::uint64_t images = std::uint64_t{layer.groups} * layer.batch;
        require(images <= ConvolutionPacket::kMostImages,
                {"workload.layer.groups", "workload.layer.batch", "duplo.enabled"},
                "workload.layer.groups x workload.layer.batch (" + number(images) +
                    ") of at most " + number(ConvolutionPacket::kMostImages) +
                    " with duplo.enabled on: the convolution packet describes each group's images "
                    "as images of their own, and counts no more");
    }
};

}  // namespace

void check_duplo_machine(const Config& config, const ConfigSource& source) {
    DuploMachineRules(config, source).check();
}

void check_duplo_workload(const Config& config, const ConfigSource& source) {
    if (config.duplo.enabled) DuploWorkloadRules(config, source).check();
}

}  // namespace tessera
