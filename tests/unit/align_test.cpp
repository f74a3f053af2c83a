// Does the aligner name the first difference, and is one extra transaction one difference?
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "sc_models/align/align_report.h"
#include "sc_models/align/aligner.h"
#include "sc_models/align/recording.h"
#include "sc_models/align/sequence_match.h"
#include "sc_models/common/error.h"

namespace tessera {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Builds recordings: orders and cycles follow from the calls.
class Builder {
public:
    Builder() {
        recording_.kernels = {"gemm"};
        recording_.header = {{"timing", "lt"}};
        recording_.complete = true;
        l1_ = recording_.links.number("sm0.ldst.to_l1");
        l2_ = recording_.links.number("memory.l2_3.initiator");
    }
    /// Adds an instruction of warp `warp` with requests to the L1 at consecutive sectors.
    Builder& load(std::uint32_t warp, Address address, std::uint32_t requests = 3) {
        instruction(warp, "ldg", address);
        for (std::uint32_t i = 0; i < requests; ++i) request(address + 32 * i);
        return *this;
    }
    Builder& instruction(std::uint32_t warp, const char* opcode, Address address) {
        RecordedInstruction row;
        row.cta = 5;
        row.warp = warp;
        row.index = static_cast<std::uint32_t>(recording_.instructions.size());
        row.opcode = recording_.words.number(opcode);
        fill(row, address);
        recording_.instructions.push_back(row);
        return *this;
    }
    Builder& request(Address address, const char* outcome = "L1") {
        RecordedTransaction row;
        row.link = l1_;
        row.instruction = static_cast<std::uint32_t>(recording_.instructions.size() - 1);
        row.command = recording_.words.number("read");
        row.outcome = recording_.words.number(outcome);
        fill(row, address);
        recording_.transactions.push_back(row);
        return *this;
    }
    Builder& write_back(Address address) {
        RecordedTransaction row;
        row.link = l2_;
        row.command = recording_.words.number("write");
        fill(row, address);
        recording_.transactions.push_back(row);
        return *this;
    }
    Builder& complete(bool value) {
        recording_.complete = value;
        if (!value) recording_.end = "limit of 3 rows";
        return *this;
    }
    RecordedTransaction& transaction(std::size_t row) { return recording_.transactions[row]; }
    RecordedInstruction& instruction_row(std::size_t row) { return recording_.instructions[row]; }
    [[nodiscard]] const Recording& get() const { return recording_; }

private:
    void fill(Exchange& e, Address address) {
        e.address = address;
        e.bytes = 32;
        e.asked = order_;
        e.order = ++order_;
        e.done = e.asked + 20;
        e.done_order = ++order_;
        e.value_out = value_hash(&address, sizeof address);
    }
    Recording recording_;
    std::uint32_t l1_ = 0, l2_ = 0;
    std::uint64_t order_ = 0;
};

Builder two_warps() {
    Builder b;
    for (Address a = 0x1000; a < 0x1800; a += 0x100) b.load(a / 0x100 % 2, a).write_back(a);
    return b;
}

TEST(SequenceMatchTest, AgreesWithALongestCommonSubsequenceByDefinition) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::string x;
        std::string y;
        for (std::string* text : {&x, &y}) {
            const std::size_t length = random() % 12;
            for (std::size_t i = 0; i < length; ++i) *text += static_cast<char>('a' + random() % 3);
        }
        std::vector<std::vector<std::size_t>> best(x.size() + 1,
                                                   std::vector<std::size_t>(y.size() + 1));
        for (std::size_t i = 1; i <= x.size(); ++i) {
            for (std::size_t j = 1; j <= y.size(); ++j) {
                best[i][j] = x[i - 1] == y[j - 1] ? best[i - 1][j - 1] + 1
                                                  : std::max(best[i - 1][j], best[i][j - 1]);
            }
        }
        const SequenceMatch pairs = match_sequences(
            x.size(), y.size(), [&](std::size_t i, std::size_t j) { return x[i] == y[j]; });
        ASSERT_EQ(best[x.size()][y.size()], pairs.size()) << x << " " << y;
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            ASSERT_EQ(x[pairs[k].first], y[pairs[k].second]) << x << " " << y;
            if (k == 0) continue;
            ASSERT_LT(pairs[k - 1].first, pairs[k].first) << x << " " << y;
            ASSERT_LT(pairs[k - 1].second, pairs[k].second) << x << " " << y;
        }
    }
}

TEST(SequenceMatchTest, BeyondTheMostEditsBeginAndEndAreMatched) {
    const std::string x = "begin....end";
    const std::string y = "begin,,,,,,,,end";
    const SequenceMatch pairs = match_sequences(
        x.size(), y.size(), [&](std::size_t i, std::size_t j) { return x[i] == y[j]; }, 3);
    EXPECT_THAT(pairs, SizeIs(8));
}

TEST(AlignerTest, EqualRecordingsHaveNoDifference) {
    const Alignment result = align(two_warps().get(), two_warps().get(), {true, false});
    EXPECT_TRUE(result.equal());
    EXPECT_EQ(8U, result.instructions);
    EXPECT_EQ(32U, result.transactions);
    EXPECT_THAT(result.counts, IsEmpty());
}

TEST(AlignerTest, OneExtraRequestIsOneDifference) {
    Builder a;
    Builder b;
    a.load(0, 0x1000).load(0, 0x2000).load(0, 0x3000);
    b.load(0, 0x1000).load(0, 0x2000).request(0x2fe0).load(0, 0x3000);
    const Alignment result = align(a.get(), b.get(), {});
    ASSERT_THAT(result.first, SizeIs(1));
    EXPECT_EQ(DivergenceKind::kExtra, result.first[0].kind);
    EXPECT_EQ(1U, result.first[0].instruction_b);
    EXPECT_EQ(6U, result.first[0].transaction_b);
    const Alignment back = align(b.get(), a.get(), {});
    ASSERT_THAT(back.first, SizeIs(1));
    EXPECT_EQ(DivergenceKind::kMissing, back.first[0].kind);
}

TEST(AlignerTest, OneExtraInstructionIsOneDifference) {
    Builder a;
    Builder b;
    for (Address address = 0x1000; address < 0x9000; address += 0x100) {
        a.load(0, address);
        if (address == 0x2000) b.load(0, 0xaaa00);
        b.load(0, address);
    }
    const Alignment result = align(a.get(), b.get(), {});
    ASSERT_THAT(result.first, SizeIs(1));
    EXPECT_EQ(DivergenceKind::kExtra, result.first[0].kind);
    EXPECT_EQ(16U, result.first[0].instruction_b);
    EXPECT_EQ(128U, result.instructions);
}

TEST(AlignerTest, TheFirstDifferenceIsTheFirstByPlaceNotByWarp) {
    Builder a = two_warps();
    Builder b = two_warps();
    b.instruction_row(7).value_out ^= 1;  // warp 1
    b.instruction_row(2).value_out ^= 1;  // warp 0, before it
    b.transaction(4).value_out ^= 1;      // warp 1, before both
    const Alignment result = align(a.get(), b.get(), {});
    ASSERT_THAT(result.first, SizeIs(3));
    EXPECT_EQ(DivergenceKind::kValue, result.first[0].kind);
    EXPECT_EQ(1U, result.first[0].instruction_a);
    EXPECT_EQ(4U, result.first[0].transaction_a);
    EXPECT_EQ(3U, result.counts.at(DivergenceKind::kValue));
}

TEST(AlignerTest, EveryKindOfDifferenceIsNamed) {
    const auto first = [](const Builder& b, const AlignRules& rules) {
        const Alignment result = align(two_warps().get(), b.get(), rules);
        return result.equal() ? std::string() : std::string(name_of(result.first[0].kind));
    };
    Builder b = two_warps();
    b.transaction(9).address ^= 0x40;
    EXPECT_EQ("request", first(b, {}));
    b = two_warps();
    b.transaction(9).outcome = 0;
    EXPECT_EQ("outcome", first(b, {}));
    EXPECT_EQ("", first(b, {false, true}));
    b = two_warps();
    b.transaction(9).done += 1;
    EXPECT_EQ("", first(b, {}));
    EXPECT_EQ("time", first(b, {true, false}));
    b = two_warps();
    std::swap(b.transaction(8).address, b.transaction(9).address);
    std::swap(b.transaction(8).value_out, b.transaction(9).value_out);
    EXPECT_EQ("order", first(b, {}));
    EXPECT_EQ("", first(b, {false, true}));
    b = two_warps();
    b.instruction_row(3).address = 0x77;
    EXPECT_EQ("request", first(b, {}));
    b = two_warps();
    b.write_back(0x5000);
    EXPECT_EQ("extra", first(b, {}));
}

TEST(AlignerTest, AnIncompleteRecordingLacksWhatComesAfterItsEnd) {
    Builder a = two_warps();
    Builder b;
    for (Address address = 0x1000; address < 0x1400; address += 0x100) {
        b.load(address / 0x100 % 2, address).write_back(address);
    }
    EXPECT_FALSE(align(a.get(), b.get(), {}).equal());
    b.complete(false);
    EXPECT_TRUE(align(a.get(), b.get(), {}).equal());
    b.transaction(3).address ^= 0x40;
    EXPECT_FALSE(align(a.get(), b.get(), {}).equal());
}

TEST(AlignerTest, TheReportNamesThePlaceAndShowsBothSides) {
    Builder a = two_warps();
    Builder b = two_warps();
    b.transaction(4).address ^= 0x40;
    const Alignment result = align(a.get(), b.get(), {});
    const std::string text = align_report(a.get(), b.get(), result, {"one", "two"});
    for (const char* part : {"A one (8 instructions", "first difference: request",
                             "kernel 0 (gemm), CTA 5, warp 1, instruction 1 (ldg), SM 0",
                             "sm0.ldst.to_l1, read 0x1100", "A 0x1100", "B 0x1140", "> cycle",
                             "A did", "B did", "before it in A"}) {
        EXPECT_THAT(text, HasSubstr(part));
    }
}

/// Files in a folder that is removed.
class RecordingFileTest : public testing::Test {
protected:
    RecordingFileTest() {
        std::string name = (std::filesystem::temp_directory_path() / "align_test_XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~RecordingFileTest() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
    [[nodiscard]] std::string text(const char* name) const {
        std::ifstream in(path(name));
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// Message for a file with this text.
    [[nodiscard]] std::string error_of(const std::string& content) const {
        std::ofstream(path("bad")) << content;
        try {
            (void)read_recording(path("bad"));
        } catch (const ConfigError& error) {
            return error.what();
        }
        return {};
    }

private:
    std::filesystem::path folder_;
};

TEST_F(RecordingFileTest, AReadRecordingEqualsTheWrittenOne) {
    Builder a = two_warps();
    a.instruction_row(2).cta = a.instruction_row(2).warp = kNoNumber;  // an assistant warp
    a.transaction(3).done = kNever;
    a.transaction(3).done_order = 0;
    for (const char* name : {"plain", "packed.xz"}) {
        write_recording(a.get(), path(name));
        EXPECT_TRUE(is_recording(path(name)));
        const Recording back = read_recording(path(name));
        EXPECT_TRUE(align(a.get(), back, {true, false}).equal());
        EXPECT_EQ(a.get().instructions.size(), back.instructions.size());
        EXPECT_EQ(a.get().transactions.size(), back.transactions.size());
        EXPECT_EQ("lt", back.value("timing"));
        write_recording(back, path("again"));
        write_recording(a.get(), path("plain"));
        EXPECT_EQ(text("plain"), text("again"));
    }
    EXPECT_LT(std::filesystem::file_size(path("packed.xz")),
              std::filesystem::file_size(path("plain")));
}

TEST_F(RecordingFileTest, FurtherHeaderLinesAndColumnsAreTaken) {
    write_recording(two_warps().get(), path("plain"));
    std::string more = text("plain");
    more.replace(more.find("value_out\n"), 10, "value_out,colour\n");
    more.replace(more.find("\nkernel"), 1, "\nweather fair\n");
    const std::size_t row = more.find("\ni ");
    more.replace(more.find('\n', row + 1), 1, " red\n");
    std::ofstream(path("more")) << more;
    const Recording back = read_recording(path("more"));
    EXPECT_EQ("fair", back.value("weather"));
    EXPECT_TRUE(align(two_warps().get(), back, {true, false}).equal());
}

TEST_F(RecordingFileTest, DamageIsOneLineWithItsPlace) {
    write_recording(two_warps().get(), path("plain"));
    const std::string good = text("plain");
    EXPECT_EQ("", error_of(good));
    EXPECT_THAT(error_of("hello\n"), HasSubstr("bad:1: got 'hello', expected the first line"));
    EXPECT_THAT(error_of(""), HasSubstr("expected the first line"));
    EXPECT_THAT(error_of("tessera-transactions 2\n"), HasSubstr("got version 2, expected 1"));
    EXPECT_THAT(error_of(good.substr(0, good.size() / 2)), HasSubstr("bad:"));
    EXPECT_THAT(error_of(good.substr(0, good.rfind("end"))), HasSubstr("line 'end'"));
    std::string changed = good;
    changed.replace(changed.find(" ldg "), 5, " ldg x");
    EXPECT_THAT(error_of(changed), HasSubstr("expected a number"));
    changed = good;
    changed.replace(changed.find("kernel,cta"), 10, "cta,kernel");
    EXPECT_THAT(error_of(changed), HasSubstr("expected them to begin with 'kernel,cta"));
    for (const std::string& message : {error_of("hello\n"), error_of("tessera-transactions 2\n")}) {
        EXPECT_EQ(std::string::npos, message.find('\n'));
    }
}

}  // namespace
}  // namespace tessera
