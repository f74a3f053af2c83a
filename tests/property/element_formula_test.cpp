// Do the printed formulas err exactly as much as expected, and the corrected one never?
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "sc_models/duplo/element_formula.h"
#include "tests/support/duplo_layers.h"

namespace tessera::test {
namespace {

struct Errors {
    std::uint64_t halves = 0;
    std::uint64_t false_positives = 0;  ///< another half's data returned
    std::uint64_t false_negatives = 0;  ///< a duplicate not recognised
};

double percent(std::uint64_t part, std::uint64_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// First-come dictionary without limit over the whole workspace.
///
/// Ids of different images never meet (each formula's batch part changes where an image starts),
/// and within an image they only shift by a constant, because the rows before it are a multiple of
/// every divisor. So the percentages of one image are those of any batch.
template <class Formula>
Errors count_errors(const LoweredGeometry& g, const Formula& formula) {
    constexpr std::uint32_t kNone = ~0u;
    Errors errors;
    const std::uint32_t width = g.input_width + 2 * g.pad;
    const std::uint32_t height = g.input_height + 2 * g.pad;
    std::vector<std::uint8_t> seen(std::size_t{g.batch} * height * width * g.channels, 0);
    std::vector<std::uint32_t> first_come;  // id above the batch part's lowest -> who came first
    std::uint64_t batch = ~std::uint64_t{0};
    std::uint64_t lowest = 0;
    std::uint32_t index = 0;
    for_each_half(g, [&](std::uint32_t b, std::uint32_t iy, std::uint32_t ix, std::uint32_t c) {
        const std::uint32_t truth = ((b * height + iy) * width + ix) * g.channels + c;
        const auto id = formula(index);
        if (id.batch != batch) {
            batch = id.batch;
            lowest = formula.lower_bound(index / formula.row_length());
            std::fill(first_come.begin(), first_come.end(), kNone);
        }
        const std::uint64_t key = id.element - lowest;
        if (key >= first_come.size()) {
            first_come.resize(key + key / 2 + 1, kNone);
        }
        if (first_come[key] == kNone) {
            errors.false_negatives += seen[truth];
            first_come[key] = truth;
        } else if (first_come[key] != truth) {
            ++errors.false_positives;
        }
        seen[truth] = 1;
        ++index;
    });
    errors.halves = index;
    return errors;
}

struct Column {
    IdFormula formula;
    FormulaReading reading;
};
constexpr std::array<Column, 5> kColumns{{{IdFormula::kPaper, FormulaReading::kLiteral},
                                          {IdFormula::kNotes, FormulaReading::kLiteral},
                                          {IdFormula::kPaper, FormulaReading::kCharitable},
                                          {IdFormula::kNotes, FormulaReading::kCharitable},
                                          {IdFormula::kCorrected, FormulaReading::kCharitable}}};

class FormulaErrors : public ::testing::TestWithParam<std::size_t> {};

TEST_P(FormulaErrors, OfTable1LayersAreAsExpectedToTheDigit) {
    const Column column = kColumns[GetParam()];
    for (const Table1Layer& layer : table1_layers()) {
        const bool corrected = column.formula == IdFormula::kCorrected;
        const LoweredGeometry g = lower(layer, Channels::kDense, corrected ? layer.batch : 1);
        const Errors errors = count_errors(g, ElementFormula(g, column.formula, column.reading));
        const double fp = percent(errors.false_positives, errors.halves);
        const double fn = percent(errors.false_negatives, errors.halves);
        EXPECT_NEAR(fp, layer.errors[2 * GetParam()], 0.00501) << layer.name << " false positives";
        EXPECT_NEAR(fn, layer.errors[2 * GetParam() + 1], 0.00501)
            << layer.name << " false negatives";
        if (corrected) {
            EXPECT_EQ(errors.false_positives + errors.false_negatives, 0u) << layer.name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Columns, FormulaErrors, ::testing::Range<std::size_t>(0, 5));

TEST(FormulaErrors, OfOneImageAreThoseOfTheBatch) {
    for (const std::size_t i : {2u, 7u, 15u, 21u}) {
        const Table1Layer layer = table1_layers()[i];
        for (const Column column : kColumns) {
            const LoweredGeometry one = lower(layer, Channels::kDense, 1);
            const LoweredGeometry three = lower(layer, Channels::kDense, 3);
            const Errors a = count_errors(one, ElementFormula(one, column.formula, column.reading));
            const Errors b =
                count_errors(three, ElementFormula(three, column.formula, column.reading));
            EXPECT_EQ(3 * a.false_positives, b.false_positives) << layer.name;
            EXPECT_EQ(3 * a.false_negatives, b.false_negatives) << layer.name;
            EXPECT_EQ(3 * a.halves, b.halves) << layer.name;
        }
    }
}

/// 2000 random layers; the same layers must show the printed formulas wrong, or the checker is
/// blind.
TEST(FormulaErrors, CorrectedFormulaIsExactOnRandomLayers) {
    constexpr std::uint64_t kSeed = 20201017;
    RecordProperty("seed", static_cast<int>(kSeed));
    std::mt19937_64 rng(kSeed);
    std::uint32_t charitable_wrong = 0;
    for (int i = 0; i < 2000; ++i) {
        const LoweredGeometry g = random_layer(rng, Channels::kDense);
        const ElementFormula corrected(g, IdFormula::kCorrected, FormulaReading::kCharitable);
        const Errors errors = count_errors(g, corrected);
        ASSERT_EQ(errors.false_positives, 0u) << "seed " << kSeed << ", layer " << i;
        ASSERT_EQ(errors.false_negatives, 0u) << "seed " << kSeed << ", layer " << i;
        const Errors printed =
            count_errors(g, ElementFormula(g, IdFormula::kNotes, FormulaReading::kCharitable));
        charitable_wrong += printed.false_positives + printed.false_negatives != 0 ? 1 : 0;
    }
    EXPECT_GT(charitable_wrong, 1000u);
}

/// Figure 6: 36 workspace elements of a 4x4 input under a 3x3 filter have 16 ids.
TEST(FormulaErrors, Figure6HasSixteenIds) {
    const LoweredGeometry g = lower(1, 4, 4, 1, 3, 3, 0, 1, false, Channels::kDense);
    ASSERT_EQ(g.output_height * g.output_width * 9, 36u);
    for (const IdFormula formula : {IdFormula::kPaper, IdFormula::kNotes, IdFormula::kCorrected}) {
        for (const FormulaReading reading :
             {FormulaReading::kLiteral, FormulaReading::kCharitable}) {
            const ElementFormula ids(g, formula, reading);
            std::vector<std::uint32_t> uses(16, 0);
            std::uint32_t index = 0;
            for_each_half(g, [&](std::uint32_t, std::uint32_t iy, std::uint32_t ix, std::uint32_t) {
                const auto id = ids(index++);
                EXPECT_EQ(id.batch, 0u);
                ASSERT_EQ(id.element, iy * 4 + ix);
                ++uses[id.element];
            });
            EXPECT_EQ(index, 36u);
            EXPECT_EQ(std::count(uses.begin(), uses.end(), 0u), 0);
            // Table II of the paper.
            EXPECT_EQ(ids(2).element, 2u);
            EXPECT_EQ(ids(10).element, 2u);
            EXPECT_EQ(ids(28).element, 6u);
        }
    }
}

/// The checker must notice ids that lose a bit.
TEST(FormulaErrors, CheckerCatchesNarrowIds) {
    struct Narrow {
        ElementFormula formula;
        std::uint64_t mask = 0;
        [[nodiscard]] ElementFormula::Identity operator()(std::uint32_t index) const {
            auto id = formula(index);
            id.element &= mask;
            return id;
        }
        [[nodiscard]] std::uint64_t lower_bound(std::uint32_t) const { return 0; }
        [[nodiscard]] std::uint32_t row_length() const { return formula.row_length(); }
    };
    const LoweredGeometry g = lower(1, 14, 14, 8, 3, 3, 1, 1, false, Channels::kDense);
    const ElementFormula whole(g, IdFormula::kCorrected, FormulaReading::kCharitable);
    EXPECT_EQ(count_errors(g, Narrow{whole, 0x7ff}).false_positives, 0u);  // 2048 = 16 * 16 * 8 ids
    EXPECT_GT(count_errors(g, Narrow{whole, 0x3ff}).false_positives, 0u);
}

}  // namespace
}  // namespace tessera::test
