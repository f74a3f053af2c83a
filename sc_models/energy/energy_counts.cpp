#include "sc_models/energy/energy_counts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sc_models/isa/register_reads.h"
#include "sc_models/mechanism/mechanism_energy.h"
#include "sc_models/mechanisms/mechanisms.h"

namespace tessera {
namespace {

constexpr std::uint64_t kSectorBytes = 32;         ///< pricing unit of caches and DRAM
constexpr std::uint64_t kWarpRegisterBytes = 128;  ///< 32 threads of 32 bits
constexpr std::uint64_t kMeshFlitBytes = 16;

constexpr std::uint64_t kProductsOfMma = 16 * 16 * 16;
constexpr std::uint64_t kHmmasOfMma = kHmmasOfProduct;
constexpr std::uint64_t kProductsOfHmma = kProductsOfMma / kHmmasOfMma;
constexpr std::uint64_t kReadsOfHmma = reads_of(kHmmaProductReads) / kHmmasOfMma;
constexpr std::uint64_t kWritesOfHmma = 2;
/// OHMMA.8161 (dual-side sparse tensor core, V-A).
constexpr std::uint64_t kOhmmasOfMma = 32;
constexpr std::uint64_t kWritesOfOwmma = 8;
/// Register writes of one instruction of the CUDA cores.
constexpr std::uint64_t kWritesOfAlu = 1;

constexpr std::uint64_t less(std::uint64_t a, std::uint64_t b) {
    return a - std::min(a, b);
}

constexpr std::uint64_t registers_of(std::uint64_t bytes) {
    return (bytes + kWarpRegisterBytes - 1) / kWarpRegisterBytes;
}

bool is_before(const EnergyCount& a, const EnergyCount& b) {
    return index_of(*a.event) < index_of(*b.event);
}

class Counting {
public:
    Counting(const Config& config, const StatGroup& machine, std::uint64_t cycles)
        : c_(config), machine_(machine), cycles_(cycles) {
        counts_.core_clock_mhz = config.gpu.core_clock_mhz;
        for (const Mechanism* mechanism : mechanisms()) {
            if (mechanism->energy() == nullptr) continue;
            mechanism_work_ += mechanism->energy()->work({config, machine, cycles});
        }
    }

    EnergyCounts all() && {
        count_instructions();
        count_registers();
        count_products();
        add(energy_event::kSharedWavefront, sum("sm.ldst.shared_wavefronts"));
        count_l1();
        count_network();
        if (machine_.has("memory.l2.reads")) count_l2();
        if (machine_.has("memory.dram.reads")) count_dram();
        count_static();
        count_leakage();
        count_mechanisms();
        std::stable_sort(counts_.events.begin(), counts_.events.end(), is_before);
        return std::move(counts_);
    }

private:
    [[nodiscard]] std::uint64_t sum(const std::string& path) const { return machine_.sum(path); }
    void add(const EnergyEvent& event, std::uint64_t count, std::uint64_t size = 0) {
        counts_.events.push_back({&event, count, size});
    }

    [[nodiscard]] bool outer_product() const {
        return c_.tensor_core.kind == TensorCoreKind::kOuterProduct;
    }
    void count_instructions() {
        const std::uint64_t mmas = sum("sm.sub_core.mmas");
        const std::uint64_t memory = sum("sm.ldst.instructions");
        const std::uint64_t steps = outer_product() ? kOhmmasOfMma : kHmmasOfMma;
        const std::uint64_t issued = sum("sm.sub_core.instructions");
        const std::uint64_t all = issued + mmas * (steps - 1) + mechanism_work_.steps;
        add(energy_event::kInstruction, all);
        add(energy_event::kSchedule, less(all, memory));

        alu_ = less(issued, mmas + memory + mechanism_work_.not_alu + sum("sm.sub_core.hmmas"));
        add(energy_event::kAluInstruction, less(alu_, mechanism_work_.vector_instructions));
        if (has_vector_operations(c_.workload.kind)) {
            add(energy_event::kMultiplyAddLane, mechanism_work_.vector_lanes);
        }
    }

    /// Single HMMAs of traces, counted in steps of HMMA.884.
    [[nodiscard]] std::uint64_t hmma_steps() const { return sum("sm.sub_core.hmma_steps"); }

    void count_registers() {
        const std::uint64_t mmas = sum("sm.sub_core.mmas");
        std::uint64_t reads =
            kReadsOfAlu * alu_ + kReadsOfHmma * hmma_steps() + mechanism_work_.reads;
        std::uint64_t writes =
            kWritesOfAlu * alu_ + kWritesOfHmma * hmma_steps() + mechanism_work_.writes;
        reads += mmas * (outer_product() ? reads_of(kOwmmaReads) : reads_of(kHmmaProductReads));
        writes += mmas * (outer_product() ? kWritesOfOwmma : kWritesOfHmma * kHmmasOfMma);
        // Loads and stores read an address register; stores also read their data.
        const std::uint64_t shared_stores = sum("sm.ldst.shared_store_wavefronts");
        reads += kReadsOfAddress * sum("sm.ldst.instructions") +
                 registers_of(sum("sm.l1.bytes_written")) + shared_stores;
        writes +=
            registers_of(loaded_bytes()) + less(sum("sm.ldst.shared_wavefronts"), shared_stores);
        add(energy_event::kRegisterRead, reads);
        add(energy_event::kRegisterWrite, writes);
    }

    /// Bytes that loads of global memory wrote into registers: fragments twice, once for each
    /// octet, without rows that a mechanism found in registers.
    [[nodiscard]] std::uint64_t loaded_bytes() const {
        const std::uint64_t requested_a = sum("sm.ldst.a_rows_requested");
        const std::uint64_t requested_b = sum("sm.ldst.b_rows_requested");
        std::uint64_t rows = less(sum("sm.ldst.a_rows"), mechanism_work_.rows_not_loaded);
        rows += requested_b * (2 / c_.ldst.octet_l1_accesses);
        const std::uint64_t others =
            less(sum("sm.l1.bytes_read"), (requested_a + requested_b) * kSectorBytes);
        return rows * kSectorBytes + others;
    }

    void count_products() {
        const std::uint64_t mmas = sum("sm.sub_core.mmas");
        add(energy_event::kTensorMultiplyAdd,
            hmma_steps() * kProductsOfHmma + (outer_product() ? 0 : mmas * kProductsOfMma));
        if (!outer_product()) return;
        add(energy_event::kTensorMultiply, mmas * kProductsOfMma + mechanism_work_.products);
    }

    /// Converts sectors of `sector_bytes` to sectors of 32 bytes.
    [[nodiscard]] std::uint64_t sectors(const std::string& path, std::uint32_t sector_bytes) const {
        return sum(path) * sector_bytes / kSectorBytes;
    }

    void count_l1() {
        const auto count = [this](const char* name) {
            return sectors(std::string("sm.l1.") + name, c_.l1.sector_bytes);
        };
        add(energy_event::kL1ReadHit, count("read_hits") + count("read_pending_hits"));
        add(energy_event::kL1ReadMiss, count("read_misses"));
        add(energy_event::kL1WriteHit, count("write_hits"));
        add(energy_event::kL1WriteMiss, less(count("writes"), count("write_hits")));
    }

    void count_network() {
        if (machine_.has("memory.mesh.flit_hops")) {
            add(energy_event::kNocFlitHop,
                sum("memory.mesh.flit_hops") * c_.noc.mesh.flit_bytes / kMeshFlitBytes);
        }
        if (!machine_.has("memory.crossbar.read_requests")) return;
        const std::string crossbar = "memory.crossbar.";
        add(energy_event::kNocFlit,
            sum(crossbar + "read_requests") + sum(crossbar + "write_acceptances") +
                (sum(crossbar + "read_bytes") + sum(crossbar + "write_bytes")) / kSectorBytes);
    }

    void count_l2() {
        const auto count = [this](const char* name) {
            return sectors(std::string("memory.l2.") + name, c_.l2.sector_bytes);
        };
        add(energy_event::kL2ReadHit, count("read_hits") + count("read_pending_hits"));
        add(energy_event::kL2ReadMiss, count("read_misses"));
        const std::uint64_t hits = count("write_hits") + count("write_pending_hits");
        add(energy_event::kL2WriteHit, hits);
        add(energy_event::kL2WriteMiss, less(count("writes"), hits));
        if (machine_.has("memory.l2.atomic_words")) {
            add(energy_event::kL2AtomicWord, sum("memory.l2.atomic_words"));
        }
    }

    void count_dram() {
        add(energy_event::kDramRead, sum("memory.dram.bytes_read") / kSectorBytes);
        add(energy_event::kDramWrite, sum("memory.dram.bytes_written") / kSectorBytes);
        add(energy_event::kDramPrecharge, sum("memory.dram.row_conflicts"));
    }

    /// An SM counts as idle by its sub-cores: one without a warp is a part of an idle SM.
    void count_static() {
        const std::uint64_t all = std::uint64_t{c_.gpu.sms} * cycles_;
        const std::uint64_t idle =
            std::min(all, sum("sm.sub_core.stall_no_warp") / c_.sm.sub_cores);
        const bool tensor = sum("sm.sub_core.mmas") + hmma_steps() + mechanism_work_.products > 0;
        add(tensor ? energy_event::kSmStaticTensor : energy_event::kSmStaticCuda, all - idle);
        add(energy_event::kSmIdle, idle);
    }

    void count_leakage() {
        const std::uint64_t sms = c_.gpu.sms;
        add(energy_event::kConstantPower, cycles_);
        add(energy_event::kSmLeakage, sms * cycles_);
        if (machine_.has("memory.l2.reads")) {
            add(energy_event::kL2SliceLeakage, c_.l2.slices * cycles_);
        }
    }

    void count_mechanisms() {
        for (const Mechanism* mechanism : mechanisms()) {
            if (mechanism->energy() == nullptr) continue;
            mechanism->energy()->count({c_, machine_, cycles_},
                                       [this](const EnergyEvent& event, std::uint64_t count,
                                              std::uint64_t size) { add(event, count, size); });
        }
    }

    const Config& c_;
    const StatGroup& machine_;
    const std::uint64_t cycles_;
    MechanismWork mechanism_work_;
    std::uint64_t alu_ = 0;  ///< instructions of the CUDA cores
    EnergyCounts counts_;
};

}  // namespace

void EnergyCounts::add(const EnergyCounts& more) {
    core_clock_mhz = more.core_clock_mhz;
    for (const EnergyCount& one : more.events) {
        const auto place = std::lower_bound(events.begin(), events.end(), one, is_before);
        if (place != events.end() && place->event == one.event) {
            place->count += one.count;
        } else {
            events.insert(place, one);
        }
    }
}

double EnergyCounts::microseconds() const {
    for (const EnergyCount& one : events) {
        if (one.event != &energy_event::kConstantPower || core_clock_mhz == 0) continue;
        return static_cast<double>(one.count) / core_clock_mhz;
    }
    return 0;
}

EnergyCounts energy_counts(const Config& config, const StatGroup& machine, Cycle cycles) {
    return Counting(config, machine, cycles).all();
}

}  // namespace tessera
