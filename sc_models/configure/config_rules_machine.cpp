#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "sc_models/configure/config_catalog.h"
#include "sc_models/configure/config_rules.h"
#include "sc_models/mechanisms/mechanisms.h"
#include "sc_models/memory/core/dram_timing.h"
#include "sc_models/memory/core/sector_tags.h"

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
        for (const Mechanism* mechanism : mechanisms()) mechanism->check_machine(c_, source_);
        check_tensor_rates();
        check_fault();
        check_energy();
    }

private:
    void check_sm() const {
        const SmConfig& sm = c_.sm;
        constexpr std::uint32_t kClients = 16;  // of the LDST unit
        require(sm.bulk_copy_latency_cycles == 0 || sm.sub_cores < kClients,
                {"sm.sub_cores", "sm.bulk_copy_latency_cycles"},
                "at most 15 sub-cores with sm.bulk_copy_latency_cycles above 0");
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

    void check_tensor_rates() const {
        const TensorRatesConfig& rates = c_.sm.tensor_rates;
        require(c_.tensor_core.kind == TensorCoreKind::kOuterProduct ||
                    rates.available()[static_cast<std::size_t>(MmaShape::kHmma884)] ||
                    rates[MmaShape::kHmma1688].is_number() ||
                    rates[MmaShape::kHmma16816].is_number() ||
                    c_.workload.kind == WorkloadKind::kTrace,
                {"sm.tensor_rates.hmma_884.products_per_cycle"},
                "a rate for one of HMMA.884, HMMA.1688 and HMMA.16816, to which kernels compile "
                "their products");
    }

    void check_fault() const {
        if (c_.impl.fault.empty()) return;
        const std::string_view name =
            std::string_view(c_.impl.fault).substr(0, c_.impl.fault.find(':'));
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
