// Does the generated GEMM equal the traces it was derived from, at any size?
#include "sc_models/trace/sass_gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <map>
#include <tuple>

#include "tests/support/trace_text.h"

namespace tessera {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kTraces = std::string(TESSERA_SOURCE_DIR) + "/tests/golden/traces/";

class SassGemmTest : public testing::Test {
protected:
    void TearDown() override { fs::remove(path); }

    const fs::path path = fs::path(testing::TempDir()) /
                          ("tessera_sass_gemm_" + std::to_string(getpid()) + ".traceg");
};

/// Compares two files line by line; returns how many lines were compared.
std::size_t expect_same_lines(const std::string& a, const std::string& b) {
    LineReader left(open_byte_source(a), a);
    LineReader right(open_byte_source(b), b);
    while (!left.at_end() && !right.at_end()) {
        const std::string_view expected = left.next();
        const std::string_view got = right.next();
        if (expected == got) continue;
        ADD_FAILURE() << a << ":" << left.line() << ": " << expected << "\n" << got;
        break;
    }
    EXPECT_EQ(left.at_end(), right.at_end());
    return left.line();
}

TEST_F(SassGemmTest, EqualsTheGoldenTraces) {
    SassGemm(1024, 64, 576).write(path);
    EXPECT_EQ(expect_same_lines(kTraces + "gemm_1024x64x576/kernel-1.traceg.xz", path.string()),
              185408);
    SassGemm(128, 64, 16).write(path);
    EXPECT_EQ(expect_same_lines(kTraces + "tiny/kernel-1.traceg.xz", path.string()), 1070);
}

/// All of A, B and C is touched, C exactly once, and nothing else.
TEST_F(SassGemmTest, CoversTheMatrices) {
    const SassGemm gemm(256, 192, 48);
    gemm.write(path);
    TraceFile file(path.string());
    EXPECT_EQ(file.header().grid, (Dim3{2, 3, 1}));
    std::map<Address, int> loaded;
    std::map<Address, int> stored;
    for (ThreadBlock block; file.next_thread_block(block);) {
        for (std::uint32_t w = 0; w < block.warps(); ++w) {
            EXPECT_EQ(block.warp(w).instructions(), gemm.instructions_per_warp());
            for (const test::Executed& e : test::executed(block.warp(w))) {
                if (e.pattern_mask == 0) continue;
                const bool store = e.what.op_class() == SassClass::kStore;
                for (const Address address : e.addresses) ++(store ? stored : loaded)[address];
            }
        }
    }
    ASSERT_EQ(stored.size(), 256 * 192 / 2);
    EXPECT_EQ(stored.begin()->first, SassGemm::kC);
    EXPECT_EQ(stored.rbegin()->first, SassGemm::kC + Address{256} * 192 * 4 - 8);
    for (const auto& [address, times] : stored) ASSERT_EQ(times, 1) << address;
    ASSERT_EQ(loaded.size(), (256 + 192) * 48 / 8);
    EXPECT_EQ(loaded.begin()->first, SassGemm::kA);
    EXPECT_EQ(loaded.rbegin()->first, SassGemm::kB + Address{192} * 48 * 2 - 16);
}

TEST_F(SassGemmTest, RefusesOtherShapes) {
    for (const auto& [m, n, k] : {std::tuple{0, 64, 16}, std::tuple{100, 64, 16},
                                  std::tuple{128, 32, 16}, std::tuple{128, 64, 8}}) {
        try {
            const SassGemm gemm(m, n, k);
            FAIL() << m << " " << n << " " << k;
        } catch (const ConfigError& error) {
            EXPECT_THAT(error.what(), HasSubstr("expected multiples of 128, 64 and 16"));
        }
    }
    EXPECT_THROW(SassGemm(1U << 31, 64, 1U << 31), ConfigError);
    EXPECT_THROW(SassGemm(1U << 20, 64, 512), ConfigError) << "A would reach into B";
}

}  // namespace
}  // namespace tessera
