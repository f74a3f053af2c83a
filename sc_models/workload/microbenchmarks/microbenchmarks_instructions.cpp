#include <memory>
#include <string>
#include <utility>

#include "sc_models/sparse/bitmap_matrix.h"
#include "sc_models/workload/microbenchmarks/microbenchmark_bodies.h"
#include "sc_models/workload/microbenchmarks/microbenchmark_families.h"

// Microbenchmarks of the other instructions that kernels and traces issue, which no table of a real
// card covers.

namespace tessera {

using namespace microbenchmark;

namespace {

/// Returns CUDA-core instructions that depend on each other if they use the same register.
WarpInstruction alu(std::uint8_t reg) {
    WarpInstruction w(Opcode::kAlu);
    w.dst = w.src_a = reg;
    return w;
}

/// Returns a wmma.load of B from global memory.
WarpInstruction fragment_load(std::uint8_t dst, std::uint8_t source) {
    WarpInstruction w(Opcode::kLoadFragment);
    w.dst = dst;
    w.src_a = source;
    w.memory().set_rows(kData, kFragmentRows, kFragmentRowBytes, kFragmentRowBytes);
    w.registers().pitch_bytes = kFragmentRowBytes;
    w.registers().role = FragmentRole::kB;
    return w;
}

/// Loads the first half of the 16-byte pieces of a row of 512 bytes of shared memory.
WarpInstruction pieces(Opcode opcode, std::uint8_t reg) {
    WarpInstruction w(opcode);
    w.dst = w.src_a = reg;
    w.pieces().mask = 0x0000ffff;
    w.pieces().row_bytes = kFragmentRows * kFragmentRowBytes;
    return w;
}

/// Operands of SpWMMAs, both the same.
struct SpwmmaTiles {
    explicit SpwmmaTiles(BitmapMatrix of) : tiles(std::move(of)) {}
    SpwmmaTiles(const SpwmmaTiles&) = delete;
    SpwmmaTiles& operator=(const SpwmmaTiles&) = delete;

    const BitmapMatrix tiles;
    const SpwmmaMatrices matrices{&tiles, &tiles};
};

}  // namespace

void add_arithmetic(MicrobenchmarkBuilder& builder, const TargetMachine& /*machine*/) {
    struct Kind {
        Operation operation;
        const char *name, *instruction, *latency, *initiation;
        const char* chain;  ///< the row's name in the reference, if listed there
    };
    constexpr Kind kKinds[] = {
        {Operation::kFp32, "fp32", "FFMA", "sm.operations.fp32.latency_cycles",
         "sm.operations.fp32.initiation_cycles", "fp32_dependent_issue"},
        {Operation::kInteger, "int32", "IADD3", "sm.operations.integer.latency_cycles",
         "sm.operations.integer.initiation_cycles", "int32_dependent_issue"},
        {Operation::kSpecialFunction, "sfu", "MUFU.SQRT",
         "sm.operations.special_function.latency_cycles",
         "sm.operations.special_function.initiation_cycles", "sfu_sqrt_latency"},
        {Operation::kHalf, "half", "HFMA2", "sm.operations.half.latency_cycles",
         "sm.operations.half.initiation_cycles", "half_dependent_issue"},
        {Operation::kFp64, "fp64", "DFMA", "sm.operations.fp64.latency_cycles",
         "sm.operations.fp64.initiation_cycles", "fp64_dependent_issue"},
        {Operation::kBranch, "branch", "BRA", "sm.operations.branch.latency_cycles",
         "sm.operations.branch.initiation_cycles", "branch_dependent_issue"},
        {Operation::kMove, "move", "MOV", "sm.operations.move.latency_cycles",
         "sm.operations.move.initiation_cycles", "move_dependent_issue"},
    };
    const auto throughput = [&builder](const std::string& name, const std::string& method,
                                       const char* parameter, const MicrobenchmarkBody& body) {
        builder.measure({name,
                         "threads_per_cycle_per_SM",
                         method,
                         parameter,
                         {},
                         0,
                         static_cast<double>(kFullWarps) * kWarpThreads,
                         true},
                        {1, kFullWarps}, kFew, kMany, body);
    };
    for (const Kind& kind : kKinds) {
        const Operation op = kind.operation;
        const std::string instruction = kind.instruction;
        builder.chain(kind.chain, ("chain of " + instruction).c_str(), kind.latency,
                      [op](const MicrobenchmarkPosition&) { return operation(op, 2); });
        throughput(
            std::string(kind.name) + "_throughput", "16 warps of " + instruction, kind.initiation,
            [op](const MicrobenchmarkPosition& at) { return operation(op, rotating(at.i)); });
    }
    builder.chain("alu_dependent_issue", "chain of arithmetic of our kernels",
                  "sm.alu_latency_cycles", [](const MicrobenchmarkPosition&) { return alu(2); });
    throughput("alu_throughput", "16 warps of it", "sm.alu_initiation_cycles",
               [](const MicrobenchmarkPosition& at) { return alu(rotating(at.i)); });
    throughput("float_rows_throughput", "16 warps add a row of 16 floats",
               "sm.operations.fp32.initiation_cycles", [](const MicrobenchmarkPosition& at) {
                   WarpInstruction w(Opcode::kFloats);
                   w.floats().rows = 1;
                   w.dst = w.src_a = rotating(at.i);
                   return w;
               });
    builder.chain(
        "vector_op_issue",
        "vector operations that begin one after the other in a warp, one instruction each",
        "sm.alu_initiation_cycles",
        [](const MicrobenchmarkPosition&) { return WarpInstruction(Opcode::kVectorOp); });
}

void add_memory_instructions(MicrobenchmarkBuilder& builder, const TargetMachine& machine) {
    const Lanes wide = lanes_of(coalesce_global(full_warp(16), kData, machine.granularity));
    const Lanes words = lanes_of(coalesce_global(full_warp(4), kData, machine.granularity));
    const Lanes word = lanes_of(coalesce_global(one_lane(), kData, machine.granularity));
    const Lanes shared = lanes_of(coalesce_shared(full_warp(4), 0, machine.granularity));
    builder.chain("fragment_load_latency", "chain of wmma.load of a 16x16 fragment in L1",
                  "l1.hit_latency_cycles",
                  [](const MicrobenchmarkPosition&) { return fragment_load(8, 8); });
    builder.bandwidth("fragment_load_bandwidth", "16 warps load the same fragment",
                      "ldst.sectors_per_cycle", kFragmentRows * kFragmentRowBytes,
                      [](const MicrobenchmarkPosition& at) {
                          return fragment_load(static_cast<std::uint8_t>(8 + 8 * (at.i % 4)), 2);
                      });
    builder.bandwidth("global_store_bandwidth", "16 warps of an SM store, 16 bytes a thread",
                      "noc.request_bytes_per_cycle", kWarpThreads * 16,
                      [wide](const MicrobenchmarkPosition&) {
                          return access(Opcode::kStoreGlobal, wide, kData, kNoRegister, 2);
                      });
    builder.bandwidth(
        "shared_store_bandwidth", "16 warps store, 4 bytes a thread", "sm.shared_memory_banks",
        kWarpThreads * 4,
        [shared](const MicrobenchmarkPosition&) {
            return access(Opcode::kStoreShared, shared, 0, kNoRegister, 2);
        },
        kSharedBytes);
    builder.chain(
        "shared_pieces_latency", "chain of LDS of 16 pieces of 16 bytes",
        "sm.shared_memory_latency_cycles",
        [](const MicrobenchmarkPosition&) { return pieces(Opcode::kLoadPieces, 2); }, kSharedBytes);
    builder.chain(
        "shared_gathered_latency", "the same, of bits from places of their own",
        "sm.shared_memory_latency_cycles",
        [nothing = std::make_shared<const BitGather>()](const MicrobenchmarkPosition&) {
            WarpInstruction w = pieces(Opcode::kLoadGathered, 2);
            w.pieces().gather = nothing.get();
            return w;
        },
        kSharedBytes);
    builder.chain("atomic_latency", "chain of ATOM.ADD on one word", "l2.hit_latency_cycles",
                  [word](const MicrobenchmarkPosition&) {
                      return chased(Opcode::kAtomicGlobal, word, kData);
                  });
    builder.measure({"atomic_throughput",
                     "words_per_cycle",
                     "all SMs add to one line (RED.ADD)",
                     "l2.atomic_words_per_cycle",
                     {},
                     0,
                     static_cast<double>(machine.sms) * 4 * kWarpThreads,
                     true},
                    {machine.sms, 4}, 16, 48, [words](const MicrobenchmarkPosition&) {
                        return access(Opcode::kAtomicGlobal, words, kData, kNoRegister, 2);
                    });
}

void add_synchronisation(MicrobenchmarkBuilder& builder, const TargetMachine& /*machine*/) {
    builder.chain("barrier_latency", "chain of BAR.SYNC of a CTA of one warp",
                  "sm.barrier_latency_cycles",
                  [](const MicrobenchmarkPosition&) { return WarpInstruction(Opcode::kBarrier); });
    builder.chain("fence_issue", "MEMBARs with nothing under way: the scheduler alone",
                  "sm.issue_cycles",
                  [](const MicrobenchmarkPosition&) { return WarpInstruction(Opcode::kFence); });
}

void add_sparse_products(MicrobenchmarkBuilder& builder, const TargetMachine& /*machine*/) {
    // Tiles of 32 lines x 16 k: all elements, one in every k, one alone.
    enum Tile : std::uint32_t { kFull, kDiagonal, kSingle, kTiles };
    const auto operands = std::make_shared<const SpwmmaTiles>(BitmapMatrix::pattern(
        kTiles * kSparseTileLines, kSparseTileK,
        [](std::uint32_t tile, std::uint32_t /*k_tile*/, std::uint32_t* masks) {
            for (std::uint32_t k = 0; k < kSparseTileK; ++k) {
                const bool one = tile == kDiagonal || (tile == kSingle && k == 0);
                masks[k] = tile == kFull ? ~0U : (one ? 1U : 0U);
            }
        }));
    const auto spwmma = [operands](Tile tile, std::uint8_t sums) {
        WarpInstruction w(Opcode::kSparseMma);
        w.dst = sums;
        w.spwmma().matrices = &operands->matrices;
        w.spwmma().tile_a = w.spwmma().tile_b = tile;
        return w;
    };
    constexpr std::uint32_t kOhmmas = 8 * kSparseTileK;  // of two full tiles
    const auto products = [&builder](const char* name, const char* method, const char* parameter,
                                     double work, const MicrobenchmarkBody& body) {
        builder.measure({name, "cycles", method, parameter, {}, 0, work, false}, {1, 1}, 8, 40,
                        body);
    };
    products("ohmma", "SpWMMAs without zeros, 128 OHMMA.8161 each",
             "tensor_core.spwmma.ohmma_cycles", kOhmmas,
             [=](const MicrobenchmarkPosition&) { return spwmma(kFull, 0); });
    products("bohmma", "SpWMMAs of one OHMMA in every k", "tensor_core.spwmma.bohmma_cycles",
             kSparseTileK, [=](const MicrobenchmarkPosition&) { return spwmma(kDiagonal, 0); });
    products("spwmma_swap", "SpWMMAs of one OHMMA, on other sums than the one before",
             "tensor_core.spwmma.swap_cycles", 1, [=](const MicrobenchmarkPosition& at) {
                 return spwmma(kSingle, static_cast<std::uint8_t>(32 * (at.i % 2)));
             });
    products("spwmma_flush", "the same, whose sums go back to registers each time",
             "tensor_core.spwmma.latency_cycles", 0.5, [=](const MicrobenchmarkPosition& at) {
                 if (at.i % 2 == 0) return spwmma(kSingle, 0);
                 WarpInstruction flush(Opcode::kSparseFlush);
                 flush.dst = 0;
                 return flush;
             });
}

}  // namespace tessera
