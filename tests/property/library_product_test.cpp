// Do the kernels of BLAS libraries compute the product, whatever its shape, layout and kernel?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/gpu/occupancy.h"
#include "sc_models/workload/library/library_product.h"
#include "sc_models/workload/onednn_check.h"
#include "tests/support/library_products.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

/// 200 shapes: each kernel by itself and auto, k divided or not, all layouts and types, by columns
/// and by rows.
TEST(LibraryProduct, IsBitExact) {
    std::mt19937_64 random(19);
    for (std::uint32_t i = 0; i < 200; ++i) {
        const WorkloadConfig config = test::random_library_product(random, i);
        const std::uint64_t seed = random();
        const LibraryProduct product(config, seed, true, {});
        SCOPED_TRACE(product.kernels().front()->info().name);
        test::FlatMemory memory = test::make_memory(product);
        for (const auto& kernel : product.kernels()) test::interpret(*kernel, memory);
        const VerificationReport report = product.verify(memory.reader());
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, std::uint64_t{config.gemm.m} * config.gemm.n);
    }
}

/// 200 shapes on the kernels with asynchronous copies, whose data arrives when a wait needs it.
TEST(LibraryProduct, IsBitExactInStages) {
    std::mt19937_64 random(23);
    TargetMachine machine;
    machine.shared_memory_bytes = 164 * 1024;
    for (std::uint32_t i = 0; i < 200; ++i) {
        const WorkloadConfig config = test::random_multistage_product(random, i);
        const LibraryProduct product(config, random(), true, machine);
        SCOPED_TRACE(product.kernels().front()->info().name);
        test::FlatMemory memory = test::make_memory(product);
        test::InstructionCounts counts = test::interpret(*product.kernels().front(), memory);
        for (std::size_t k = 1; k < product.kernels().size(); ++k) {
            test::interpret(*product.kernels()[k], memory);
        }
        EXPECT_EQ(counts[Opcode::kLoadShared] +
                      counts[Opcode::kLoadGlobal] * (config.gemm.read_c ? 0 : 1),
                  0U);
        EXPECT_GT(counts[Opcode::kCopyAsync], 0U);
        const VerificationReport report = product.verify(memory.reader());
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, std::uint64_t{config.gemm.m} * config.gemm.n);
    }
}

/// 200 shapes of BF16 and TF32, k divided or not: D is the golden model's, and that of oneDNN on
/// the rounded operands but for the order of sums and for the rounding of D.
TEST(LibraryProduct, IsBitExactWithBf16AndTf32) {
    std::mt19937_64 random(37);
    TargetMachine machine;
    machine.sms = 80;  // more than there are tiles, so that k is divided
    machine.shared_memory_bytes = 164 * 1024;
    std::uint32_t divided = 0, narrow = 0, wide = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
        const WorkloadConfig config = test::random_float_product(random, i);
        const LibraryProduct product(config, random(), true, machine);
        SCOPED_TRACE(product.kernels().front()->info().name);
        divided += product.kernels().size() > 1 ? 1 : 0;
        narrow += config.gemm.output == OutputType::kBf16 ? 1 : 0;
        wide += config.gemm.operands == OperandType::kTf32 ? 1 : 0;
        test::FlatMemory memory = test::make_memory(product);
        for (const auto& kernel : product.kernels()) test::interpret(*kernel, memory);
        const VerificationReport report = product.verify(memory.reader());
        ASSERT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, std::uint64_t{config.gemm.m} * config.gemm.n);
        EXPECT_TRUE(compare_with_onednn(product, memory.reader()).passed());

        // The upper half of an element, which is larger and is no NaN then.
        const std::uint64_t bytes = config.gemm.output == OutputType::kBf16 ? 2 : 4;
        const std::uint64_t element = random() % report.outputs;
        const Address at = product.region("d").base + (element + 1) * bytes - 2;
        HalfBits upper = 0;
        memory.read(at, &upper, sizeof upper);
        upper = static_cast<HalfBits>(upper ^ 0x1000U);
        memory.write(at, &upper, sizeof upper);
        EXPECT_EQ(product.verify(memory.reader()).mismatches, 1U);
        EXPECT_FALSE(compare_with_onednn(product, memory.reader()).passed());
    }
    EXPECT_GT(divided, 10U);
    EXPECT_GT(narrow, 30U);
    EXPECT_GT(wide, 60U);
}

/// 160 shapes of integers, k divided or not: D is the product of integers, which is computed here
/// from its definition, or what a requantization makes of it.
TEST(LibraryProduct, IsExactWithIntegers) {
    std::mt19937_64 random(31);
    TargetMachine machine;
    machine.sms = 80;  // more than there are tiles, so that k is divided
    machine.shared_memory_bytes = 164 * 1024;
    std::uint32_t divided = 0, bytes = 0, bounded = 0;
    for (std::uint32_t i = 0; i < 160; ++i) {
        const WorkloadConfig config = test::random_integer_product(random, i);
        const LibraryProduct product(config, random(), true, machine);
        SCOPED_TRACE(product.kernels().front()->info().name);
        divided += product.kernels().size() > 1 ? 1 : 0;
        test::FlatMemory memory = test::make_memory(product);
        for (const auto& kernel : product.kernels()) test::interpret(*kernel, memory);
        const VerificationReport report = product.verify(memory.reader());
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, std::uint64_t{config.gemm.m} * config.gemm.n);

        // Column-major, as in BLAS; rows swap the operands.
        const bool columns = config.gemm.order == ResultOrder::kColumns;
        const std::uint32_t m = columns ? config.gemm.m : config.gemm.n;
        const std::uint64_t pairs = (config.gemm.k + 1) / 2;
        const std::uint64_t row = random() % m;
        const std::uint64_t column = random() % (columns ? config.gemm.n : config.gemm.m);
        std::int64_t sum = 0;
        for (std::uint64_t k = 0; k < pairs; ++k) {
            const HalfBits a = product.a()(row * pairs + k);
            const HalfBits b = product.b()(column * pairs + k);
            for (const unsigned shift : {0U, 8U}) {
                const int activation = config.gemm.operands == OperandType::kUint8
                                           ? static_cast<std::uint8_t>(b >> shift)
                                           : static_cast<std::int8_t>(b >> shift);
                sum += std::int64_t{static_cast<std::int8_t>(a >> shift)} * activation;
            }
        }
        const std::uint64_t element = column * m + row;
        const Address at = product.region("d").base;
        const Requantization* const rule = config.requantization.get();
        if (rule != nullptr) {
            ++bytes;
            const auto whole = static_cast<float>(sum + rule->bias[row]);
            const long expected = std::lrint(whole * rule->factors[row]) + rule->zero_point;
            const long most = rule->is_unsigned ? 255 : 127;
            bounded += expected > most || expected < most - 255 ? 1 : 0;
        }
        test::expect_sum_and_spoil(memory, at, element, sum, rule, row);
        EXPECT_EQ(product.verify(memory.reader()).mismatches, 1U);
    }
    EXPECT_GT(divided, 10U);
    EXPECT_GT(bytes, 50U);
    EXPECT_GT(bounded, 5U);
}

/// 210 shapes with a 2:4 operand: D is that of the pruned product, from kept halves and metadata.
TEST(LibraryProduct, IsBitExactWithAStructuredOperand) {
    std::mt19937_64 random(29);
    TargetMachine machine;
    machine.shared_memory_bytes = 164 * 1024;
    std::uint32_t broken_products = 0;
    for (std::uint32_t i = 0; i < 210; ++i) {
        const WorkloadConfig config = test::random_structured_product(random, i);
        const LibraryProduct product(config, random(), true, machine);
        SCOPED_TRACE(product.kernels().front()->info().name);
        test::FlatMemory memory = test::make_memory(product);
        const std::uint32_t lines =
            config.gemm.order == ResultOrder::kRows ? config.gemm.n : config.gemm.m;
        for (std::uint32_t block = 0; block < ceil_div(config.gemm.k, 32U); ++block) {
            for (std::uint32_t line = 0; line < lines; ++line) {
                std::uint32_t word = 0;
                const std::uint64_t index = std::uint64_t{block} * round_up(lines, 32U) + line;
                memory.read(product.region("metadata").base + index * sizeof word, &word,
                            sizeof word);
                for (std::uint32_t group = 0; group < 8; ++group, word >>= 4U) {
                    ASSERT_LT(word & 3U, word >> 2U & 3U) << "indices ascend";
                }
            }
        }
        for (const auto& kernel : product.kernels()) test::interpret(*kernel, memory);
        const VerificationReport report = product.verify(memory.reader());
        EXPECT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_EQ(report.outputs, std::uint64_t{config.gemm.m} * config.gemm.n);
        if (config.weights != ValuePattern::kUniform || config.gemm.output == OutputType::kFp16) {
            continue;
        }
        // Metadata that names another element is found; no element is zero.
        ++broken_products;
        test::FlatMemory broken = test::make_memory(product);
        const Address at = product.region("metadata").base;
        std::uint8_t byte = 0;
        broken.read(at, &byte, 1);
        byte = (byte & 0xf0U) | ((byte & 0xfU) == 0x4 ? 0xeU : 0x4U);
        broken.write(at, &byte, 1);
        for (const auto& kernel : product.kernels()) test::interpret(*kernel, broken);
        EXPECT_FALSE(product.verify(broken.reader()).passed());
    }
    EXPECT_GT(broken_products, 20U);
}

/// Half of the bytes of the pruned operand, and an eighth of that for its metadata, are copied.
TEST(LibraryProduct, CopiesHalfOfAStructuredOperand) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.kernel = ProductKernel::kMultistage;
    config.multistage = std::string("128x128_64x3");
    config.split_k = 1;
    config.gemm = {128, 128, 512};
    config.gemm.order = ResultOrder::kRows;
    config.structured_sparsity = StructuredSparsity::k2of4;
    TargetMachine machine;
    machine.shared_memory_bytes = 164 * 1024;
    const LibraryProduct product(config, 1, false, machine);
    const Kernel& kernel = *product.kernels().front();
    std::map<std::string, std::uint64_t> bytes;
    std::uint64_t products = 0;
    for (std::uint32_t warp = 0; warp < kernel.info().warps_per_cta; ++warp) {
        const auto program = kernel.program(CtaId(0), warp);
        std::vector<WarpInstruction> room(kFillCapacity);
        for (std::size_t count = program->fill(room.data(), room.size()); count > 0;
             count = program->fill(room.data(), room.size())) {
            for (std::size_t i = 0; i < count; ++i) {
                products += room[i].opcode() == Opcode::kMma && room[i].is_structured() ? 1 : 0;
                if (room[i].opcode() != Opcode::kCopyAsync) continue;
                for (const MemoryRegion& region : product.regions()) {
                    const Address offset = room[i].address() - region.base;
                    if (offset < region.bytes) bytes[region.name] += bytes_of(room[i]);
                }
            }
        }
    }
    EXPECT_EQ(bytes["a"], 128U * 512);        // the pruned operand: halves of half of k
    EXPECT_EQ(bytes["metadata"], 128U * 64);  // a word for 32 k
    EXPECT_EQ(bytes["b"], 2U * 128 * 512);
    EXPECT_EQ(products, 8U * 8 * 512 / 32);
}

TEST(LibraryProduct, ChoosesAmongStructuredKernels) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.kernel = ProductKernel::kMultistage;
    config.gemm = {2048, 256, 4096};
    config.structured_sparsity = StructuredSparsity::k2of4;
    TargetMachine machine;
    machine.sms = 108;
    machine.shared_memory_bytes = 164 * 1024;
    machine.mma_cycles = machine.structured_mma_cycles = 16;
    const DenseProblem problem(config.gemm, true);
    const DenseChoice any = choose_dense_kernel(problem, config, machine);
    EXPECT_TRUE(any.kernel->structured);
    const double fewest = expected_cycles(problem, any, machine);
    SmConfig sm;
    sm.unified_l1_kib = 192;
    sm.shared_memory_kib = 164;
    for (const DenseKernel& kernel : structured_kernels()) {
        config.multistage = std::string(kernel.name);
        const LibraryProduct product(config, 1, false, machine);
        EXPECT_EQ(resident_ctas(problem, kernel, machine),
                  occupancy_of(product.kernels().front()->info(), sm).ctas)
            << kernel.name;
        EXPECT_GE(expected_cycles(problem, choose_dense_kernel(problem, config, machine), machine),
                  fewest)
            << kernel.name;
    }
    // Slower sparse products, or the whole operand to copy, are expected to take longer.
    machine.structured_mma_cycles = 32;
    EXPECT_GT(expected_cycles(problem, any, machine), fewest);
    machine.structured_mma_cycles = 16;
    machine.dram_bytes_per_cycle = 20;
    EXPECT_GT(expected_cycles(DenseProblem(config.gemm), any, machine),
              expected_cycles(problem, any, machine));
}

/// Whatever its sub-cores, the machine holds as many CTAs of a kernel as its choice counted on.
TEST(LibraryProduct, ResidentCtasAreTheMachines) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.gemm = {256, 256, 64};
    std::uint32_t by_warps = 0;
    for (const std::uint32_t sub_cores : {1U, 2U, 4U, 8U, 16U}) {
        TargetMachine machine;
        SmConfig sm;
        machine.sub_cores = sub_cores;
        sm.sub_cores = sub_cores;
        sm.max_warps = machine.warps;
        sm.shared_memory_kib = machine.shared_memory_bytes / 1024;
        ASSERT_EQ(sm.warp_registers(), machine.warp_registers);
        for (const std::uint32_t warps : {64U, 32U, 16U}) {
            sm.max_warps = machine.warps = warps;
            for (const DenseKernel& kernel : dense_kernels()) {
                config.kernel = kernel.kernel;
                const LibraryProduct product(config, 1, false, machine);
                const Occupancy fits = occupancy_of(product.kernels().front()->info(), sm);
                EXPECT_EQ(resident_ctas(DenseProblem(config.gemm), kernel, machine), fits.ctas)
                    << kernel.name << ", " << sub_cores << " sub-cores";
                by_warps += fits.ctas == fits.by_warps && fits.ctas < fits.by_registers ? 1 : 0;
            }
        }
    }
    EXPECT_GT(by_warps, 0U);
}

/// Against sums written out, and at the places where networks have rows.
TEST(LibraryProduct, WritesRows) {
    for (const std::uint32_t parts : {1U, 2U}) {
        WorkloadConfig config;
        config.kind = WorkloadKind::kGemm;
        config.kernel = ProductKernel::k64x64;
        config.split_k = parts;
        config.gemm = {37, 70, 100};
        config.gemm.order = ResultOrder::kRows;
        config.activations = config.weights = ValuePattern::kDyadic;  // exact in any order
        const LibraryProduct product(config, 3, true, {});
        test::FlatMemory memory = test::make_memory(product);
        for (const auto& kernel : product.kernels()) test::interpret(*kernel, memory);
        using Tensor = ValueGenerator::Tensor;
        const ValueGenerator a(3, Tensor::kActivations, ValuePattern::kDyadic);
        const ValueGenerator b(3, Tensor::kWeights, ValuePattern::kDyadic);
        std::vector<float> d(37 * 70);
        memory.read(product.region("d").base, d.data(), d.size() * sizeof(float));
        for (std::uint64_t i = 0; i < 37; ++i) {
            for (std::uint64_t j = 0; j < 70; ++j) {
                float sum = 0;
                for (std::uint64_t k = 0; k < 100; ++k) {
                    sum += a.single(i * 100 + k) * b.single(j * 100 + k);
                }
                ASSERT_EQ(d[i * 70 + j], sum) << parts << " parts, " << i << ", " << j;
            }
        }
    }
}

/// An element of C, of A or of D that is wrong is found: the comparison looks at all of them.
TEST(LibraryProduct, WrongValuesAreFound) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.kernel = ProductKernel::k64x64;
    config.split_k = 2;
    config.gemm = {70, 50, 100};
    config.gemm.output = OutputType::kFp16;
    config.gemm.read_c = true;
    const LibraryProduct product(config, 7, true, {});
    for (const char* const region : {"a", "c", "d"}) {
        test::FlatMemory memory = test::make_memory(product);
        const HalfBits wrong = 0x4a00;  // 12
        const Address at = product.region(region).base + 2 * 33;
        if (std::string(region) != "d") memory.write(at, &wrong, sizeof wrong);
        for (const auto& kernel : product.kernels()) test::interpret(*kernel, memory);
        if (std::string(region) == "d") memory.write(at, &wrong, sizeof wrong);
        EXPECT_FALSE(product.verify(memory.reader()).passed()) << region;
    }
}

TEST(LibraryProduct, ChoosesWhatIsLeftOpen) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.gemm = {2048, 16, 4096};
    config.kernel = ProductKernel::kAuto;
    TargetMachine machine;
    machine.sms = 80;
    const DenseProblem problem(config.gemm);
    const DenseChoice any = choose_dense_kernel(problem, config, machine);
    const double fewest = expected_cycles(problem, any, machine);
    for (const DenseKernel& kernel : dense_kernels()) {
        config.kernel = kernel.kernel;
        const DenseChoice choice = choose_dense_kernel(problem, config, machine);
        EXPECT_EQ(choice.kernel->kernel, kernel.kernel);
        EXPECT_GE(expected_cycles(problem, choice, machine), fewest);
    }
    config.split_k = 3;
    EXPECT_EQ(choose_dense_kernel(problem, config, machine).parts, 3U);
}

/// Whatever the shape, k is divided only where a kernel has fewer tiles than there are SMs; who
/// names a division gets it.
TEST(LibraryProduct, DividesOnlyWhereSmsWouldHaveNoTile) {
    std::mt19937_64 random(31);
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.kernel = ProductKernel::kAuto;
    TargetMachine machine;
    machine.sms = 80;
    std::uint32_t divided = 0;
    for (std::uint32_t i = 0; i < 300; ++i) {
        config.gemm.m = 1 + static_cast<std::uint32_t>(random() % 2000);
        config.gemm.n = 1 + static_cast<std::uint32_t>(random() % 2000);
        config.gemm.k = 1 + static_cast<std::uint32_t>(random() % 20000);
        const DenseChoice choice = choose_dense_kernel(DenseProblem(config.gemm), config, machine);
        if (choice.parts == 1) continue;
        ++divided;
        EXPECT_LT(ceil_div(config.gemm.m, choice.kernel->cta_m) *
                      ceil_div(config.gemm.n, choice.kernel->cta_n),
                  machine.sms);
    }
    EXPECT_GT(divided, 20U);
    config.gemm = {4096, 4096, 4096};
    config.split_k = 2;
    EXPECT_EQ(choose_dense_kernel(DenseProblem(config.gemm), config, machine).parts, 2U);
}

/// On SMs with fewer registers, or less shared memory, auto takes what fits them.
TEST(LibraryProduct, ChoosesWhatFits) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.gemm = {4096, 4096, 512};
    config.kernel = ProductKernel::kAuto;
    const DenseProblem problem(config.gemm);
    TargetMachine machine;
    EXPECT_EQ(choose_dense_kernel(problem, config, machine).kernel->warp_m, 64U);
    machine.warp_registers = 512;
    EXPECT_LT(choose_dense_kernel(problem, config, machine).kernel->warp_m, 64U);
    machine.warp_registers = 2048;
    machine.shared_memory_bytes = 24 * 1024;
    EXPECT_LE(choose_dense_kernel(problem, config, machine).kernel->cta_m, 64U);
    machine.warp_registers = 64;
    EXPECT_THROW(static_cast<void>(choose_dense_kernel(problem, config, machine)), ConfigError);
}

TEST(LibraryProduct, RefusesPartsWithoutASteps) {
    WorkloadConfig config;
    config.kind = WorkloadKind::kGemm;
    config.kernel = ProductKernel::kAuto;
    config.gemm = {64, 64, 160};  // 5 steps
    const auto message = [&](std::uint32_t parts) -> std::string {
        config.split_k = parts;
        try {
            const LibraryProduct product(config, 1, false, {});
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message(5), "");
    EXPECT_EQ(message(3), "");
    EXPECT_EQ(message(6),
              "workload.split_k: got 6, expected at most 5, the steps of 32 in workload.gemm.k");
    EXPECT_EQ(message(4),
              "workload.split_k: got 4, expected a number that leaves every part a step: 3 in "
              "place of it");
}

}  // namespace
}  // namespace tessera
