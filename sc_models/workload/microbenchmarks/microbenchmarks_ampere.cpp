#include <string>

#include "sc_models/workload/microbenchmarks/microbenchmark_bodies.h"
#include "sc_models/workload/microbenchmarks/microbenchmark_families.h"

// Microbenchmarks of tensor-core shapes, LDSM and asynchronous copies.

namespace tessera {

using namespace microbenchmark;

namespace {

WarpInstruction shaped_product(MmaShape shape, std::uint8_t sums) {
    const bool f16 = shape == MmaShape::kHmma884F16 || shape == MmaShape::kHmma1688F16 ||
                     shape == MmaShape::kHmma16816F16;
    WarpInstruction w = operation(f16 ? Operation::kHmmaF16 : Operation::kHmmaF32, sums);
    w.set_mma_shape(shape);
    return w;
}

WarpInstruction load_matrix(std::uint8_t dst, std::uint8_t source) {
    WarpInstruction w(Opcode::kLoadMatrix);
    w.dst = dst;
    w.src_a = source;
    w.memory().set_rows(0, kFragmentRows, kFragmentRowBytes, kFragmentRowBytes);
    w.registers().pitch_bytes = kFragmentRowBytes;
    return w;
}

WarpInstruction copy_async(Address from) {
    WarpInstruction w(Opcode::kCopyAsync);
    w.memory().set_rows(from, 1, kWarpThreads * kPieceBytes);
    w.shared().set_rows(0, kWarpThreads * kPieceBytes);
    w.shared().bypass_l1 = true;
    return w;
}

}  // namespace

void add_shapes(MicrobenchmarkBuilder& builder, const TargetMachine& machine) {
    for (std::size_t i = 0; i < kMmaShapes; ++i) {
        const auto shape = static_cast<MmaShape>(i);
        if (!machine.mma_shapes[i] || is_of_warpgroup(shape)) continue;
        const MmaShapeText& text = text_of(shape);
        const std::string name(text.key);
        const std::string instruction(text.mnemonic);
        const std::string keys = "sm.tensor_rates." + name + ".";
        const std::string chain_method = "chain of " + instruction;
        const std::string latency_key = keys + "latency_cycles";
        builder.chain((name + "_latency").c_str(), chain_method.c_str(), latency_key.c_str(),
                      [shape](const MicrobenchmarkPosition&) { return shaped_product(shape, 16); });
        builder.measure({name + "_throughput",
                         "FMA_per_cycle_per_SM",
                         "16 warps of " + instruction + ", eight results in flight",
                         keys + "products_per_cycle",
                         {},
                         0,
                         static_cast<double>(kFullWarps) * text.products,
                         true},
                        {1, kFullWarps}, kFew, kMany, [shape](const MicrobenchmarkPosition& at) {
                            return shaped_product(shape, rotating(at.i));
                        });
    }
}

void add_asynchronous_copies(MicrobenchmarkBuilder& builder, const TargetMachine& /*machine*/) {
    constexpr std::uint32_t kBytes = kFragmentRows * kFragmentRowBytes;
    builder.chain(
        "ldsm_latency", "chain of LDSM.x4", "sm.shared_memory_latency_cycles",
        [](const MicrobenchmarkPosition&) { return load_matrix(8, 8); }, kSharedBytes);
    builder.bandwidth(
        "ldsm_bandwidth", "16 warps of LDSM.x4", "sm.shared_memory_banks", kBytes,
        [](const MicrobenchmarkPosition& at) { return load_matrix(rotating(at.i), 2); },
        kSharedBytes);
    // A copy, its commit and the wait for it.
    constexpr std::uint32_t kPeriod = 3;
    builder.measure({"ldgsts_latency",
                     "cycles",
                     "LDGSTS of 16 bytes a thread that hits L2, each waited for",
                     "l2.hit_latency_cycles",
                     {},
                     0,
                     1.0 / kPeriod,
                     false},
                    {1, 1, kSharedBytes}, kFew * kPeriod, kMany * kPeriod,
                    [](const MicrobenchmarkPosition& at) {
                        if (at.i % kPeriod == 0) return copy_async(kData);
                        return WarpInstruction(at.i % kPeriod == 1 ? Opcode::kCommitCopies
                                                                   : Opcode::kWaitCopies);
                    });
    builder.bandwidth(
        "ldgsts_bandwidth", "16 warps of LDGSTS that hit L2, 16 bytes a thread",
        "noc.response_bytes_per_cycle", kWarpThreads * kPieceBytes,
        [](const MicrobenchmarkPosition& at) {
            return copy_async(kData + Address{at.warp} * kWarpThreads * kPieceBytes);
        },
        kSharedBytes);
    builder.chain(
        "commit_issue", "LDGDEPBARs: the scheduler alone", "sm.issue_cycles",
        [](const MicrobenchmarkPosition&) { return WarpInstruction(Opcode::kCommitCopies); });
    builder.chain(
        "wait_issue", "DEPBARs with nothing under way: the scheduler alone", "sm.issue_cycles",
        [](const MicrobenchmarkPosition&) { return WarpInstruction(Opcode::kWaitCopies); });
}

}  // namespace tessera
