// Do the kernels of sparse matrices in CSR compute the product of their operands?
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "sc_models/common/error.h"
#include "sc_models/run/make_workload.h"
#include "tests/support/csr_products.h"
#include "tests/support/warp_interpreter.h"

namespace tessera {
namespace {

test::InstructionCounts run(const Workload& workload, test::FlatMemory& memory) {
    test::InstructionCounts counts;
    for (const auto& kernel : workload.kernels()) {
        for (const auto& [opcode, count] : test::interpret(*kernel, memory)) {
            counts[opcode] += count;
        }
    }
    return counts;
}

TEST(CsrProduct, IsExact) {
    std::mt19937_64 random(3);
    for (std::uint32_t i = 0; i < 30; ++i) {
        const WorkloadConfig config = test::random_csr_product(random);
        const auto workload = make_workload(config, random(), true);
        SCOPED_TRACE(testing::Message() << i << ": " << workload->name());
        test::FlatMemory memory = test::make_memory(*workload);
        run(*workload, memory);
        const VerificationReport report = workload->verify(memory.reader());
        ASSERT_TRUE(report.passed()) << report.first_mismatch;
        EXPECT_TRUE(report.checked);
        const auto& csr = dynamic_cast<const CsrProduct&>(*workload);
        EXPECT_EQ(report.outputs, csr.a().rows() + csr.c_rows().back());
    }
}

/// A wrong element of an operand or of the result is found, whatever array it is in.
TEST(CsrProduct, WrongValuesAreFound) {
    WorkloadConfig config = test::csr_product(40, 50, 60, 0.7, 0.8);
    const auto workload = make_workload(config, 5, true);
    for (const char* const region :
         {"a.values", "b.column", "b.values", "c.begin", "c.column", "c.values"}) {
        test::FlatMemory memory = test::make_memory(*workload);
        const std::uint32_t wrong = 0x40400000;  // 3.0
        const Address at = workload->region(region).base + 4 * 9;
        const bool operand = region[0] != 'c';
        if (operand) memory.write(at, &wrong, sizeof wrong);
        run(*workload, memory);
        if (!operand) memory.write(at, &wrong, sizeof wrong);
        EXPECT_FALSE(workload->verify(memory.reader()).passed()) << region;
    }
}

/// Counts that are wrong make wrong row pointers: the scan reads them.
TEST(CsrProduct, TheScanReadsCounts) {
    const auto workload = make_workload(test::csr_product(300, 50, 60, 0.7, 0.8), 5, true);
    test::FlatMemory memory = test::make_memory(*workload);
    test::interpret(*workload->kernels()[0], memory);
    std::uint32_t count = 0;
    const Address at = workload->region("counts").base + 4 * 200;
    memory.read(at, &count, sizeof count);
    ++count;
    memory.write(at, &count, sizeof count);
    test::interpret(*workload->kernels()[1], memory);
    const auto& rows = dynamic_cast<const CsrProduct&>(*workload).c_rows();
    for (std::uint32_t row = 0; row <= 300; ++row) {
        std::uint32_t begin = 0;
        memory.read(workload->region("c.begin").base + 4 * row, &begin, sizeof begin);
        ASSERT_EQ(begin, rows[row] + (row > 200 ? 1 : 0)) << row;
    }
}

/// Slots of the table hold one column each, a product's slot is the first free one from its hash
/// on, and a table as large as the columns has no collisions.
TEST(CsrProduct, TableIsThatOfLinearProbing) {
    const auto workload = make_workload(test::csr_product(30, 500, 80, 0.9, 0.95), 7, true);
    const auto& csr = dynamic_cast<const CsrProduct&>(*workload);
    std::size_t collisions = 0;
    for (std::uint64_t r = 0; r < csr.a().rows(); ++r) {
        for (const std::uint32_t entries : {256U, 512U}) {
            if (csr.c_rows()[r + 1] - csr.c_rows()[r] > entries) continue;
            const CsrRow row = insert_row(csr.a(), csr.b(), r, entries);
            EXPECT_EQ(row.used.size(), csr.c_rows()[r + 1] - csr.c_rows()[r]);
            std::size_t product = 0;
            for (std::uint32_t i = csr.a().begin[r]; i < csr.a().begin[r + 1]; ++i) {
                const std::uint32_t k = csr.a().column[i];
                for (std::uint32_t j = csr.b().begin[k]; j < csr.b().begin[k + 1]; ++j, ++product) {
                    EXPECT_EQ((csr.b().column[j] * 107 + row.probes[product] - 1) % entries,
                              row.slot[product]);
                    if (entries == 256) collisions += row.probes[product] > 1 ? 1 : 0;
                    if (entries == 512) {
                        EXPECT_EQ(row.probes[product], 1);
                    }
                }
            }
            EXPECT_EQ(product, row.slot.size());
        }
    }
    EXPECT_GT(collisions, 0U);
}

/// A dense row of 2 elements meets rows of 64: two chunks each, a probe each.
TEST(CsrProduct, InstructionsAreThoseOfTheRows) {
    const auto workload = make_workload(test::csr_product(1, 64, 2, 0, 0), 1, true);
    test::FlatMemory memory = test::make_memory(*workload);
    test::InstructionCounts symbolic = test::interpret(*workload->kernels()[0], memory);
    const std::uint64_t warps = workload->kernels()[0]->info().warps_per_cta;
    EXPECT_EQ(warps, 2U);
    // Pointers of A by each warp; an element, pointers of B and two chunks for each element of A.
    EXPECT_EQ(symbolic[Opcode::kLoadGlobal], warps + 2 * (1 + 1 + 2));
    EXPECT_EQ(symbolic[Opcode::kLoadShared], 2U * 2);
    EXPECT_EQ(symbolic[Opcode::kStoreGlobal], 1U);
    EXPECT_EQ(symbolic[Opcode::kBarrier], 2 * warps);
    test::interpret(*workload->kernels()[1], memory);
    test::InstructionCounts numeric = test::interpret(*workload->kernels()[2], memory);
    EXPECT_EQ(numeric[Opcode::kLoadGlobal], 2 * warps + 2 * (2 + 1 + 4));
    // Per chunk a probe, the sum and its compare-and-swap; per 32 slots of 256 keys and sums.
    EXPECT_EQ(numeric[Opcode::kLoadShared], 2U * 2 * 3 + 2 * 256 / 32);
}

TEST(CsrProduct, RowsWithoutATableAreRefused) {
    TargetMachine machine;
    machine.shared_memory_bytes = 4096;
    std::string error;
    try {
        const CsrProduct product(test::csr_product(4, 1000, 20, 0, 0), 1, false, machine);
    } catch (const ConfigError& refused) {
        error = refused.what();
    }
    EXPECT_EQ(error,
              "workload.gemm.n: got '1000', expected rows of the result whose hash table fits the "
              "shared memory of an SM (4096 bytes) with workload.kernel simt");
}

}  // namespace
}  // namespace tessera
