#include "sc_models/workload/microbenchmarks/microbenchmarks.h"

#include "sc_models/workload/microbenchmarks/microbenchmark_bodies.h"

namespace tessera {

namespace {

using namespace microbenchmark;

constexpr std::uint32_t kHmmasOfProduct = 16;    ///< 16x16x16 with FP32 accumulators
constexpr std::uint32_t kF16HmmasOfProduct = 8;  ///< with FP16 accumulators, two steps of each four
constexpr double kFmasOfProduct = 16 * 16 * 16;
enum RunLength : std::uint32_t { kShort, kLong, kWarmUp };
constexpr Address kFarData = 0x100000000;

using Body = MicrobenchmarkWorkload::Body;
using Position = MicrobenchmarkWorkload::Position;

/// A kernel whose warps execute `length` instructions of a body.
class BodyKernel : public Kernel {
public:
    BodyKernel(KernelInfo info, std::uint32_t length, std::uint32_t run, Body body)
        : info_(std::move(info)), length_(length), run_(run), body_(std::move(body)) {}

    [[nodiscard]] const KernelInfo& info() const override { return info_; }
    [[nodiscard]] std::unique_ptr<WarpProgram> program(CtaId cta,
                                                       std::uint32_t warp) const override {
        return std::make_unique<Program>(*this, cta.value() * info_.warps_per_cta + warp);
    }

private:
    class Program : public WarpProgram {
    public:
        Program(const BodyKernel& kernel, std::uint32_t warp) : kernel_(kernel), warp_(warp) {}
        std::size_t fill(WarpInstruction* out, std::size_t capacity) override {
            std::size_t made = 0;
            for (; made < capacity && next_ < kernel_.length_; ++made) {
                out[made] = kernel_.body_({warp_, next_++, kernel_.run_});
            }
            if (made < capacity && !ended_) {
                ended_ = true;
                out[made] = WarpInstruction{};
                out[made++].opcode = Opcode::kExit;
            }
            return made;
        }

    private:
        const BodyKernel& kernel_;
        std::uint32_t warp_;
        std::uint32_t next_ = 0;
        bool ended_ = false;
    };

    KernelInfo info_;
    std::uint32_t length_;
    std::uint32_t run_;
    Body body_;
};

/// Returns an HMMA of a chain of products: the steps of a set write different accumulators, the
/// next set adds to them.
WarpInstruction hmma(Operation kind, std::uint32_t i) {
    const std::uint32_t steps = kind == Operation::kHmmaF32 ? 4 : 2;
    return operation(kind, static_cast<std::uint8_t>(48 + 2 * (i % steps)));
}

}  // namespace

double Microbenchmark::value(Cycle short_cycles, Cycle long_cycles) const {
    const auto cycles = static_cast<double>(long_cycles) - static_cast<double>(short_cycles);
    return is_throughput ? work / cycles : cycles / work;
}

MicrobenchmarkWorkload::MicrobenchmarkWorkload(const WorkloadConfig& config, std::uint64_t seed,
                                               const TargetMachine& machine)
    : Workload("microbenchmarks", config, seed, false), granularity_(machine.granularity) {
    add_latencies();
    add_tensor_cores(machine);
    add_bandwidths(machine.sms);
    add_launch();
    add_arithmetic();
    add_memory_instructions(machine.sms);
    add_synchronisation();
    if (machine.sparse_tensor_cores) add_sparse_products();
    const auto has = [&](MmaShape shape) {
        return machine.mma_shapes[static_cast<std::size_t>(shape)];
    };
    if (machine.sparse_tensor_cores || has(MmaShape::kHmma884)) return;
    add_shapes(machine.mma_shapes);
    if (has(MmaShape::kHmma16816)) add_asynchronous_copies();
    if (has(MmaShape::kHgmma16)) {
        for (const std::uint32_t columns : {64U, 128U, 256U}) {
            add_warpgroup_products(MmaShape::kHgmma16, columns);
        }
    }
    for (const MmaShape shape : {MmaShape::kHgmma16Bf16, MmaShape::kQgmma32}) {
        if (has(shape)) add_warpgroup_products(shape, 256);
    }
    if (machine.bulk_copies) add_bulk_copies();
}

const LaneAccess* MicrobenchmarkWorkload::keep(LaneAccess access) {
    accesses_.push_back(std::make_unique<const LaneAccess>(std::move(access)));
    return accesses_.back().get();
}

void MicrobenchmarkWorkload::measure(const Microbenchmark& benchmark, const Shape& shape,
                                     std::uint32_t short_length, std::uint32_t long_length,
                                     const Body& body) {
    KernelInfo info;
    info.ctas = shape.ctas;
    info.warps_per_cta = shape.warps_per_cta;
    info.shared_memory_bytes = shape.shared_memory_bytes;
    info.arrivals = shape.arrivals;
    info.registers_per_thread = shape.registers;
    info.copies_in_flight = kCopiesInFlight;
    for (std::uint32_t warp = 0; warp < shape.warps_per_cta; ++warp) {
        info.sub_core_of_warp.push_back(warp);
    }
    info.name = benchmark.name + ".warm_up";
    add(std::make_unique<BodyKernel>(info, short_length, kWarmUp, body));
    Microbenchmark measured = benchmark;
    measured.short_kernel = kernels().size();
    info.name = benchmark.name + ".short";
    add(std::make_unique<BodyKernel>(info, short_length, kShort, body));
    measured.long_kernel = kernels().size();
    info.name = benchmark.name + ".long";
    add(std::make_unique<BodyKernel>(info, long_length, kLong, body));
    measured.work *= long_length - short_length;
    benchmarks_.push_back(std::move(measured));
}

void MicrobenchmarkWorkload::chain(const char* name, const char* method, const char* parameter,
                                   const Body& body, std::uint32_t shared_bytes) {
    measure({name, "cycles", method, parameter, {}, 0, 1.0, false}, {1, 1, shared_bytes}, kFew,
            kMany, body);
}

void MicrobenchmarkWorkload::add_latencies() {
    const LaneAccess* const word = keep(coalesce_global(one_lane(), kData, granularity_));
    const LaneAccess* const shared_word = keep(coalesce_shared(one_lane(), 0, granularity_));
    chain("l1_hit_latency", "chain of loads of one word", "l1.hit_latency_cycles",
          [word](const Position&) { return chased(Opcode::kLoadGlobal, word, kData); });
    chain("l2_hit_latency", "the same, past L1 (.STRONG.GPU)", "l2.hit_latency_cycles",
          [word](const Position&) {
              WarpInstruction w = chased(Opcode::kLoadGlobal, word, kData);
              w.bypass_l1 = true;
              return w;
          });
    constexpr Address kStride = (Address{1} << 18U) + 8448;  // another row, bank and channel
    chain("dram_latency", "chain of loads of words never loaded before",
          "dram.controller_latency_cycles", [word](const Position& at) {
              return chased(Opcode::kLoadGlobal, word, (at.run + 1) * kFarData + at.i * kStride);
          });
    chain(
        "shared_memory_latency", "chain of loads of one word", "sm.shared_memory_latency_cycles",
        [shared_word](const Position&) { return chased(Opcode::kLoadShared, shared_word, 0); },
        kSharedBytes);
}

void MicrobenchmarkWorkload::add_tensor_cores(const TargetMachine& machine) {
    const bool outer_product = machine.sparse_tensor_cores;
    constexpr std::uint32_t kFewProducts = 8, kManyProducts = 40;
    const auto products = [this](const char* name, const char* method, const char* parameter,
                                 std::uint32_t steps, std::uint32_t warps, const Body& body) {
        const bool throughput = warps > 1;
        const double work = (throughput ? warps * kFmasOfProduct : 1.0) / steps;
        measure({name,
                 throughput ? "FMA_per_cycle_per_SM" : "cycles",
                 method,
                 parameter,
                 {},
                 0,
                 work,
                 throughput},
                {1, warps}, kFewProducts * steps, kManyProducts * steps, body);
    };
    const Body mma = [](const Position&) {
        WarpInstruction w;
        w.opcode = Opcode::kMma;
        w.dst = 16;
        w.src_a = 0;
        w.src_b = 8;
        return w;
    };
    const auto hmmas = [](Operation kind) -> Body {
        return [kind](const Position& at) { return hmma(kind, at.i); };
    };
    const Body f32 = hmmas(Operation::kHmmaF32), f16 = hmmas(Operation::kHmmaF16);
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

void MicrobenchmarkWorkload::bandwidth(const char* name, const char* method, const char* parameter,
                                       double bytes, const Body& body, std::uint32_t shared_bytes) {
    measure({name, "bytes_per_cycle_per_SM", method, parameter, {}, 0, kFullWarps * bytes, true},
            {1, kFullWarps, shared_bytes}, 128, 640, body);
}

void MicrobenchmarkWorkload::add_bandwidths(std::uint32_t sms) {
    const auto l1 = [&](const char* name, const char* method, std::uint32_t bytes) {
        const LaneAccess* const lanes =
            keep(coalesce_global(full_warp(bytes), kData, granularity_));
        bandwidth(name, method, "ldst.sectors_per_cycle", kWarpThreads * bytes,
                  [=](const Position& at) {
                      return access(Opcode::kLoadGlobal, lanes, kData, rotating(at.i), 2);
                  });
    };
    l1("l1_bandwidth_128b", "16 warps load the same bytes, 16 a thread", 16);
    l1("l1_bandwidth_64b", "the same, 8 bytes a thread", 8);
    l1("l1_bandwidth_32b", "the same, 4 bytes a thread", 4);

    const LaneAccess* const shared = keep(coalesce_shared(full_warp(4), 0, granularity_));
    bandwidth(
        "shared_memory_bandwidth", "16 warps load, 4 bytes a thread", "sm.shared_memory_banks",
        kWarpThreads * 4,
        [=](const Position& at) {
            return access(Opcode::kLoadShared, shared, 0, rotating(at.i), 2);
        },
        kSharedBytes);

    // All warps of the GPU stream through adjacent memory.
    constexpr std::uint32_t kBytes = 16 * kWarpThreads;
    const std::uint32_t all_warps = sms * 2 * kFullWarps;
    const LaneAccess* const wide = keep(coalesce_global(full_warp(16), kData, granularity_));
    // Cycles through `wraps` bytes; the long kernel starts `apart` bytes further on.
    const auto stream = [&](const char* name, const char* method, const char* parameter,
                            Address base, Address wraps, Address apart) {
        measure({name,
                 "bytes_per_cycle",
                 method,
                 parameter,
                 {},
                 0,
                 static_cast<double>(all_warps) * kBytes,
                 true},
                {2 * sms, kFullWarps, 0}, 16, 48, [=](const Position& at) {
                    const Address place = (Address{at.i} * all_warps + at.warp) * kBytes;
                    WarpInstruction w =
                        access(Opcode::kLoadGlobal, wide, base + at.run * apart + place % wraps,
                               rotating(at.i), 2);
                    w.bypass_l1 = true;
                    return w;
                });
    };
    constexpr Address kFitsL2 = Address{2} << 20U;
    stream("l2_read_bandwidth", "all SMs read 2 MiB over and over, past L1",
           "noc.slice_bytes_per_cycle", kData, kFitsL2, 0);
    stream("dram_read_bandwidth", "all SMs read memory once, past L1", "dram.efficiency_percent",
           4 * kFarData, Address{1} << 36U, Address{1} << 36U);
}

void MicrobenchmarkWorkload::add_launch() {
    const auto nothing = [](const Position&) { return WarpInstruction{}; };
    KernelInfo info;
    info.name = "kernel_launch_latency";
    info.ctas = info.warps_per_cta = 1;
    info.registers_per_thread = 16;
    info.sub_core_of_warp = {0};
    benchmarks_.push_back({info.name,
                           "cycles",
                           "an empty kernel of one warp",
                           "gpu.kernel_launch_cycles",
                           {},
                           kernels().size(),
                           1.0,
                           false});
    add(std::make_unique<BodyKernel>(info, 0, kLong, nothing));
}

}  // namespace tessera
