// Do the tags replace the right line, and keep each sector's state?
#include "sc_models/memory/core/sector_tags.h"

#include <gtest/gtest.h>

#include <list>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

using namespace tessera;

namespace {

/// A cache as a list of lines a set, most recently used or, with FIFO, filled first.
class NaiveTags {
public:
    struct Line {
        LineNumber number;
        SectorMask valid, dirty;
    };
    NaiveTags(std::uint32_t sets, std::uint32_t ways, Replacement replacement)
        : sets_(sets), ways_(ways), replacement_(replacement) {}

    SectorMask probe(std::uint32_t set, LineNumber number) {
        auto& lines = sets_[set];
        for (auto it = lines.begin(); it != lines.end(); ++it) {
            if (it->number != number) continue;
            const SectorMask valid = it->valid;
            if (replacement_ == Replacement::kLru) lines.splice(lines.begin(), lines, it);
            return valid;
        }
        return 0;
    }
    SectorTags::Victim fill(std::uint32_t set, LineNumber number, SectorMask sectors,
                            SectorMask dirty) {
        auto& lines = sets_[set];
        SectorTags::Victim victim;
        if (probe(set, number) == 0) {
            if (lines.size() == ways_) {
                victim = {lines.back().number, lines.back().valid, lines.back().dirty};
                lines.pop_back();
            }
            lines.push_front({number, 0, 0});
        }
        find(set, number)->valid |= sectors;
        find(set, number)->dirty |= dirty;
        return victim;
    }
    Line* find(std::uint32_t set, LineNumber number) {
        for (Line& line : sets_[set]) {
            if (line.number == number) return &line;
        }
        return nullptr;
    }
    void invalidate() {
        for (auto& set : sets_) set.clear();
    }

private:
    std::vector<std::list<Line>> sets_;
    std::size_t ways_;
    Replacement replacement_;
};

struct Shape {
    std::uint32_t sets, ways;
    IndexHash hash;
    Replacement replacement = Replacement::kLru;
};

class SectorTagsProperty : public testing::TestWithParam<Shape> {};

TEST_P(SectorTagsProperty, AgreesWithLists) {
    const Shape shape = GetParam();
    constexpr std::uint32_t kSeed = 4242;
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    std::mt19937_64 random(kSeed);
    SectorTags tags(shape.sets, shape.ways, shape.hash, shape.replacement);
    NaiveTags naive(shape.sets, shape.ways, shape.replacement);
    const std::uint64_t lines = 3ULL * shape.sets * shape.ways / 2 + 2;
    for (int i = 0; i < 250'000; ++i) {
        const LineNumber line = random() % lines;
        const std::uint32_t set = tags.set_of(line);
        ASSERT_LT(set, shape.sets);
        const auto sectors = static_cast<SectorMask>(1U << random() % 4);
        switch (random() % 4) {
            case 0:
                ASSERT_EQ(tags.probe(line), naive.probe(set, line)) << "operation " << i;
                break;
            case 1: {
                const SectorMask dirty = random() % 2 == 0 ? sectors : SectorMask{0};
                const auto got = tags.fill(line, sectors, dirty);
                const auto expected = naive.fill(set, line, sectors, dirty);
                ASSERT_EQ(got.valid, expected.valid) << "operation " << i;
                if (expected.valid != 0) {
                    ASSERT_EQ(got.line, expected.line) << "operation " << i;
                    ASSERT_EQ(got.dirty, expected.dirty) << "operation " << i;
                }
                break;
            }
            case 2: {
                NaiveTags::Line* there = naive.find(set, line);
                ASSERT_EQ(tags.valid(line), there == nullptr ? 0 : there->valid);
                ASSERT_EQ(tags.dirty(line), there == nullptr ? 0 : there->dirty);
                if (there != nullptr && (there->valid & sectors) != 0) {
                    tags.mark_dirty(line, sectors);
                    there->dirty |= sectors;
                    naive.probe(set, line);
                } else {
                    ASSERT_THROW(tags.mark_dirty(line, sectors), std::logic_error);
                    naive.probe(set, line);
                }
                break;
            }
            default:
                if (random() % 10'000 == 0) {
                    tags.invalidate();
                    naive.invalidate();
                }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SectorTagsProperty,
    testing::Values(Shape{64, 4, IndexHash::kNone}, Shape{64, 4, IndexHash::kXor},
                    Shape{32, 24, IndexHash::kXor}, Shape{48, 3, IndexHash::kNone},
                    Shape{48, 3, IndexHash::kXor}, Shape{1, 64, IndexHash::kXor},
                    Shape{1, 1, IndexHash::kNone},
                    Shape{32, 24, IndexHash::kXor, Replacement::kFifo},
                    Shape{48, 3, IndexHash::kNone, Replacement::kFifo}));

TEST(SectorTags, WithoutHashNeighboursAreInNeighbouringSets) {
    const SectorTags tags(48, 2, IndexHash::kNone);
    for (LineNumber line = 0; line < 200; ++line) EXPECT_EQ(tags.set_of(line), line % 48);
}

TEST(SectorTags, HashSpreadsAPowerOfTwoStride) {
    for (const std::uint32_t sets : {64U, 48U}) {
        const SectorTags tags(sets, 4, IndexHash::kXor);
        std::set<std::uint32_t> used;
        for (LineNumber i = 0; i < 64; ++i) used.insert(tags.set_of(i * 64));
        EXPECT_GE(used.size(), sets / 2) << sets << " sets";
    }
}

TEST(SectorTags, ImpossibleGeometryIsRefused) {
    EXPECT_THROW(SectorTags(0, 4, IndexHash::kNone), std::logic_error);
    EXPECT_THROW(SectorTags(4, 0, IndexHash::kNone), std::logic_error);
    EXPECT_THROW(SectorTags(4, 65, IndexHash::kNone), std::logic_error);
    SectorTags tags(4, 4, IndexHash::kNone);
    EXPECT_THROW(tags.fill(SectorTags::kMaxLine, 1, 0), std::logic_error);
    EXPECT_EQ(tags.probe(SectorTags::kMaxLine), 0U);
}

}  // namespace
