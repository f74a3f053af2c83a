// Testbench of the bitmap unit of the dual-side sparse tensor cores.
#include <fmt/format.h>
#include <algorithm>
#include <memory>

#include "sc_models/cosim/bitmap_unit_rtl.h"
#include "sc_models/pins/bitmap_unit_pins.h"
#include "testbenches/bitmap_unit/bitmap_checker.h"
#include "testbenches/bitmap_unit/figures.h"
#include "testbenches/bitmap_unit/planted_bitmap.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::uint64_t kWordEnd = std::uint64_t{1} << 32U;
constexpr std::uint32_t kDrainEvery = 32;  ///< tiles

enum : std::size_t { kCycle, kSet, kA, kB };

Description description() {
    Description d;
    d.name = "bitmap_unit";
    d.module = "bitmap unit of the tensor cores: counts non-zeros of a tile and issues its OHMMAs";
    d.operation = "tiles";
    d.count = 1'000;
    d.has_timing = false;
    d.implementations = block_implementations();
    d.columns = {{"cycle", Column::Kind::kNumber, "earliest cycle; lines of a cycle are one tile"},
                 {"k", Column::Kind::kNumber, "k-set, 0 to 15; others of the tile are empty"},
                 {"a", Column::Kind::kAddress, "bitmap of the column of A"},
                 {"b", Column::Kind::kAddress, "bitmap of the row of B"}};
    d.errors = {{"stuck_column", "column 31 of B is always zero"},
                {"wrong_offset", "bit 4 of the offset of A's values is stuck at 0"},
                {"lost_ohmma", "every 64th OHMMA is lost"},
                {"late_ohmma", "the first OHMMA of each tile is one cycle late"}};
    d.examples = {{"figure5", "20 by 11 non-zeros skip 5 of 8 OHMMAs (III-B3, Figure 5)"},
                  {"figure15", "POPC enables OHMMA 0, 2 and 4 of Set 4 (V-B1, Figure 15)"}};
    d.view = "bitmap_unit_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// Bitmap unit beside plain loops over the non-zeros.
class BitmapTestbench final : public Testbench {
public:
    explicit BitmapTestbench(Session& session)
        : session_(session),
          driver_(
              session,
              make_block<pins::BitmapUnitBlock, BitmapUnitRtl, BitmapUnit, PlantedBitmap>(session)),
          checker_(session, driver_) {}

    void run_example(const std::string& name) override {
        driver_.receive_always();
        BitmapFigures figures(session_, [this](const TileBitmaps& tile) -> const TileResult& {
            return checker_.play(tile, next_at_++);
        });
        name == "figure5" ? figures.figure5() : figures.figure15();
    }

private:
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    [[nodiscard]] TileBitmaps draw();
    [[nodiscard]] std::uint32_t draw_bitmap(std::uint32_t of_32);
    [[nodiscard]] std::uint32_t draw_count(std::uint32_t count);
    void issue(const TileBitmaps& tile) { checker_.issue(tile, next_at_++); }

    Session& session_;
    BitmapDriver driver_;
    BitmapChecker checker_;
    Cycle next_at_ = 0;
};

/// An empty tile and a full one, each bit alone, and each pair of counts.
void BitmapTestbench::play_directed() {
    TileBitmaps tile;
    checker_.play(tile, next_at_++);
    tile.a.fill(~0U);
    ++session_.directed;
    issue(tile);  // one side only
    tile.b.fill(~0U);
    checker_.drain();
    checker_.play(tile, next_at_++);
    session_.directed += 2;
    for (std::uint32_t bit = 0; bit < kTileSize; ++bit) {
        TileBitmaps one;
        one.a[bit % kTileDepth] = 1U << bit;
        one.b[bit % kTileDepth] = 1U << (kTileSize - 1 - bit);
        issue(one);
        ++session_.directed;
    }
    checker_.drain();
    constexpr std::uint32_t kCounts = kTileSize + 1;
    for (std::uint32_t pair = 0; pair < kCounts * kCounts;) {
        TileBitmaps counts;
        for (std::uint32_t k = 0; k < kTileDepth; ++k, ++pair) {
            counts.a[k] = draw_count(pair / kCounts % kCounts);
            counts.b[k] = draw_count(pair % kCounts);
        }
        issue(counts);
        ++session_.directed;
    }
    checker_.drain();
}

/// Returns `count` ones at random places.
std::uint32_t BitmapTestbench::draw_count(std::uint32_t count) {
    std::uint32_t bitmap = 0;
    while (static_cast<std::uint32_t>(__builtin_popcount(bitmap)) < count) {
        bitmap |= 1U << session_.below(kTileSize);
    }
    return bitmap;
}

std::uint32_t BitmapTestbench::draw_bitmap(std::uint32_t of_32) {
    std::uint32_t bitmap = 0;
    for (std::uint32_t place = 0; place < kTileSize; ++place) {
        if (session_.below(32) < of_32) bitmap |= 1U << place;
    }
    return bitmap;
}

/// Both sides have a density of their own, and some k-sets are empty.
TileBitmaps BitmapTestbench::draw() {
    constexpr std::array<std::uint32_t, 8> kDensities = {32, 31, 16, 8, 4, 2, 1, 0};
    const std::uint32_t a = kDensities[session_.below(kDensities.size())];
    const std::uint32_t b = kDensities[session_.below(kDensities.size())];
    TileBitmaps tile;
    for (std::uint32_t k = 0; k < kTileDepth; ++k) {
        if (session_.below(8) != 0) tile.a[k] = draw_bitmap(a);
        if (session_.below(8) != 0) tile.b[k] = draw_bitmap(b);
    }
    return tile;
}

void BitmapTestbench::play_random() {
    for (std::uint64_t n = 0; n < session_.options().count; ++n) {
        if (session_.scoreboard.errors() > 0) break;
        issue(draw());
        if (session_.below(8) == 0) next_at_ += session_.below(100);
        if (session_.below(kDrainEvery) == 0) checker_.drain();
        ++session_.drawn;
    }
    checker_.drain();
}

void BitmapTestbench::play_file(const Stimulus& stimulus) {
    const std::vector<StimulusRow>& rows = stimulus.rows();
    for (std::size_t n = 0; n < rows.size();) {
        const Cycle cycle = rows[n][kCycle];
        TileBitmaps tile;
        std::uint32_t sets = 0;
        for (; n < rows.size() && rows[n][kCycle] == cycle; ++n) {
            const StimulusRow& row = rows[n];
            if (row[kSet] >= kTileDepth) stimulus.fail(row, kSet, "expected 0 to 15");
            if ((sets >> row[kSet] & 1U) != 0) {
                stimulus.fail(row, kSet, "stands twice in the tile of this cycle");
            }
            for (const std::size_t column : {kA, kB}) {
                if (row[column] >= kWordEnd) stimulus.fail(row, column, "expected below 2^32");
            }
            sets |= 1U << row[kSet];
            tile.a[row[kSet]] = static_cast<std::uint32_t>(row[kA]);
            tile.b[row[kSet]] = static_cast<std::uint32_t>(row[kB]);
        }
        next_at_ = std::max(next_at_, cycle);
        issue(tile);
        ++session_.drawn;
    }
    checker_.drain();
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<BitmapTestbench>(argc, argv, kDescription);
}
