// Testbench of the bitmap im2col of implicit sparse convolutions.
#include <fmt/format.h>
#include <algorithm>
#include <memory>

#include "sc_models/cosim/bitmap_im2col_rtl.h"
#include "sc_models/pins/bitmap_im2col_pins.h"
#include "testbenches/bitmap_im2col/figure11.h"
#include "testbenches/bitmap_im2col/im2col_checker.h"
#include "testbenches/bitmap_im2col/planted_im2col.h"
#include "testbenches/harness/pin_block.h"
#include "testbenches/harness/testbench.h"

using namespace tessera;
using namespace tessera::testbench;

namespace {

constexpr std::uint64_t kWordEnd = std::uint64_t{1} << 32U;
constexpr std::uint64_t kNumberEnd = 128;  ///< of the pins for lengths
constexpr std::uint32_t kDrainEvery = 32;  ///< rows

enum : std::size_t { kCycle, kBitmap, kLength, kFilter, kStride, kBase };

Description description() {
    Description d;
    d.name = "bitmap_im2col";
    d.module = "bitmap im2col: lowers rows of a sparse feature map to columns";
    d.operation = "rows";
    d.count = 5'000;
    d.has_timing = false;
    d.implementations = block_implementations();
    d.columns = {{"cycle", Column::Kind::kNumber, "earliest cycle"},
                 {"bitmap", Column::Kind::kAddress, "bit c: element c is not zero"},
                 {"length", Column::Kind::kNumber, "elements, with the padding"},
                 {"filter", Column::Kind::kNumber, "columns of the filter"},
                 {"stride", Column::Kind::kNumber, "1 or 2"},
                 {"base", Column::Kind::kAddress, "address of the row's first value"}};
    d.errors = {{"stuck_element", "element 63 of a row is always zero"},
                {"wrong_address", "bit 4 of the address is stuck at 0"},
                {"counts_all", "values between the outputs count, too"},
                {"lost_column", "every 64th column is lost"},
                {"late_column", "the first column of each row is one cycle late"}};
    d.examples = {{"figure11", "a 3x6 map gives a 4x9 lowered map (IV-B, Figure 11)"}};
    d.view = "bitmap_im2col_testbench.gtkw";
    return d;
}
const Description kDescription = description();

/// Bitmap im2col beside plain loops over the elements.
class Im2colTestbench final : public Testbench {
public:
    explicit Im2colTestbench(Session& session)
        : session_(session),
          driver_(session,
                  make_block<pins::BitmapIm2colBlock, BitmapIm2colRtl, BitmapIm2col, PlantedIm2col>(
                      session)),
          checker_(session, driver_) {}

    void run_example(const std::string& /*name*/) override {
        driver_.receive_always();
        Figure11(session_, [this](const MapRow& row) -> const RowResult& {
            return checker_.play(row, next_at_++);
        }).run();
    }

private:
    void play_directed() override;
    void play_random() override;
    void play_file(const Stimulus& stimulus) override;
    [[nodiscard]] MapRow draw();
    void issue(const MapRow& row) { checker_.issue(row, next_at_++); }

    Session& session_;
    Im2colDriver driver_;
    Im2colChecker checker_;
    Cycle next_at_ = 0;
};

/// Rows that do not fit, each element alone, rows of each length, and each filter over a full row.
void Im2colTestbench::play_directed() {
    constexpr std::uint64_t kFull = ~std::uint64_t{0};
    const auto play = [this](const MapRow& row) {
        checker_.play(row, next_at_++);
        ++session_.directed;
    };
    play({kFull, kMapRowBits, 0, 1, 5});
    play({kFull, 7, 8, 2, 5});
    play({kFull, kMapRowBits + 1, 3, 1, 5});
    play({kFull, kMapRowBits, 1, 1, 0});
    play({kFull, 9, 4, 1, kWordEnd - 2});  // the address wraps
    play({0, kMapRowBits, 3, 1, 0});
    for (std::uint32_t bit = 0; bit < kMapRowBits; ++bit) {
        for (const std::uint32_t stride : {1U, 2U}) {
            issue({std::uint64_t{1} << bit, kMapRowBits, 3, stride, 16});
            issue({kFull, bit + 1, std::min(3U, bit + 1), stride, bit});
            issue({kFull, kMapRowBits, bit + 1, stride, 1000});
            session_.directed += 3;
        }
        checker_.drain();
    }
}

/// Small filters over rows of any length; some do not fit.
MapRow Im2colTestbench::draw() {
    constexpr std::uint32_t kMostFilter = 7;
    MapRow row;
    row.bitmap = session_.below(kWordEnd) | session_.below(kWordEnd) << 32U;
    if (session_.below(2) == 0) row.bitmap &= session_.below(kWordEnd) << session_.below(33);
    row.length = static_cast<std::uint32_t>(1 + session_.below(kMapRowBits));
    row.filter = static_cast<std::uint32_t>(1 + session_.below(std::min(row.length, kMostFilter)));
    row.stride = static_cast<std::uint32_t>(1 + session_.below(2));
    row.base = static_cast<std::uint32_t>(session_.below(kWordEnd));
    if (session_.below(16) == 0)
        row.filter = static_cast<std::uint32_t>(session_.below(kNumberEnd));
    return row;
}

void Im2colTestbench::play_random() {
    for (std::uint64_t n = 0; n < session_.options().count; ++n) {
        if (session_.scoreboard.errors() > 0) break;
        issue(draw());
        if (session_.below(8) == 0) next_at_ += session_.below(100);
        if (session_.below(kDrainEvery) == 0) checker_.drain();
        ++session_.drawn;
    }
    checker_.drain();
}

void Im2colTestbench::play_file(const Stimulus& stimulus) {
    for (const StimulusRow& row : stimulus.rows()) {
        for (const std::size_t column : {kLength, kFilter}) {
            if (row[column] >= kNumberEnd) stimulus.fail(row, column, "expected 0 to 127");
        }
        if (row[kStride] < 1 || row[kStride] > 2) stimulus.fail(row, kStride, "expected 1 or 2");
        if (row[kBase] >= kWordEnd) stimulus.fail(row, kBase, "expected below 2^32");
        next_at_ = std::max(next_at_, row[kCycle]);
        issue({row[kBitmap], static_cast<std::uint32_t>(row[kLength]),
               static_cast<std::uint32_t>(row[kFilter]), static_cast<std::uint32_t>(row[kStride]),
               static_cast<std::uint32_t>(row[kBase])});
        ++session_.drawn;
    }
    checker_.drain();
}

}  // namespace

int sc_main(int argc, char** argv) {
    return run_testbench<Im2colTestbench>(argc, argv, kDescription);
}
