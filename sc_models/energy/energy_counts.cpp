#include "sc_models/energy/energy_counts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sc_models/duplo/duplo_metrics.h"
#include "sc_models/isa/register_reads.h"
#include "sc_models/isa/warp_instruction.h"

namespace tessera {
namespace {

constexpr std::uint64_t kSectorBytes = 32;         ///< pricing unit of caches and DRAM
constexpr std::uint64_t kWarpRegisterBytes = 128;  ///< 32 threads of 32 bits
constexpr std::uint64_t kMeshFlitBytes = 16;
constexpr std::uint64_t kFragmentCopyRows = 32;  ///< with both octets' copies

constexpr std::uint64_t kProductsOfMma = 16 * 16 * 16;
constexpr std::uint64_t kHmmasOfMma = kHmmasOfProduct;
constexpr std::uint64_t kProductsOfHmma = kProductsOfMma / kHmmasOfMma;
constexpr std::uint64_t kReadsOfHmma = reads_of(kHmmaProductReads) / kHmmasOfMma;
constexpr std::uint64_t kWritesOfHmma = 2;
/// OHMMA.8161 (dual-side sparse tensor core, V-A).
constexpr std::uint64_t kOhmmasOfMma = 32, kProductsOfOhmma = 8 * 16;
constexpr std::uint64_t kWritesOfOwmma = 8;
/// Register writes of one instruction of the CUDA cores.
constexpr std::uint64_t kWritesOfAlu = 1;

constexpr std::uint64_t less(std::uint64_t a, std::uint64_t b) {
    return a - std::min(a, b);
}

constexpr std::uint64_t registers_of(std::uint64_t bytes) {
    return (bytes + kWarpRegisterBytes - 1) / kWarpRegisterBytes;
}

class Counting {
public:
    Counting(const Config& config, const StatGroup& machine, std::uint64_t cycles)
        : c_(config), machine_(machine), cycles_(cycles) {
        counts_.core_clock_mhz = config.gpu.core_clock_mhz;
    }

    EnergyCounts all() && {
        count_instructions();
        count_registers();
        count_products();
        add(EnergyEvent::kSharedWavefront, sum("sm.ldst.shared_wavefronts"));
        count_l1();
        count_network();
        if (machine_.has("memory.l2.reads")) count_l2();
        if (machine_.has("memory.dram.reads")) count_dram();
        if (has_detection()) count_duplo();
        if (outer_product()) count_dual_side();
        if (vector_operations()) count_opportunistic();
        count_static();
        count_leakage();
        std::stable_sort(
            counts_.events.begin(), counts_.events.end(),
            [](const EnergyCount& a, const EnergyCount& b) { return a.event < b.event; });
        return std::move(counts_);
    }

private:
    [[nodiscard]] std::uint64_t sum(const std::string& path) const { return machine_.sum(path); }
    void add(EnergyEvent event, std::uint64_t count, std::uint64_t size = 0) {
        counts_.events.push_back({event, count, size});
    }

    [[nodiscard]] bool outer_product() const {
        return c_.tensor_core.kind == TensorCoreKind::kOuterProduct;
    }
    /// Whether the tensor cores have the SpWMMA unit.
    [[nodiscard]] bool has_spwmma() const {
        return outer_product() && has_sparse_product(c_.workload.kind);
    }
    [[nodiscard]] bool vector_operations() const { return has_vector_operations(c_.workload.kind); }
    /// Whether Duplo's detection is present; a program may have installed another filter instead.
    [[nodiscard]] bool has_detection() const {
        return c_.duplo.enabled && machine_.has("sm.ldst.detection.loads");
    }
    [[nodiscard]] std::uint64_t of_spwmmas(const char* name) const {
        return has_spwmma() ? sum(std::string("sm.sub_core.tensor.") + name) : 0;
    }

    /// Work of vector operations: instructions that multiply, and products of lanes.
    struct VectorWork {
        std::uint64_t instructions = 0, lanes = 0;
    };
    [[nodiscard]] VectorWork vector_work() const {
        if (!vector_operations()) return {};
        const std::string unit = "sm.opportunistic.";
        std::uint64_t operations = 0;
        std::uint64_t lanes = 0;
        for (const char* outcome : {"normal", "predicted", "assigned"}) {
            operations += sum(unit + "operations_" + outcome);
            lanes += sum(unit + "lanes_" + outcome);
        }
        // Predictions that were never used were computed, too.
        std::uint64_t wasted = 0;
        if (c_.opportunistic.precomputes()) {
            wasted =
                less(sum(unit + "precompute_table.completed"), sum(unit + "precompute_table.used"));
        }
        const std::uint64_t length = c_.workload.layer.filter_width;
        const std::uint64_t wasted_lanes = operations == 0 ? 0 : wasted * lanes / operations;
        return {(operations + wasted) * length, (lanes + wasted_lanes) * length};
    }

    void count_instructions() {
        const std::uint64_t mmas = sum("sm.sub_core.mmas");
        const std::uint64_t memory = sum("sm.ldst.instructions");
        const std::uint64_t steps = outer_product() ? kOhmmasOfMma : kHmmasOfMma;
        const std::uint64_t issued = sum("sm.sub_core.instructions");
        const std::uint64_t all =
            issued + mmas * (steps - 1) + of_spwmmas("ohmmas") + of_spwmmas("bohmmas");
        add(EnergyEvent::kInstruction, all);
        add(EnergyEvent::kSchedule, less(all, memory));

        const VectorWork vector = vector_work();
        alu_ = less(issued, mmas + memory + of_spwmmas("spwmmas") + sum("sm.sub_core.hmmas"));
        add(EnergyEvent::kAluInstruction, less(alu_, vector.instructions));
        if (vector_operations()) add(EnergyEvent::kMultiplyAddLane, vector.lanes);
    }

    /// Single HMMAs of traces, counted in steps of HMMA.884.
    [[nodiscard]] std::uint64_t hmma_steps() const { return sum("sm.sub_core.hmma_steps"); }

    void count_registers() {
        const std::uint64_t mmas = sum("sm.sub_core.mmas");
        const std::uint64_t swapped = of_spwmmas("swaps") * kRegistersOfSwap;
        std::uint64_t reads = kReadsOfAlu * alu_ + kReadsOfHmma * hmma_steps() +
                              kReadsOfSpwmma * of_spwmmas("spwmmas") + swapped;
        std::uint64_t writes = kWritesOfAlu * alu_ + kWritesOfHmma * hmma_steps() + swapped;
        reads += mmas * (outer_product() ? reads_of(kOwmmaReads) : reads_of(kHmmaProductReads));
        writes += mmas * (outer_product() ? kWritesOfOwmma : kWritesOfHmma * kHmmasOfMma);
        // Loads and stores read an address register; stores also read their data.
        const std::uint64_t shared_stores = sum("sm.ldst.shared_store_wavefronts");
        reads += kReadsOfAddress * sum("sm.ldst.instructions") +
                 registers_of(sum("sm.l1.bytes_written")) + shared_stores;
        writes +=
            registers_of(loaded_bytes()) + less(sum("sm.ldst.shared_wavefronts"), shared_stores);
        add(EnergyEvent::kRegisterRead, reads);
        add(EnergyEvent::kRegisterWrite, writes);
    }

    /// Bytes that loads of global memory wrote into registers: fragments twice, once for each
    /// octet, without rows that detection found in registers.
    [[nodiscard]] std::uint64_t loaded_bytes() const {
        const std::uint64_t requested_a = sum("sm.ldst.a_rows_requested");
        const std::uint64_t requested_b = sum("sm.ldst.b_rows_requested");
        std::uint64_t rows = sum("sm.ldst.a_rows");
        if (has_detection()) {
            const DetectionCounts detection(machine_);
            const std::uint64_t loads = sum("sm.ldst.detection.loads");
            const std::uint64_t units = std::max<std::uint64_t>(detection.units(), 1);
            rows = less(rows, detection.all_hits * kFragmentCopyRows * loads / units);
        }
        rows += requested_b * (2 / c_.ldst.octet_l1_accesses);
        const std::uint64_t others =
            less(sum("sm.l1.bytes_read"), (requested_a + requested_b) * kSectorBytes);
        return rows * kSectorBytes + others;
    }

    void count_products() {
        const std::uint64_t mmas = sum("sm.sub_core.mmas");
        add(EnergyEvent::kTensorMultiplyAdd,
            hmma_steps() * kProductsOfHmma + (outer_product() ? 0 : mmas * kProductsOfMma));
        if (!outer_product()) return;
        add(EnergyEvent::kTensorMultiply,
            mmas * kProductsOfMma + of_spwmmas("ohmmas") * kProductsOfOhmma);
    }

    /// Converts sectors of `sector_bytes` to sectors of 32 bytes.
    [[nodiscard]] std::uint64_t sectors(const std::string& path, std::uint32_t sector_bytes) const {
        return sum(path) * sector_bytes / kSectorBytes;
    }

    void count_l1() {
        const auto count = [this](const char* name) {
            return sectors(std::string("sm.l1.") + name, c_.l1.sector_bytes);
        };
        add(EnergyEvent::kL1ReadHit, count("read_hits") + count("read_pending_hits"));
        add(EnergyEvent::kL1ReadMiss, count("read_misses"));
        add(EnergyEvent::kL1WriteHit, count("write_hits"));
        add(EnergyEvent::kL1WriteMiss, less(count("writes"), count("write_hits")));
    }

    void count_network() {
        if (machine_.has("memory.mesh.flit_hops")) {
            add(EnergyEvent::kNocFlitHop,
                sum("memory.mesh.flit_hops") * c_.noc.mesh.flit_bytes / kMeshFlitBytes);
        }
        if (!machine_.has("memory.crossbar.read_requests")) return;
        const std::string crossbar = "memory.crossbar.";
        add(EnergyEvent::kNocFlit,
            sum(crossbar + "read_requests") + sum(crossbar + "write_acceptances") +
                (sum(crossbar + "read_bytes") + sum(crossbar + "write_bytes")) / kSectorBytes);
    }

    void count_l2() {
        const auto count = [this](const char* name) {
            return sectors(std::string("memory.l2.") + name, c_.l2.sector_bytes);
        };
        add(EnergyEvent::kL2ReadHit, count("read_hits") + count("read_pending_hits"));
        add(EnergyEvent::kL2ReadMiss, count("read_misses"));
        const std::uint64_t hits = count("write_hits") + count("write_pending_hits");
        add(EnergyEvent::kL2WriteHit, hits);
        add(EnergyEvent::kL2WriteMiss, less(count("writes"), hits));
        if (machine_.has("memory.l2.atomic_words")) {
            add(EnergyEvent::kL2AtomicWord, sum("memory.l2.atomic_words"));
        }
    }

    void count_dram() {
        add(EnergyEvent::kDramRead, sum("memory.dram.bytes_read") / kSectorBytes);
        add(EnergyEvent::kDramWrite, sum("memory.dram.bytes_written") / kSectorBytes);
        add(EnergyEvent::kDramPrecharge, sum("memory.dram.row_conflicts"));
    }

    void count_duplo() {
        const DetectionCounts detection(machine_);
        const std::uint64_t entries = c_.duplo.lhb_entries;
        const std::uint64_t units = detection.units();
        const std::uint64_t loads = sum("sm.ldst.detection.loads");
        const std::uint64_t units_of_load = loads == 0 ? 0 : units / loads;
        // A hit also probes the L1, whose lookup is then cancelled (V-H); the second octet's copy
        // of a row shares the access of the first.
        const std::uint64_t hits =
            detection.all_hits - detection.hits[static_cast<std::size_t>(HitClass::kOctetCopy)];
        const std::uint64_t rows = kFragmentRows * c_.duplo.octet_copies;
        add(EnergyEvent::kL1Probe,
            c_.duplo.hit_frees_slot || units_of_load == 0 ? 0 : hits * rows / units_of_load);
        add(EnergyEvent::kDuploId, units);
        add(EnergyEvent::kLhbLookup, sum("sm.ldst.detection.lookups"), entries);
        add(EnergyEvent::kLhbWrite, detection.misses, entries);
        add(EnergyEvent::kRenameRead, sum("sm.sub_core.mmas") * units_of_load);
        add(EnergyEvent::kRenameWrite, units);
    }

    void count_dual_side() {
        const std::uint64_t banks = c_.tensor_core.spwmma.buffer.banks;
        const std::uint64_t additions =
            of_spwmmas("additions") + sum("sm.sub_core.mmas") * kProductsOfMma;
        add(EnergyEvent::kAccumulationRead, additions, banks);
        add(EnergyEvent::kAccumulationWrite, additions, banks);
        add(EnergyEvent::kAccumulationAdd, additions);
        add(EnergyEvent::kCollectorEntry, additions);
        add(EnergyEvent::kBitmapSet, of_spwmmas("bohmmas"));
    }

    void count_opportunistic() {
        const OpportunisticConfig& o = c_.opportunistic;
        const std::string unit = "sm.opportunistic.";
        if (o.precomputes()) {
            const std::uint64_t entries = o.pt_entries;
            std::uint64_t operations = 0;
            for (const char* outcome : {"normal", "predicted", "assigned"}) {
                operations += sum(unit + "operations_" + outcome);
            }
            add(EnergyEvent::kPrecomputeSearch, operations, entries);
            add(EnergyEvent::kPrecomputeWrite, sum(unit + "precompute_table.inserted"), entries);
            add(EnergyEvent::kPrecomputeResultWrite, sum(unit + "precompute_table.completed"));
            add(EnergyEvent::kPrecomputeResultRead, sum(unit + "precompute_table.used"));
        }
        if (o.inter()) {
            // Each L1 eviction searches the assign table, too.
            add(EnergyEvent::kAssignSearch,
                sum("opportunistic.assign_table.lookups") + sum("sm.l1.evictions"), o.at_entries);
            add(EnergyEvent::kAssignWrite, sum("opportunistic.assign_table.inserted"),
                o.at_entries);
        }
    }

    /// An SM counts as idle by its sub-cores: one without a warp is a quarter of an idle SM.
    void count_static() {
        const std::uint64_t all = std::uint64_t{c_.gpu.sms} * cycles_;
        const std::uint64_t idle =
            std::min(all, sum("sm.sub_core.stall_no_warp") / c_.sm.sub_cores);
        const bool tensor = sum("sm.sub_core.mmas") + hmma_steps() + of_spwmmas("spwmmas") > 0;
        add(tensor ? EnergyEvent::kSmStaticTensor : EnergyEvent::kSmStaticCuda, all - idle);
        add(EnergyEvent::kSmIdle, idle);
    }

    void count_leakage() {
        const std::uint64_t sms = c_.gpu.sms;
        const std::uint64_t sub_cores = sms * c_.sm.sub_cores;
        const auto leaks = [this](EnergyEvent event, const EnergyStructure& of) {
            add(event, of.instances * cycles_, of.size);
        };
        leaks(EnergyEvent::kConstantPower, {1, 0});
        leaks(EnergyEvent::kSmLeakage, {sms, 0});
        if (machine_.has("memory.l2.reads")) {
            leaks(EnergyEvent::kL2SliceLeakage, {c_.l2.slices.get(), 0});
        }
        if (has_detection()) {
            leaks(EnergyEvent::kLhbLeakage, load_history_buffers(c_));
            leaks(EnergyEvent::kRenameLeakage, {sub_cores, 0});
        }
        if (outer_product()) {
            leaks(EnergyEvent::kAccumulationLeakage, accumulation_buffers(c_));
        }
        if (!vector_operations()) return;
        const OpportunisticConfig& o = c_.opportunistic;
        if (o.precomputes()) leaks(EnergyEvent::kPrecomputeLeakage, {sms, o.pt_entries.get()});
        if (o.inter()) {
            leaks(EnergyEvent::kAssignLeakage, {sms / o.cluster_sms, o.at_entries.get()});
        }
    }

    const Config& c_;
    const StatGroup& machine_;
    const std::uint64_t cycles_;
    std::uint64_t alu_ = 0;  ///< instructions of the CUDA cores
    EnergyCounts counts_;
};

}  // namespace

void EnergyCounts::add(const EnergyCounts& more) {
    core_clock_mhz = more.core_clock_mhz;
    for (const EnergyCount& one : more.events) {
        const auto place = std::lower_bound(
            events.begin(), events.end(), one,
            [](const EnergyCount& a, const EnergyCount& b) { return a.event < b.event; });
        if (place != events.end() && place->event == one.event) {
            place->count += one.count;
        } else {
            events.insert(place, one);
        }
    }
}

double EnergyCounts::microseconds() const {
    for (const EnergyCount& one : events) {
        if (one.event != EnergyEvent::kConstantPower || core_clock_mhz == 0) continue;
        return static_cast<double>(one.count) / core_clock_mhz;
    }
    return 0;
}

EnergyCounts energy_counts(const Config& config, const StatGroup& machine, Cycle cycles) {
    return Counting(config, machine, cycles).all();
}

EnergyStructure register_files(const Config& config) {
    return {config.gpu.sms, config.sm.register_file_kib};
}

EnergyStructure load_history_buffers(const Config& config) {
    return {config.gpu.sms, config.duplo.lhb_entries};
}

EnergyStructure accumulation_buffers(const Config& config) {
    return {std::uint64_t{config.gpu.sms} * config.sm.sub_cores,
            config.tensor_core.spwmma.buffer.banks};
}

}  // namespace tessera
