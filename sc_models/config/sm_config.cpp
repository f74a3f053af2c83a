#include "sc_models/config/sm_config.h"

#include <algorithm>
#include <cmath>

#include "sc_models/config/key_conditions.h"

namespace tessera {

namespace {

constexpr KeyCondition kRegisterBanks = {
    "sm.register_file.banks above 0", [](const Config& c) { return c.sm.register_file.banks > 0; }};

constexpr KeyCondition kIssued = {"kernels that issue such instructions", nullptr};
constexpr KeyCondition kWritingAlu = {"ALU instructions that write a register", nullptr};

struct OperationText {
    std::string_view key, help;
};
/// Texts by Operation.
constexpr std::array<OperationText, kOperations> kOperationText = {{
    {"integer", "Integer and logic instructions (16 lanes a sub-core on Volta)."},
    {"fp32", "Single precision (16 lanes; 4.1 cycles measured on a Titan V)."},
    {"half", "HADD2, HMUL2 and HFMA2, on the lanes of fp32."},
    {"fp64", "Double precision (8 lanes)."},
    {"special_function", "MUFU and conversions (4 lanes; 21 cycles measured on a Titan V)."},
    {"hmma_f32",
     "One HMMA.884 step with FP32 accumulators, 256 products; four dependent sets of four "
     "make a 16x16x16 product (36 cycles measured on a Titan V with 9 and 2)."},
    {"hmma_f16", "One HMMA.884 step with FP16 accumulators, on the same tensor cores."},
    {"branch", "Branches, calls and convergence; a trace has no wrong paths."},
    {"move", "Moves, special registers, shuffles and whatever is none of the others."},
}};

}  // namespace

std::uint32_t SmConfig::l1_cache_bytes(std::uint32_t shared_bytes) const {
    std::uint32_t shared_kib = shared_memory_kib;
    if (adaptive_shared_memory) {
        // Volta's, then those that compute capabilities 8.0 and 9.0 have beyond them (CUDA C++
        // Programming Guide, 16.6 to 16.8).
        constexpr std::uint32_t kVoltaKib = 96;
        constexpr std::array<std::uint32_t, 10> kStepsKib = {0,         8,   16,  32,  64,
                                                             kVoltaKib, 100, 132, 164, 196};
        for (const std::uint32_t step : kStepsKib) {
            const bool of_volta = step == kVoltaKib && shared_kib > kVoltaKib;
            if (step * 1024 < shared_bytes || step >= shared_kib || of_volta) continue;
            shared_kib = step;
            break;
        }
    }
    return (unified_l1_kib - shared_kib) * 1024;
}

TensorTiming SmConfig::tensor_timing(MmaShape shape) const {
    const TensorRateConfig& rate = tensor_rates[shape];
    const double products = text_of(shape).products;
    if (rate.products_per_cycle > 0) {
        const double cycles = products * sub_cores / rate.products_per_cycle;
        return {std::max<std::uint64_t>(1, std::llround(cycles * TensorTiming::kUnit)),
                rate.latency_cycles};
    }
    const bool f16 = shape == MmaShape::kHmma884F16 || shape == MmaShape::kHmma1688F16 ||
                     shape == MmaShape::kHmma16816F16;
    const MmaShape step = f16 ? MmaShape::kHmma884F16 : MmaShape::kHmma884;
    const OperationConfig& hmma = operation(f16 ? Operation::kHmmaF16 : Operation::kHmmaF32);
    const std::uint32_t steps = text_of(shape).products / text_of(step).products;
    return {std::uint64_t{steps} * hmma.initiation_cycles * TensorTiming::kUnit,
            (steps - 1) * hmma.initiation_cycles + hmma.latency_cycles};
}

TensorTiming SmConfig::chain_timing(MmaShape shape, std::uint32_t chain) const {
    constexpr std::uint32_t kHalves = 2;
    const TensorTiming one = tensor_timing(shape);
    const auto cycles = [](std::uint64_t units) { return ceil_div(units, TensorTiming::kUnit); };
    const std::uint64_t set =
        std::max<std::uint64_t>(cycles(kHalves * one.initiation), chain > 1 ? one.latency : 0);
    return {cycles(std::uint64_t{kHalves} * chain * one.initiation) * TensorTiming::kUnit,
            static_cast<std::uint32_t>((chain - 1) * set + cycles((kHalves - 1) * one.initiation) +
                                       one.latency)};
}

std::optional<TensorTiming> SmConfig::fragment_timing(FragmentProduct product) const {
    if (product == FragmentProduct::kHalf) return product_timing();
    const MmaShape shape = shape_of(product);
    if (!tensor_rates[shape].is_number()) return std::nullopt;
    return chain_timing(shape, 1);
}

std::optional<TensorTiming> SmConfig::warpgroup_timing(MmaShape shape,
                                                       std::uint32_t columns) const {
    constexpr std::uint32_t kColumns = 8;  // of MmaShapeText::products
    if (!tensor_rates[shape].is_number()) return std::nullopt;
    const TensorTiming eight = tensor_timing(shape);
    return TensorTiming{eight.initiation * (columns / kColumns), eight.latency};
}

TensorTiming SmConfig::product_timing() const {
    if (tensor_rates[MmaShape::kHmma16816].is_number()) {
        return chain_timing(MmaShape::kHmma16816, 1);
    }
    if (tensor_rates[MmaShape::kHmma1688].is_number()) return chain_timing(MmaShape::kHmma1688, 2);
    // Four dependent sets of four steps, which write different sums.
    constexpr std::uint32_t kSets = 4, kStepsOfSet = 4;
    const OperationConfig& hmma = operation(Operation::kHmmaF32);
    const std::uint32_t steps = kStepsOfSet * hmma.initiation_cycles;
    return {std::uint64_t{kSets} * steps * TensorTiming::kUnit,
            kSets * std::max<std::uint32_t>(steps, hmma.latency_cycles)};
}

void SmConfig::bind(ConfigVisitor& v) {
    v.integer("sub_cores", sub_cores, 1, 16,
              "Sub-cores of an SM, each with one warp scheduler (Duplo Table III: 4 schedulers).");
    v.integer(
        "issue_cycles", issue_cycles, 1, 32,
        "Cycles from one instruction a scheduler issues to its next: 32 threads over the lanes "
        "of a machine that is narrower than a warp (opportunistic computing, Table I: 4).");
    v.integer("max_warps", max_warps, 1, 256, "Warps resident on an SM (Duplo Table III: 64).");
    v.integer("max_ctas", max_ctas, 1, 256, "CTAs resident on an SM (Duplo Table III: 32).");
    v.choice(
        "scheduler", scheduler,
        {{"gto", SchedulerPolicy::kGreedyThenOldest}, {"lrr", SchedulerPolicy::kLooseRoundRobin}},
        "Which ready warp issues: greedy-then-oldest (Duplo Table III) or loose round-robin.");
    v.integer("register_file_kib", register_file_kib, 1, 65536,
              "Register file of an SM (Duplo Table III: 256 KiB); limits how many CTAs fit.");
    v.section("register_file", "How the registers of a sub-core are read.", [&] {
        v.integer("banks", register_file.banks, 0, RegisterFileConfig::kMaxBanks,
                  "Banks of a sub-core's registers, register r in bank r mod banks (Volta: 2); 0: "
                  "reading takes no time.");
        v.acts_if(kRegisterBanks)
            .integer("reads_per_bank_cycle", register_file.reads_per_bank_cycle, 1, 8,
                     "Warp registers of 128 bytes that a bank reads in a cycle (Volta: 1).");
        v.acts_if(kRegisterBanks)
            .integer("collectors", register_file.collectors, 1, 64,
                     "Instructions of a sub-core whose operands may be under way at once; the next "
                     "one issues when one of them has its own (GPGPU-Sim: 8 an SM).");
        v.acts_if(kRegisterBanks)
            .boolean("reuse_cache", register_file.reuse_cache,
                     "Whether an operand that the warp's last instruction had in the same place is "
                     "not read again (Volta).");
        v.acts_if(kRegisterBanks)
            .choice(
                "renamed_rows", register_file.renamed_rows,
                {{"by_warp", RegisterAddress::kWarp}, {"by_lane", RegisterAddress::kLane}},
                "How fragments are read whose rows a load filter has renamed: by_warp, one read "
                "for each warp register that holds some of them; by_lane, each lane reads a row "
                "of its own.");
    });
    v.integer("unified_l1_kib", unified_l1_kib, 1, 65536,
              "L1 cache and shared memory of an SM together (Duplo Table III: 128 KiB).");
    v.integer("shared_memory_kib", shared_memory_kib, 0, 65535,
              "Part of the unified L1 that is shared memory; the rest, 32 KiB in Duplo V-D, is the "
              "L1 cache.");
    v.boolean("adaptive_shared_memory", adaptive_shared_memory,
              "Whether a kernel that needs less than shared_memory_kib leaves the rest to the L1 "
              "cache, in steps of 0, 8, 16, 32, 64 and 96 KiB, or above 96 of 0, 8, 16, 32, 64, "
              "100, 132, 164 and 196 KiB.");
    v.acts_if(kWritingAlu)
        .integer(
            "alu_latency_cycles", alu_latency_cycles, 1, 1000,
            "Issue of an ALU instruction to issue of one that depends on it (4.1 measured on a "
            "Titan V).");
    v.acts_if(kIssued).integer(
        "alu_initiation_cycles", alu_initiation_cycles, 1, 1000,
        "Distance of two ALU instructions of a sub-core (16 lanes serve a warp in 2).");
    v.integer("shared_memory_latency_cycles", shared_memory_latency_cycles, 1, 10000,
              "Shared memory access to data in the registers, without bank conflicts (27 measured "
              "on a Titan V).");
    v.integer("shared_memory_banks", shared_memory_banks, 1, 256,
              "Four-byte banks of shared memory (Volta: 32).");
    v.integer("barrier_latency_cycles", barrier_latency_cycles, 0, 10000,
              "Arrival of the last warp at a CTA barrier to the release of all.");
    v.integer("bulk_copy_latency_cycles", bulk_copy_latency_cycles, 0, 10000,
              "Issue of a bulk copy (TMA) to its first request; 0: the machine has none.");
    v.acts_if(kIssued).section(
        "operations",
        "What single SASS instructions take, by kind; kernels, traces and microbenchmarks "
        "use them.",
        [&] {
            for (std::size_t i = 0; i < kOperations; ++i) {
                const auto& [key, help] = kOperationText[i];
                v.section(key, help, [&] {
                    v.integer("latency_cycles", operations[i].latency_cycles, 1, 1000,
                              "Issue of one to issue of an instruction that depends on it.");
                    v.integer("initiation_cycles", operations[i].initiation_cycles, 1, 1000,
                              "Issue of one to issue of the next of a sub-core on the same "
                              "lanes.");
                });
            }
        });
    v.acts_if(kIssued).section("tensor_rates",
                               "Rates of tensor-core instructions by shape and type.",
                               [&] { tensor_rates.bind(v); });
}

}  // namespace tessera
