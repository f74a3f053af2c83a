// Microbenchmarks that tables of real cards cover: latencies, bandwidths and products.
#include "sc_models/workload/microbenchmarks/microbenchmark_bodies.h"
#include "sc_models/workload/microbenchmarks/microbenchmark_families.h"

namespace tessera {

using namespace microbenchmark;

namespace {

constexpr std::uint32_t kHmmasOfProduct = 16;    ///< 16x16x16 with FP32 accumulators
constexpr std::uint32_t kF16HmmasOfProduct = 8;  ///< with FP16 accumulators, two steps of each four
constexpr double kFmasOfProduct = 16 * 16 * 16;
constexpr Address kFarData = 0x100000000;

/// Returns an HMMA of a chain of products: the steps of a set write different accumulators, the
/// next set adds to them.
WarpInstruction hmma(Operation kind, std::uint32_t i) {
    const std::uint32_t steps = kind == Operation::kHmmaF32 ? 4 : 2;
    return operation(kind, static_cast<std::uint8_t>(48 + 2 * (i % steps)));
}

}  // namespace

void add_latencies(MicrobenchmarkBuilder& builder, const TargetMachine& machine) {
    const Lanes word = lanes_of(coalesce_global(one_lane(), kData, machine.granularity));
    const Lanes shared_word = lanes_of(coalesce_shared(one_lane(), 0, machine.granularity));
    builder.chain(
        "l1_hit_latency", "chain of loads of one word", "l1.hit_latency_cycles",
        [word](const MicrobenchmarkPosition&) { return chased(Opcode::kLoadGlobal, word, kData); });
    builder.chain("l2_hit_latency", "the same, past L1 (.STRONG.GPU)", "l2.hit_latency_cycles",
                  [word](const MicrobenchmarkPosition&) {
                      WarpInstruction w = chased(Opcode::kLoadGlobal, word, kData);
                      w.registers().bypass_l1 = true;
                      return w;
                  });
    constexpr Address kStride = (Address{1} << 18U) + 8448;  // another row, bank and channel
    builder.chain("dram_latency", "chain of loads of words never loaded before",
                  "dram.controller_latency_cycles", [word](const MicrobenchmarkPosition& at) {
                      return chased(Opcode::kLoadGlobal, word,
                                    (at.run + 1) * kFarData + at.i * kStride);
                  });
    builder.chain(
        "shared_memory_latency", "chain of loads of one word", "sm.shared_memory_latency_cycles",
        [shared_word](const MicrobenchmarkPosition&) {
            return chased(Opcode::kLoadShared, shared_word, 0);
        },
        kSharedBytes);
}

void add_tensor_cores(MicrobenchmarkBuilder& builder, const TargetMachine& machine) {
    const bool outer_product = machine.sparse_tensor_cores;
    constexpr std::uint32_t kFewProducts = 8, kManyProducts = 40;
    const auto products = [&builder](const char* name, const char* method, const char* parameter,
                                     std::uint32_t steps, std::uint32_t warps,
                                     const MicrobenchmarkBody& body) {
        const bool throughput = warps > 1;
        const double work = (throughput ? warps * kFmasOfProduct : 1.0) / steps;
        builder.measure({name,
                         throughput ? "FMA_per_cycle_per_SM" : "cycles",
                         method,
                         parameter,
                         {},
                         0,
                         work,
                         throughput},
                        {1, warps}, kFewProducts * steps, kManyProducts * steps, body);
    };
    const MicrobenchmarkBody mma = [](const MicrobenchmarkPosition&) {
        WarpInstruction w(Opcode::kMma);
        w.dst = 16;
        w.src_a = 0;
        w.src_b = 8;
        return w;
    };
    const auto hmmas = [](Operation kind) -> MicrobenchmarkBody {
        return [kind](const MicrobenchmarkPosition& at) { return hmma(kind, at.i); };
    };
    const MicrobenchmarkBody f32 = hmmas(Operation::kHmmaF32), f16 = hmmas(Operation::kHmmaF16);
    constexpr const char* kF32 = "sm.operations.hmma_f32";
    constexpr const char* kF16 = "sm.operations.hmma_f16";
    const bool volta = machine.mma_shapes[static_cast<std::size_t>(MmaShape::kHmma884)];
    const bool ampere = machine.mma_shapes[static_cast<std::size_t>(MmaShape::kHmma16816)];
    const char* const product = outer_product ? "tensor_core.kind"
                                : volta       ? kF32
                                : ampere      ? "sm.tensor_rates.hmma_16816.products_per_cycle"
                                              : "sm.tensor_rates.hmma_1688.products_per_cycle";
    products("wmma_16x16x16_f32_acc", "chain of wmma.mma in one warp", product, 1, 1, mma);
    products("tensor_throughput_f32_acc", "16 warps of chains of wmma.mma", product, 1, kFullWarps,
             mma);
    // Traces hold HMMAs, which outer-product tensor cores do not have.
    if (outer_product || !volta) return;
    products("wmma_16x16x16_f16_acc", "chain of products in one warp, 8 HMMA.884 each", kF16,
             kF16HmmasOfProduct, 1, f16);
    products("tensor_throughput_f16_acc", "16 warps of such chains of HMMA.884", kF16,
             kF16HmmasOfProduct, kFullWarps, f16);
    products("hmma_16x16x16_f32_acc", "a wmma.mma as traces have it, 16 HMMA.884", kF32,
             kHmmasOfProduct, 1, f32);
    products("hmma_throughput_f32_acc", "16 warps of such chains", kF32, kHmmasOfProduct,
             kFullWarps, f32);
}

void add_bandwidths(MicrobenchmarkBuilder& builder, const TargetMachine& machine) {
    const auto l1 = [&](const char* name, const char* method, std::uint32_t bytes) {
        const Lanes lanes = lanes_of(coalesce_global(full_warp(bytes), kData, machine.granularity));
        builder.bandwidth(name, method, "ldst.sectors_per_cycle", kWarpThreads * bytes,
                          [=](const MicrobenchmarkPosition& at) {
                              return access(Opcode::kLoadGlobal, lanes, kData, rotating(at.i), 2);
                          });
    };
    l1("l1_bandwidth_128b", "16 warps load the same bytes, 16 a thread", 16);
    l1("l1_bandwidth_64b", "the same, 8 bytes a thread", 8);
    l1("l1_bandwidth_32b", "the same, 4 bytes a thread", 4);

    const Lanes shared = lanes_of(coalesce_shared(full_warp(4), 0, machine.granularity));
    builder.bandwidth(
        "shared_memory_bandwidth", "16 warps load, 4 bytes a thread", "sm.shared_memory_banks",
        kWarpThreads * 4,
        [=](const MicrobenchmarkPosition& at) {
            return access(Opcode::kLoadShared, shared, 0, rotating(at.i), 2);
        },
        kSharedBytes);

    // All warps of the GPU stream through adjacent memory.
    constexpr std::uint32_t kBytes = 16 * kWarpThreads;
    const std::uint32_t all_warps = machine.sms * 2 * kFullWarps;
    const Lanes wide = lanes_of(coalesce_global(full_warp(16), kData, machine.granularity));
    // Cycles through `wraps` bytes; the long kernel starts `apart` bytes further on.
    const auto stream = [&](const char* name, const char* method, const char* parameter,
                            Address base, Address wraps, Address apart) {
        builder.measure({name,
                         "bytes_per_cycle",
                         method,
                         parameter,
                         {},
                         0,
                         static_cast<double>(all_warps) * kBytes,
                         true},
                        {2 * machine.sms, kFullWarps, 0}, 16, 48,
                        [=](const MicrobenchmarkPosition& at) {
                            const Address place = (Address{at.i} * all_warps + at.warp) * kBytes;
                            WarpInstruction w =
                                access(Opcode::kLoadGlobal, wide,
                                       base + at.run * apart + place % wraps, rotating(at.i), 2);
                            w.registers().bypass_l1 = true;
                            return w;
                        });
    };
    constexpr Address kFitsL2 = Address{2} << 20U;
    stream("l2_read_bandwidth", "all SMs read 2 MiB over and over, past L1",
           "noc.slice_bytes_per_cycle", kData, kFitsL2, 0);
    stream("dram_read_bandwidth", "all SMs read memory once, past L1", "dram.efficiency_percent",
           4 * kFarData, Address{1} << 36U, Address{1} << 36U);
}

}  // namespace tessera
