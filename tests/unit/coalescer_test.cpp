// Is a warp's access cut into exactly the sectors it touches, and are bank conflicts those of the
// words?
#include "sc_models/isa/coalescer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

namespace tessera {
namespace {

constexpr std::uint32_t kAll = 0xffffffff;

LaneOffsets lanes_of(std::uint32_t mask, std::uint32_t access_bytes, std::int64_t stride,
                     std::int64_t start = 0) {
    LaneOffsets lanes;
    lanes.mask = mask;
    lanes.access_bytes = access_bytes;
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
        if ((mask >> lane & 1U) != 0) lanes.offset[lane] = start + stride * lane;
    }
    return lanes;
}

/// Pieces as "offset+bytes", in their order.
std::string text_of(const LaneAccess& access) {
    std::ostringstream text;
    for (const LaneAccess::Piece& piece : access.pieces) {
        text << (text.tellp() > 0 ? " " : "") << piece.offset << "+" << piece.bytes;
    }
    return text.str();
}

std::string global(const LaneOffsets& lanes, Address base, const AccessGranularity& g = {}) {
    return text_of(coalesce_global(lanes, base, g));
}

std::uint32_t wavefronts(const LaneOffsets& lanes, Address base = 0) {
    return coalesce_shared(lanes, base, {}).wavefronts;
}

TEST(CoalesceGlobal, NeighboursOfALineAreOnePiece) {
    EXPECT_EQ(global(lanes_of(kAll, 4, 4), 0x1000), "0+128");
    EXPECT_EQ(global(lanes_of(kAll, 1, 1), 0x1000), "0+32");
    EXPECT_EQ(global(lanes_of(0xff, 8, 8), 0x1020), "0+64");
    EXPECT_EQ(global(lanes_of(1, 4, 0), 0x1000), "0+32");
}

TEST(CoalesceGlobal, LinesAreKeptApart) {
    EXPECT_EQ(global(lanes_of(kAll, 16, 16), 0x1000), "0+128 128+128 256+128 384+128");
    EXPECT_EQ(global(lanes_of(kAll, 4, 4), 0x1060), "0+32 32+96");
    // Lines of one sector: nothing to join.
    EXPECT_EQ(global(lanes_of(0xff, 8, 8), 0x1000, {32, 32, 32}), "0+32 32+32");
}

TEST(CoalesceGlobal, PiecesStartAtSectorsWhateverTheBase) {
    EXPECT_EQ(global(lanes_of(kAll, 4, 4), 0x1004), "-4+128 124+32");
    EXPECT_EQ(global(lanes_of(1, 16, 0), 0x101c), "-28+64");
    EXPECT_EQ(global(lanes_of(1, 16, 0), 0x107c), "-28+32 4+32") << "across lines";
}

TEST(CoalesceGlobal, EachSectorOnceInAscendingOrder) {
    EXPECT_EQ(global(lanes_of(kAll, 4, 0), 0x1000), "0+32") << "all lanes the same word";
    EXPECT_EQ(global(lanes_of(kAll, 4, -4, 124), 0x1000), "0+128") << "backwards";
    EXPECT_EQ(global(lanes_of(0x3, 4, 64), 0x1000), "0+32 64+32") << "a hole within the line";
    EXPECT_EQ(global(lanes_of(0x80000001, 4, 1024), 0x1000), "0+32 31744+32");
}

TEST(CoalesceGlobal, BytesAreThoseOfThePieces) {
    EXPECT_EQ(coalesce_global(lanes_of(kAll, 16, 16), 0x1000, {}).bytes, 512U);
    EXPECT_EQ(coalesce_global(lanes_of(kAll, 4, 0), 0x1000, {}).bytes, 32U);
}

/// 1024 threads: a word of all of them takes 4096 bytes; the warp is the first, or the second.
std::string local(const LaneOffsets& lanes, Address base, Address first_word = 0x10000) {
    return text_of(coalesce_local(lanes, base, {first_word, 4096}, {}));
}

TEST(CoalesceLocal, WordsOfAWarpLieSideBySide) {
    EXPECT_EQ(local(lanes_of(kAll, 4, 0), 0xfff700), "0+128");
    EXPECT_EQ(local(lanes_of(kAll, 4, 0), 0xfff704, 0x10080), "0+128") << "the second warp";
    EXPECT_EQ(local(lanes_of(0x300, 4, 0), 0), "32+32") << "lanes 8 and 9";
}

TEST(CoalesceLocal, WideAccessesTakeARowForEachWord) {
    EXPECT_EQ(local(lanes_of(kAll, 8, 0), 0x100), "0+128 4096+128");
    EXPECT_EQ(local(lanes_of(kAll, 16, 0), 0x100), "0+128 4096+128 8192+128 12288+128");
    EXPECT_EQ(local(lanes_of(1, 16, 0), 0x100), "0+32 4096+32 8192+32 12288+32");
    EXPECT_EQ(coalesce_local(lanes_of(kAll, 16, 0), 0, {0, 4096}, {}).bytes, 512U);
}

TEST(CoalesceLocal, BytesStayInTheirWord) {
    EXPECT_EQ(local(lanes_of(kAll, 1, 0), 0x103), "0+128");
    EXPECT_EQ(local(lanes_of(kAll, 2, 0), 0x102), "0+128");
    EXPECT_EQ(local(lanes_of(1, 2, 0), 0x103), "0+32 4096+32") << "unless they straddle two";
}

TEST(CoalesceLocal, LanesWithOffsetsOfTheirOwnAreScattered) {
    // Lane i wants word i: a row each, of which its own sector.
    EXPECT_EQ(local(lanes_of(0x3, 4, 4), 0x100), "0+32 4096+32");
    EXPECT_EQ(local(lanes_of(0x101, 4, 4), 0x100), "0+32 32800+32")
        << "lane 8: 8 rows and a sector";
    EXPECT_EQ(local(lanes_of(0x3, 4, -4), 0x100), "-4096+32 0+32") << "backwards";
    EXPECT_EQ(coalesce_local(lanes_of(kAll, 4, 4), 0, {0, 4096}, {}).bytes, 32U * 32);
}

TEST(CoalesceShared, LanesOfOneWordShareIt) {
    EXPECT_EQ(wavefronts(lanes_of(kAll, 4, 0)), 1U) << "broadcast";
    EXPECT_EQ(wavefronts(lanes_of(kAll, 1, 1)), 1U) << "four bytes of each word";
    EXPECT_EQ(wavefronts(lanes_of(kAll, 4, 4)), 1U);
}

TEST(CoalesceShared, ConflictsOfEveryDegree) {
    // A stride of n words puts the lanes on 32 / n banks, n words in each.
    for (std::uint32_t n = 1; n <= 32; n *= 2) {
        EXPECT_EQ(wavefronts(lanes_of(kAll, 4, std::int64_t{4} * n)), n) << n << " ways";
    }
    EXPECT_EQ(wavefronts(lanes_of(kAll, 4, 132)), 1U) << "skewed";
    EXPECT_EQ(wavefronts(lanes_of(kAll, 4, 12)), 1U) << "odd strides meet every bank";
}

TEST(CoalesceShared, WideAccessesGoInGroups) {
    EXPECT_EQ(wavefronts(lanes_of(kAll, 8, 8)), 2U) << "half a warp at a time";
    EXPECT_EQ(wavefronts(lanes_of(kAll, 16, 16)), 4U) << "a quarter at a time";
    EXPECT_EQ(wavefronts(lanes_of(kAll, 8, 16)), 4U) << "two ways in each half";
    EXPECT_EQ(wavefronts(lanes_of(kAll, 16, 32)), 8U) << "two ways in each quarter";
    EXPECT_EQ(wavefronts(lanes_of(kAll, 8, 0)), 2U) << "a broadcast to each half";
    EXPECT_EQ(wavefronts(lanes_of(0xff, 16, 16)), 1U) << "one quarter is active";
}

TEST(CoalesceShared, MisalignedWordsTouchTwo) {
    EXPECT_EQ(wavefronts(lanes_of(1, 4, 0), 2), 1U) << "in different banks";
    EXPECT_EQ(wavefronts(lanes_of(kAll, 4, 4), 2), 2U) << "33 words on 32 banks";
}

TEST(CoalesceShared, ALaneWiderThanAllBanksGoesAlone) {
    const auto with_banks = [](std::uint32_t banks, const LaneOffsets& lanes) {
        return coalesce_shared(lanes, 0, {128, 32, banks}).wavefronts;
    };
    // Were two lanes together, they would share the words of a broadcast.
    EXPECT_EQ(with_banks(2, lanes_of(kAll, 16, 0)), 64U) << "four words a lane on two banks";
    EXPECT_EQ(with_banks(1, lanes_of(kAll, 8, 0)), 64U) << "two words a lane on one bank";
    EXPECT_EQ(with_banks(4, lanes_of(kAll, 16, 0)), 32U) << "just as wide";
    EXPECT_EQ(with_banks(8, lanes_of(kAll, 16, 0)), 16U) << "two lanes at a time";
}

TEST(CoalesceShared, BytesAreThoseOfTheLanes) {
    EXPECT_EQ(coalesce_shared(lanes_of(kAll, 8, 8), 0, {}).bytes, 256U);
    EXPECT_EQ(coalesce_shared(lanes_of(0xf, 4, 0), 0, {}).bytes, 16U);
    EXPECT_TRUE(coalesce_shared(lanes_of(0xf, 4, 0), 0, {}).pieces.empty());
}

// --- random accesses against the obvious ---------------------------------------------------------

LaneOffsets random_lanes(std::mt19937& random) {
    static constexpr std::uint32_t kBytes[] = {1, 2, 4, 8, 16};
    LaneOffsets lanes;
    lanes.access_bytes = kBytes[random() % 5];
    const std::uint32_t count = 1 + random() % kWarpLanes;
    while (static_cast<std::uint32_t>(__builtin_popcount(lanes.mask)) < count) {
        lanes.mask |= 1U << random() % kWarpLanes;
    }
    const std::int64_t window = std::int64_t{1} << (2 + random() % 14);
    const std::int64_t stride = static_cast<std::int64_t>(random() % 300) - 100;
    const bool strided = random() % 2 == 0;
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
        if ((lanes.mask >> lane & 1U) == 0) continue;
        lanes.offset[lane] =
            strided ? stride * lane : static_cast<std::int64_t>(random()) % window - window / 2;
    }
    return lanes;
}

AccessGranularity random_granularity(std::mt19937& random) {
    AccessGranularity g;
    g.sector_bytes = 32U << random() % 2;
    g.line_bytes = g.sector_bytes << random() % 4;
    g.shared_memory_banks = 1U << random() % 7;
    return g;
}

LaneAccess naive_global(const LaneOffsets& lanes, Address base, const AccessGranularity& g) {
    std::set<Address> sectors;
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
        if ((lanes.mask >> lane & 1U) == 0) continue;
        for (std::uint32_t byte = 0; byte < lanes.access_bytes; ++byte) {
            sectors.insert((base + static_cast<Address>(lanes.offset[lane]) + byte) /
                           g.sector_bytes * g.sector_bytes);
        }
    }
    LaneAccess access;
    for (const Address sector : sectors) {
        const bool joins = sector % g.line_bytes != 0 && sectors.count(sector - g.sector_bytes) > 0;
        if (joins) {
            access.pieces.back().bytes += g.sector_bytes;
        } else {
            access.pieces.push_back({static_cast<std::int64_t>(sector - base), g.sector_bytes});
        }
        access.bytes += g.sector_bytes;
    }
    return access;
}

std::uint32_t naive_wavefronts(const LaneOffsets& lanes, Address base, std::uint32_t banks) {
    std::uint32_t total = 0;
    const std::uint32_t words = std::max(lanes.access_bytes / 4, 1U);  // of a lane, if aligned
    const std::uint32_t group = std::clamp(banks / words, 1U, kWarpLanes);
    for (std::uint32_t first = 0; first < kWarpLanes; first += group) {
        std::map<Address, std::set<Address>> words_of_bank;
        for (std::uint32_t lane = first; lane < std::min(first + group, kWarpLanes); ++lane) {
            if ((lanes.mask >> lane & 1U) == 0) continue;
            for (std::uint32_t byte = 0; byte < lanes.access_bytes; ++byte) {
                const Address word = (base + static_cast<Address>(lanes.offset[lane]) + byte) / 4;
                words_of_bank[word % banks].insert(word);
            }
        }
        std::size_t most = 0;
        for (const auto& [bank, touched] : words_of_bank) most = std::max(most, touched.size());
        total += static_cast<std::uint32_t>(most);
    }
    return total;
}

TEST(Coalescer, AgreesWithTheNaiveReference) {
    constexpr int kCases = 100000;
    constexpr std::uint32_t kSeed = 20201017;
    std::mt19937 random(kSeed);
    for (int i = 0; i < kCases; ++i) {
        const LaneOffsets lanes = random_lanes(random);
        const AccessGranularity g = random_granularity(random);
        const Address base = 0x100000 + random() % 4096;
        const LaneAccess expected = naive_global(lanes, base, g);
        const LaneAccess got = coalesce_global(lanes, base, g);
        ASSERT_EQ(text_of(got), text_of(expected)) << "case " << i << " of seed " << kSeed;
        ASSERT_EQ(got.bytes, expected.bytes) << "case " << i << " of seed " << kSeed;
        ASSERT_EQ(coalesce_shared(lanes, base, g).wavefronts,
                  naive_wavefronts(lanes, base, g.shared_memory_banks))
            << "case " << i << " of seed " << kSeed;
    }
}

/// Precondition of LaneAccessTable: results are the same for bases that are equal modulo the
/// alignment.
TEST(Coalescer, RepeatsWithTheAlignment) {
    constexpr std::uint32_t kSeed = 7;
    std::mt19937 random(kSeed);
    for (int i = 0; i < 1000; ++i) {
        const LaneOffsets lanes = random_lanes(random);
        const AccessGranularity g = random_granularity(random);
        const Address base = 0x100000 + random() % 4096;
        const Address moved = base + g.alignment_bytes() * (1 + random() % 100);
        ASSERT_EQ(global(lanes, moved, g), global(lanes, base, g)) << "case " << i;
        ASSERT_EQ(coalesce_shared(lanes, moved, g).wavefronts,
                  coalesce_shared(lanes, base, g).wavefronts)
            << "case " << i;
    }
}

TEST(Coalescer, AnyNumberOfBanksHasAnAlignment) {
    const AccessGranularity odd{128, 32, 141};
    EXPECT_EQ(odd.alignment_bytes() % odd.line_bytes, 0U);
    EXPECT_EQ(odd.alignment_bytes() % (odd.shared_memory_banks * 4), 0U);
}

}  // namespace
}  // namespace tessera
