// Do warps of a staged product get the same instructions however they ask, and whoever asked
// before?
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sc_models/isa/disassembly.h"
#include "sc_models/workload/library/dense_kernels.h"
#include "sc_models/workload/staged/staged_product_kernel.h"

namespace tessera {
namespace {

/// A product of `k`, whose operands begin at `base`, by the smallest of the libraries' kernels.
std::unique_ptr<StagedProductKernel> make_kernel(std::uint64_t k, Address base) {
    StagedProduct product;
    product.m = 64;
    product.n = 128;
    product.k = k;
    product.d = base + 0x100000;
    product.tiling = dense_tiling(dense_kernels().back());
    const auto k_tiles = static_cast<std::uint32_t>(k / kDepthTile);
    return std::make_unique<StagedProductKernel>(
        "product", product, std::make_unique<DenseLines>(base, k_tiles),
        std::make_unique<DenseLines>(base + 0x80000, k_tiles));
}

using Lines = std::vector<std::string>;

void append(const WarpInstruction* begin, std::size_t count, Lines& lines) {
    for (std::size_t i = 0; i < count; ++i) lines.push_back(disassemble(begin[i]));
}

/// The rest of a program, batch by batch.
void rest_of(WarpProgram& program, Lines& lines) {
    std::vector<WarpInstruction> room(kFillCapacity);
    for (InstructionBatch batch = program.next(room.data()); batch.count != 0;
         batch = program.next(room.data())) {
        append(batch.begin, batch.count, lines);
    }
}

Lines program_of(const StagedProductKernel& kernel, std::uint32_t cta, std::uint32_t warp) {
    Lines lines;
    rest_of(*kernel.program(CtaId(cta), warp), lines);
    return lines;
}

TEST(StagedProgram, IsTheSameHoweverItIsAsked) {
    const auto kernel = make_kernel(80, 0x10000);  // the last step is half a step
    for (std::uint32_t warp = 0; warp < kernel->info().warps_per_cta; ++warp) {
        const Lines whole = program_of(*kernel, 1, warp);
        ASSERT_GT(whole.size(), 20U);
        EXPECT_EQ(whole.back(), "exit");
        std::mt19937_64 random(warp + 1);
        for (int i = 0; i < 20; ++i) {
            const auto program = kernel->program(CtaId(1), warp);
            std::array<WarpInstruction, 7> some;
            Lines lines;
            const std::size_t fills = random() % whole.size();
            for (std::size_t f = 0; f < fills; ++f) {
                append(some.data(), program->fill(some.data(), 1 + random() % some.size()), lines);
            }
            rest_of(*program, lines);
            EXPECT_EQ(lines, whole) << fills;
        }
    }
}

TEST(StagedProgram, IsNotShared) {
    // Programs that a thread runs share what they are made with. They take turns here, CTAs and
    // warps of two kernels, which have equal CTAs and steps.
    const std::array kernels = {make_kernel(64, 0x10000), make_kernel(96, 0x900000)};
    struct Running {
        std::unique_ptr<WarpProgram> program;
        Lines alone, lines;
        bool ended = false;
    };
    std::vector<Running> programs;
    for (std::uint32_t cta = 0; cta < kernels[0]->info().ctas; ++cta) {
        for (std::uint32_t warp = 0; warp < kernels[0]->info().warps_per_cta; ++warp) {
            for (const auto& kernel : kernels) {
                programs.push_back(
                    {kernel->program(CtaId(cta), warp), program_of(*kernel, cta, warp), {}, false});
            }
        }
    }
    std::vector<WarpInstruction> room(kFillCapacity);
    for (bool any = true; any;) {
        any = false;
        for (Running& running : programs) {
            if (running.ended) continue;
            const InstructionBatch batch = running.program->next(room.data());
            append(batch.begin, batch.count, running.lines);
            running.ended = batch.count == 0;
            any = true;
        }
    }
    for (const Running& running : programs) EXPECT_EQ(running.lines, running.alone);
    EXPECT_NE(programs[0].lines, programs[1].lines);
}

TEST(StagedProgram, IsOfTheKernelThatIsThere) {
    // A kernel may take the place in memory of one that is gone.
    Lines first;
    for (const std::uint64_t base : {0x10000, 0x900000}) {
        const auto kernel = make_kernel(32, base);
        const Lines lines = program_of(*kernel, 0, 0);
        EXPECT_NE(lines, first);
        first = lines;
    }
}

}  // namespace
}  // namespace tessera
