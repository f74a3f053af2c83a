// Do equal ids mean equal data, and equal data equal ids, at every granularity?
#include <gtest/gtest.h>

#include <map>

#include "sc_models/common/error.h"
#include "sc_models/duplo/id_generator.h"
#include "sc_models/duplo/load_history_buffer.h"
#include "tests/support/duplo_layers.h"

namespace tessera::test {
namespace {

struct Findings {
    std::uint64_t groups = 0;      ///< with an id
    std::uint64_t duplicates = 0;  ///< whose id was there already
    std::uint64_t wrong = 0;       ///< equal ids, other data
    std::uint64_t missed = 0;      ///< equal data, another id
};

/// All fragments of the workspace at 16-row steps through a first-come dictionary; `mutate` may
/// spoil the ids.
template <class Mutate>
Findings check_ids(const LoweredGeometry& g, IdFormula formula, std::uint32_t group_rows,
                   Mutate mutate) {
    IdGenerator generator;
    generator.program(ConvolutionPacket::make(g), formula);
    const std::vector<Chunk> chunks = workspace_chunks(g);
    const std::uint32_t rows = g.n_chunks / g.row_pitch_chunks;
    using Content = std::vector<std::uint64_t>;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Content> data_of;
    std::map<Content, std::pair<std::uint64_t, std::uint64_t>> id_of;
    Findings findings;
    std::array<DataId, kFragmentRows> ids;
    for (std::uint32_t row = 0; row < rows; row += kFragmentRows) {
        for (std::uint32_t kc = 0; kc < g.row_pitch_chunks; ++kc) {
            generator.generate(g.base + (Address{row} * g.row_pitch_chunks + kc) * 32,
                               g.row_pitch_chunks * 32, group_rows, ids.data());
            for (std::uint32_t i = 0; i < kFragmentRows / group_rows; ++i) {
                if (!ids[i].valid()) {
                    continue;
                }
                const LhbKey key = LhbKey::make(mutate(ids[i]), 0, 0);
                Content content;
                for (std::uint32_t r = 0; r < group_rows; ++r) {
                    const Chunk& chunk =
                        chunks[std::size_t{row + i * group_rows + r} * g.row_pitch_chunks + kc];
                    content.insert(content.end(), chunk.begin(), chunk.end());
                }
                ++findings.groups;
                const auto id = std::make_pair(key.low, key.high);
                const auto [known, fresh] = data_of.try_emplace(id, content);
                findings.duplicates += fresh ? 0 : 1;
                findings.wrong += known->second != content ? 1 : 0;
                const auto [first, unseen] = id_of.try_emplace(content, id);
                findings.missed += !unseen && first->second != id ? 1 : 0;
            }
        }
    }
    return findings;
}

DataId as_is(const DataId& id) {
    return id;
}

TEST(IdGenerator, RowsOfRandomLayersAreExact) {
    constexpr std::uint64_t kSeed = 16;
    std::mt19937_64 rng(kSeed);
    std::uint64_t duplicates = 0;
    for (int i = 0; i < 450; ++i) {
        const LoweredGeometry g = random_layer(rng, static_cast<Channels>(i % 3));
        const Findings f = check_ids(g, IdFormula::kCorrected, 1, as_is);
        ASSERT_EQ(f.wrong, 0u) << "seed " << kSeed << ", layer " << i;
        ASSERT_EQ(f.missed, 0u) << "seed " << kSeed << ", layer " << i;
        duplicates += f.duplicates;
    }
    EXPECT_GT(duplicates, 10000u);
}

TEST(IdGenerator, GroupsOfRandomLayersAreSafe) {
    constexpr std::uint64_t kSeed = 17;
    std::mt19937_64 rng(kSeed);
    std::uint64_t duplicates = 0;
    for (int i = 0; i < 600; ++i) {
        const LoweredGeometry g = random_layer(rng, static_cast<Channels>(i % 3));
        for (const std::uint32_t rows : {8u, 16u}) {
            const Findings f = check_ids(g, IdFormula::kCorrected, rows, as_is);
            ASSERT_EQ(f.wrong, 0u)
                << "seed " << kSeed << ", layer " << i << ", " << rows << " rows";
            duplicates += f.duplicates;
        }
    }
    EXPECT_GT(duplicates, 100u);
}

LoweredGeometry deep_layer(std::uint32_t size) {
    return lower(2, size, size, 16, 3, 3, 1, 1, false, Channels::kPad16);
}

/// Two groups agree in their first row and not in the rest where one wraps: "presence of a tile
/// element implies the entire tile" is wrong there.
TEST(IdGenerator, CheckerCatchesTilesKnownByTheirFirstRow) {
    const auto naive = [](DataId id) {
        id.extra = 0;
        return id;
    };
    for (const std::uint32_t size : {7u, 14u}) {
        EXPECT_GT(check_ids(deep_layer(size), IdFormula::kCorrected, 16, naive).wrong, 0u);
        EXPECT_EQ(check_ids(deep_layer(size), IdFormula::kCorrected, 16, as_is).wrong, 0u);
    }
}

/// Rows 8 to 11 of an output row and the next one's 12, which end the image, against the same data
/// a row of the output before and a row of the filter on; and both a row on, where the first goes
/// over into the next image.
TEST(IdGenerator, AGroupThatEndsWithItsImageIsKnownByItsData) {
    const LoweredGeometry g = deep_layer(12);
    ASSERT_EQ(g.row_pitch_chunks, 9u) << "three chunks a row of the filter";
    IdGenerator generator;
    generator.program(ConvolutionPacket::make(g), IdFormula::kCorrected);
    const auto key = [&](std::uint32_t row, std::uint32_t filter_row) {
        std::array<DataId, kFragmentRows> ids;
        generator.generate(g.base + (Address{row} * 9 + filter_row * 3) * 32, 9 * 32, 16,
                           ids.data());
        EXPECT_TRUE(ids[0].valid()) << row;
        const LhbKey made = LhbKey::make(ids[0], 0, 0);
        return std::make_pair(made.low, made.high);
    };
    constexpr std::uint32_t kImageRows = 12 * 12;
    EXPECT_EQ(key(kImageRows - 16, 0), key(kImageRows - 16 - 12, 1));
    EXPECT_NE(key(kImageRows - 15, 0), key(kImageRows - 15 - 12, 1));
}

TEST(IdGenerator, CheckerCatchesPrintedFormulasAndNarrowTags) {
    const LoweredGeometry padded = deep_layer(14);
    EXPECT_GT(check_ids(padded, IdFormula::kPaper, 1, as_is).wrong, 0u);
    EXPECT_GT(check_ids(padded, IdFormula::kNotes, 1, as_is).wrong, 0u);
    const LoweredGeometry strided = lower(1, 15, 15, 16, 3, 3, 0, 2, false, Channels::kPad16);
    EXPECT_GT(check_ids(strided, IdFormula::kPaper, 1, as_is).wrong, 0u);
    EXPECT_EQ(check_ids(strided, IdFormula::kNotes, 1, as_is).wrong, 0u);
    // Without padding they are right for a row, but nothing pins where the rows of a group end.
    const LoweredGeometry plain = lower(1, 9, 9, 16, 3, 3, 0, 1, false, Channels::kPad16);
    EXPECT_EQ(check_ids(plain, IdFormula::kNotes, 1, as_is).wrong, 0u);
    EXPECT_GT(check_ids(plain, IdFormula::kNotes, 16, as_is).wrong, 0u);
    EXPECT_EQ(check_ids(plain, IdFormula::kCorrected, 16, as_is).wrong, 0u);
    const auto narrow = [](DataId id) {
        id.element &= 0x7ff;  // 16 * 16 * 16 halves need 12 bits
        return id;
    };
    EXPECT_GT(check_ids(padded, IdFormula::kCorrected, 1, narrow).wrong, 0u);
    const auto one_image = [](DataId id) {
        id.batch = 0;
        return id;
    };
    EXPECT_GT(check_ids(padded, IdFormula::kCorrected, 1, one_image).wrong, 0u);
}

/// Against all chunks of an image: whether one further along k has the same id.
TEST(IdGenerator, ReportsWhetherAValueRecurs) {
    constexpr std::uint64_t kSeed = 21;
    std::mt19937_64 rng(kSeed);
    std::uint64_t recurring = 0, last = 0;
    for (int i = 0; i < 600; ++i) {
        const LoweredGeometry g = random_layer(rng, static_cast<Channels>(i % 3));
        for (const std::uint32_t rows : {1u, 8u, 16u}) {
            IdGenerator generator;
            generator.program(ConvolutionPacket::make(g), IdFormula::kCorrected, true);
            // Groups of an image start at multiples of their rows from its first, as `recurs` takes
            // it.
            const std::uint32_t image_rows = g.output_height * g.output_width;
            const std::uint32_t images = g.n_chunks / g.row_pitch_chunks / image_rows;
            for (std::uint32_t image = 0; image < images; ++image) {
                struct ChunkPlace {
                    std::uint32_t column;
                    DataId id;
                };
                std::vector<ChunkPlace> places;
                std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> last_column;
                for (std::uint32_t row = 0; row + rows <= image_rows; row += rows) {
                    for (std::uint32_t kc = 0; kc < g.row_pitch_chunks; ++kc) {
                        std::array<DataId, kFragmentRows> ids;
                        const Address chunk =
                            Address{image * image_rows + row} * g.row_pitch_chunks + kc;
                        generator.generate(g.base + chunk * 32, g.row_pitch_chunks * 32, rows,
                                           ids.data());
                        if (!ids[0].valid()) continue;
                        const LhbKey key = LhbKey::make(ids[0], 0, 0);
                        std::uint32_t& at = last_column[{key.low, key.high}];
                        at = std::max(at, kc);
                        places.push_back({kc, ids[0]});
                    }
                }
                for (const ChunkPlace& place : places) {
                    const LhbKey key = LhbKey::make(place.id, 0, 0);
                    const bool recurs = last_column[{key.low, key.high}] > place.column;
                    ASSERT_EQ(place.id.recurs, recurs)
                        << "seed " << kSeed << ", layer " << i << ", " << rows << " rows, column "
                        << place.column;
                    ++(recurs ? recurring : last);
                }
            }
        }
    }
    EXPECT_GT(recurring, 10000U);
    EXPECT_GT(last, 10000U);
}

/// Which chunks bypass: exactly those of dense filter rows whose halves do not follow each other in
/// the input. The zero rule: exactly the chunks without a real pixel, except behind an image's end.
TEST(IdGenerator, CrossingAndZeroChunks) {
    constexpr std::uint64_t kSeed = 18;
    std::mt19937_64 rng(kSeed);
    std::uint64_t crossing = 0, zeros = 0;
    for (int i = 0; i < 600; ++i) {
        LoweredGeometry g = random_layer(rng, static_cast<Channels>(i % 3));
        g.zero_rule = true;
        IdGenerator generator;
        generator.program(ConvolutionPacket::make(g), IdFormula::kCorrected);
        const std::vector<Chunk> chunks = workspace_chunks(g);
        const std::uint64_t width = g.input_width + 2 * g.pad;
        const std::uint64_t height = g.input_height + 2 * g.pad;
        std::array<DataId, kFragmentRows> ids;
        for (std::uint32_t c = 0; c < g.n_chunks; ++c) {
            generator.generate(g.base + Address{c} * 32, g.row_pitch_chunks * 32, 1, ids.data());
            const Chunk& chunk = chunks[c];
            bool follows = chunk[15] != kZeroHalf;
            bool zero = true;
            const std::uint64_t image = chunk[0] / (width * height * g.channels);
            for (std::uint32_t h = 0; h < 16; ++h) {
                follows = follows && chunk[h] == chunk[0] + h;
                const std::uint64_t pixel = chunk[h] / g.channels;
                const std::uint64_t in_image = pixel % (width * height);
                zero = zero && pixel / (width * height) == image &&
                       !real_pixel(g, static_cast<std::uint32_t>(in_image / width),
                                   static_cast<std::uint32_t>(in_image % width));
            }
            // A filter as wide as the input goes on at once in the next row: still treated as
            // crossing.
            if (ids[0].bypass == BypassReason::kCrossing && g.filter_width == width) {
                continue;
            }
            ASSERT_EQ(ids[0].valid(), follows)
                << "seed " << kSeed << ", layer " << i << ", chunk " << c;
            crossing += ids[0].bypass == BypassReason::kCrossing ? 1 : 0;
            if (ids[0].valid()) {
                ASSERT_EQ(ids[0].zero, zero)
                    << "seed " << kSeed << ", layer " << i << ", chunk " << c;
                zeros += zero ? 1 : 0;
            }
        }
    }
    EXPECT_GT(crossing, 1000u);
    EXPECT_GT(zeros, 1000u);
}

/// Stepping down a fragment gives what dividing each row gives.
TEST(IdGenerator, SteppingAgreesWithDivision) {
    std::mt19937_64 rng(19);
    for (int i = 0; i < 300; ++i) {
        LoweredGeometry g = random_layer(rng, static_cast<Channels>(i % 3));
        g.zero_rule = i % 2 == 0;
        g.n_chunks += g.row_pitch_chunks * 20;  // padded M
        for (const IdFormula formula :
             {IdFormula::kPaper, IdFormula::kNotes, IdFormula::kCorrected}) {
            IdGenerator generator;
            generator.program(ConvolutionPacket::make(g), formula);
            const Address first = g.base + rng() % g.n_chunks * 32;
            const std::uint32_t pitch = g.row_pitch_chunks * 32;
            std::array<DataId, kFragmentRows> stepped, divided;
            generator.generate(first, pitch, 1, stepped.data());
            for (std::uint32_t r = 0; r < kFragmentRows; ++r) {
                generator.generate(first + Address{r} * pitch, pitch + 32, 1, divided.data());
                EXPECT_EQ(stepped[r].bypass, divided[0].bypass);
                EXPECT_EQ(stepped[r].zero, divided[0].zero);
                if (stepped[r].valid()) {
                    EXPECT_EQ(stepped[r].element, divided[0].element);
                    EXPECT_EQ(stepped[r].batch, divided[0].batch);
                }
            }
        }
    }
}

/// From a filter row to the next: a row of the padded input, or, as printed, of the unpadded one.
TEST(IdGenerator, APitchOfTheWorkspaceIsNotCutTo32Bits) {
    ConvolutionPacket packet;
    packet.base = 0x10000;
    packet.padded_width = packet.padded_height = 6;
    packet.output_height = packet.output_width = 4;
    packet.channels = 64;
    packet.filter_height = 3;
    packet.filter_row = 12;
    packet.row_pitch_chunks = (1U << 27) + 36;
    packet.n_chunks = 16 * packet.row_pitch_chunks;
    IdGenerator generator;
    generator.program(packet, IdFormula::kCorrected);
    constexpr std::uint32_t kPitch = 36 * 32;  // of the load: the lower 32 bits of the packet's
    std::array<DataId, kFragmentRows> together;
    std::array<DataId, kFragmentRows> alone;
    generator.generate(packet.base, kPitch, 1, together.data());
    for (std::uint32_t r = 0; r < kFragmentRows; ++r) {
        generator.generate(packet.base + Address{r} * kPitch, 32, 1, alone.data());
        EXPECT_EQ(together[r].bypass, alone[0].bypass) << "row " << r;
    }
    EXPECT_EQ(together[0].bypass, BypassReason::kNone);
    EXPECT_EQ(together[1].bypass, BypassReason::kRowTail);
}

TEST(IdGenerator, PrintedFormulasTakeTheUnpaddedWidth) {
    const LoweredGeometry g = deep_layer(14);
    const auto step = [&g](IdFormula formula) {
        IdGenerator generator;
        generator.program(ConvolutionPacket::make(g), formula);
        std::array<DataId, kFragmentRows> first, below;
        generator.generate(g.base, g.row_pitch_chunks * 32, 1, first.data());
        generator.generate(g.base + 3 * 32, g.row_pitch_chunks * 32, 1, below.data());
        return below[0].element - first[0].element;
    };
    EXPECT_EQ(step(IdFormula::kCorrected), 16u * 16u);
    EXPECT_EQ(step(IdFormula::kNotes), 14u * 16u);
    EXPECT_EQ(step(IdFormula::kPaper), 14u * 16u);
}

TEST(IdGenerator, RefusesWhatIsNotWorkspace) {
    LoweredGeometry g = deep_layer(7);  // 98 rows of 9 chunks
    g.n_chunks = 112 * g.row_pitch_chunks;
    IdGenerator generator;
    generator.program(ConvolutionPacket::make(g), IdFormula::kCorrected);
    const std::uint32_t pitch = g.row_pitch_chunks * 32;
    std::array<DataId, kFragmentRows> ids;
    const auto reason = [&](Address address, std::uint32_t row_pitch, std::uint32_t rows,
                            std::uint32_t group) {
        generator.generate(address, row_pitch, rows, ids.data());
        return ids[group].bypass;
    };
    const Address end = g.base + Address{g.n_chunks} * 32;
    EXPECT_EQ(reason(g.base, pitch, 1, 0), BypassReason::kNone);
    EXPECT_EQ(reason(g.base - 32, pitch, 1, 0), BypassReason::kOutsideWorkspace);
    EXPECT_EQ(reason(g.base - pitch, pitch, 1, 1), BypassReason::kNone);
    EXPECT_EQ(reason(end, pitch, 1, 0), BypassReason::kOutsideWorkspace);
    EXPECT_EQ(reason(end - pitch, pitch, 1, 1), BypassReason::kOutsideWorkspace);
    EXPECT_EQ(reason(g.base + 16, pitch, 1, 0), BypassReason::kUnaligned);
    EXPECT_EQ(reason(g.base + Address{97} * pitch, pitch, 1, 0), BypassReason::kNone);
    EXPECT_EQ(reason(g.base + Address{97} * pitch, pitch, 1, 1), BypassReason::kBatchTail);
    EXPECT_EQ(reason(g.base + Address{82} * pitch, pitch, 16, 0), BypassReason::kNone);
    EXPECT_EQ(reason(g.base + Address{83} * pitch, pitch, 16, 0), BypassReason::kBatchTail);
    EXPECT_EQ(reason(g.base + Address{97} * pitch, pitch, 16, 0), BypassReason::kOutsideWorkspace);
    EXPECT_EQ(reason(g.base, pitch + 32, 16, 0), BypassReason::kPitch);
    // K padding behind the last filter row.
    g.row_pitch_chunks = 12;
    g.n_chunks = 112 * 12;
    generator.program(ConvolutionPacket::make(g), IdFormula::kCorrected);
    EXPECT_EQ(reason(g.base + 8 * 32, 12 * 32, 1, 0), BypassReason::kNone);
    EXPECT_EQ(reason(g.base + 9 * 32, 12 * 32, 1, 0), BypassReason::kRowTail);
}

/// Ids have 48 bits. 2^12 columns of 2^15 channels, 511 images with 171 outputs a row, 24 columns
/// apart: (511 * 171 * 24 + 8) * 2^27 = 2^48 with 8 filter rows, a little less with 7.
TEST(IdGenerator, RefusesIdsOf49Bits) {
    const auto layer = [](std::uint32_t filter_height) {
        return ConvolutionPacket::make(lower(511, filter_height, 4096, 32768, filter_height, 1, 0,
                                             24, false, Channels::kPad16));
    };
    IdGenerator generator;
    ASSERT_EQ(layer(8).output_width, 171u);
    EXPECT_NO_THROW(generator.program(layer(7), IdFormula::kCorrected));
    EXPECT_THROW(generator.program(layer(8), IdFormula::kCorrected), ConfigError);
}

struct ChannelRow {
    const char* layer;
    std::uint32_t channels;
    bool dense;
    double crossing, limit;  ///< percent
};

/// Chunks that cross filter rows, and the share of loads a dictionary without limit finds safely,
/// for the three layers of 3 channels (values: measured once with an independent prototype).
TEST(IdGenerator, ChannelRulesOfTheThreeChannelLayers) {
    constexpr ChannelRow kRows[] = {
        {"ResNet C1", 3, true, 70.0, 0.0},  {"ResNet C1", 3, false, 0.0, 70.8},
        {"ResNet C1", 4, true, 46.2, 53.1}, {"ResNet C1", 4, false, 0.0, 85.1},
        {"ResNet C1", 8, true, 16.0, 83.6}, {"ResNet C1", 8, false, 0.0, 92.5},
        {"GAN C1", 3, true, 100.0, 0.0},    {"GAN C1", 3, false, 0.0, 58.1},
        {"GAN C1", 4, true, 57.1, 13.4},    {"GAN C1", 4, false, 0.0, 77.8},
        {"GAN C1", 8, true, 23.1, 67.8},    {"GAN C1", 8, false, 0.0, 85.2},
        {"YOLO C1", 3, true, 100.0, 0.0},   {"YOLO C1", 3, false, 0.0, 66.4},
        {"YOLO C1", 4, true, 100.0, 0.0},   {"YOLO C1", 4, false, 0.0, 66.4},
        {"YOLO C1", 8, true, 40.0, 39.7},   {"YOLO C1", 8, false, 0.0, 83.0}};
    for (const ChannelRow& expected : kRows) {
        for (Table1Layer layer : table1_layers()) {
            if (layer.name != expected.layer) {
                continue;
            }
            layer.channels = expected.channels;
            // One image: images share no data.
            const LoweredGeometry g =
                lower(layer, expected.dense ? Channels::kDense : Channels::kFilterRow, 1);
            IdGenerator generator;
            generator.program(ConvolutionPacket::make(g), IdFormula::kCorrected);
            tsl::robin_map<LhbKey, bool, LhbKeyHash> seen;
            std::uint64_t crossing = 0, hits = 0;
            std::array<DataId, kFragmentRows> ids;
            const std::uint32_t rows = g.n_chunks / g.row_pitch_chunks;
            for (std::uint32_t row = 0; row < rows; row += kFragmentRows) {
                for (std::uint32_t kc = 0; kc < g.row_pitch_chunks; ++kc) {
                    generator.generate(g.base + (Address{row} * g.row_pitch_chunks + kc) * 32,
                                       g.row_pitch_chunks * 32, 1, ids.data());
                    for (std::uint32_t r = 0; r < std::min(kFragmentRows, rows - row); ++r) {
                        if (!ids[r].valid()) {
                            ++crossing;
                        } else {
                            hits += seen.insert({LhbKey::make(ids[r], 0, 0), true}).second ? 0 : 1;
                        }
                    }
                }
            }
            EXPECT_NEAR(100.0 * static_cast<double>(crossing) / g.n_chunks, expected.crossing,
                        0.0501)
                << expected.layer << " " << expected.channels << (expected.dense ? " dense" : "");
            const double limit = 100.0 * static_cast<double>(hits) / g.n_chunks;
            if (expected.dense) {
                // The limit there also counts crossing chunks that cross at the same offset; those
                // bypass.
                EXPECT_LE(limit, expected.limit + 0.0501) << expected.layer << expected.channels;
            } else {
                EXPECT_NEAR(limit, expected.limit, 0.0501) << expected.layer << expected.channels;
            }
        }
    }
}

}  // namespace
}  // namespace tessera::test
