#include "testbenches/cosim/accumulation_buffer_stimulus.h"

#include <utility>

#include "sc_models/tensor_core/condensing.h"
#include "sc_models/tensor_core/feop.h"

namespace tessera {
namespace {

constexpr std::uint32_t kOwmmaOhmmas = 32;  // 16 k x rows 0-7, 8-15
constexpr std::uint32_t kNegativeZero = 0x80000000;
constexpr std::uint32_t kAllRows = (1U << kOhmmaRows) - 1;
constexpr std::uint32_t kAllColumns = (1U << kOhmmaColumns) - 1;

void make_sparse(AccumulationBuffer::Inputs& in) {
    in.op_dense = 0;
    in.op_first = 0;
    in.op_last = 0;
}

}  // namespace

void OhmmaStimulus::change(OperandMix& random) {
    static constexpr std::array<std::uint32_t, 8> kDensities = {16, 16, 12, 8, 5, 4, 2, 1};
    kind_ = static_cast<Kind>(random.below(kKinds));
    density_a_ = kDensities[random.below(kDensities.size())];
    density_b_ = kDensities[random.below(kDensities.size())];
    row_class_ = random.below(4);
    column_class_ = random.below(4);
    random.change();
    for (std::uint32_t& product : products_) product = fp16_product(random.half(), random.half());
    for (std::uint32_t& summand : summands_) summand = random.summand();
}

void OhmmaStimulus::next(OperandMix& random, AccumulationBuffer::Inputs& in) {
    fill_values(random, in);
    if (directed()) {
        directed_ohmma(random, in);
        return;
    }
    Kind kind = kind_;
    if (kind == Kind::kMixed) kind = static_cast<Kind>(random.below(kKinds - 1));
    if (kind == Kind::kKSets) k_set_ohmma(random, in);
    if (kind == Kind::kAnyIndices) any_indices(random, in);
    if (kind == Kind::kFewBanks) few_banks(random, in);
    if (kind == Kind::kDense) any_dense(random, in);
    if (kind == Kind::kOwmma) owmma_ohmma(random, in);
}

/// Two OWMMAs, of which the first has lanes that are -0 throughout: a first value of -0 that the
/// bank took as it is would stay -0, and one that it takes as 0 does not. Then for every row class
/// three OHMMAs whose rows meet in 16 of its 32 banks, three in the other 16, one without rows or
/// columns and a dense one; then for every bank an OHMMA with one entry, for it, and a dense one,
/// which waits for nothing else.
void OhmmaStimulus::directed_ohmma(OperandMix& random, AccumulationBuffer::Inputs& in) {
    const std::uint32_t at = directed_++;
    if (at < kDirectedOwmmas) {
        owmma_ohmma(random, in);
        for (std::uint32_t n = 0; at < kOwmmaOhmmas && n < kOhmmaProducts; n += 4) {
            in.op_product[n] = in.op_c[n] = kNegativeZero;
        }
        return;
    }
    if (at >= kDirectedOwmmas + kDirectedConflicts) {
        const std::uint32_t number = at - kDirectedOwmmas - kDirectedConflicts;
        if (number % 2 == 0) {
            one_entry(number / 2, in);
        } else {
            any_dense(random, in);
        }
        return;
    }
    const std::uint32_t row_class = (at - kDirectedOwmmas) / 8;
    const std::uint32_t step = (at - kDirectedOwmmas) % 8;
    make_sparse(in);
    for (std::uint32_t i = 0; i < kOhmmaRows; ++i) in.op_row[i] = 4 * i + row_class;
    for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
        in.op_column[j] = (4 * j + j / kOhmmaRows + 2 * (step / 3)) % kTileSize;
    }
    in.op_row_valid = step == 6 && row_class % 2 == 0 ? 0 : kAllRows;
    in.op_column_valid = step == 6 && row_class % 2 == 1 ? 0 : kAllColumns;
    if (step == 7) any_dense(random, in);
}

void OhmmaStimulus::one_entry(std::uint32_t bank, AccumulationBuffer::Inputs& in) {
    make_sparse(in);
    const std::uint32_t word = bank % 8;
    const std::uint32_t i = bank % kOhmmaRows;
    const std::uint32_t j = bank % kOhmmaColumns;
    in.op_row[i] = 4 * word + bank / kTileSize;
    in.op_column[j] = (bank ^ 4 * word) % kTileSize;
    in.op_row_valid = 1U << i;
    in.op_column_valid = 1U << j;
}

void OhmmaStimulus::k_set_ohmma(OperandMix& random, AccumulationBuffer::Inputs& in) {
    make_sparse(in);
    auto columns = condensed_group<kOhmmaColumns>(b_, j_);
    if (columns.valid == 0 || i_ * kOhmmaRows >= kTileSize) {
        ++i_;
        j_ = 0;
        columns = condensed_group<kOhmmaColumns>(b_, j_);
    }
    auto rows = condensed_group<kOhmmaRows>(a_, i_);
    if (rows.valid == 0) {
        a_ = bitmap(random, density_a_);
        b_ = bitmap(random, density_b_);
        i_ = 0;
        j_ = 0;
        rows = condensed_group<kOhmmaRows>(a_, i_);
        columns = condensed_group<kOhmmaColumns>(b_, j_);
    }
    ++j_;
    in.op_row = rows.index;
    in.op_row_valid = rows.valid;
    in.op_column = columns.index;
    in.op_column_valid = columns.valid;
}

/// Rows in any order, some of them twice; any distinct columns.
void OhmmaStimulus::any_indices(OperandMix& random, AccumulationBuffer::Inputs& in) const {
    make_sparse(in);
    in.op_row_valid = static_cast<std::uint32_t>(random.bits()) & kAllRows;
    in.op_column_valid = static_cast<std::uint32_t>(random.bits()) & kAllColumns;
    for (std::uint32_t& row : in.op_row) row = random.below(kTileSize);
    std::array<std::uint32_t, kTileSize> columns{};
    for (std::uint32_t c = 0; c < kTileSize; ++c) columns[c] = c;
    for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
        std::swap(columns[j], columns[j + random.below(kTileSize - j)]);
        in.op_column[j] = columns[j];
    }
}

/// Up to eight rows, most of them of one class, and columns that meet in few of its banks: FIFOs
/// that fill up, not all of them and not alike.
void OhmmaStimulus::few_banks(OperandMix& random, AccumulationBuffer::Inputs& in) const {
    any_indices(random, in);
    const auto draw = static_cast<std::uint32_t>(random.bits());
    in.op_row_valid |= draw & kAllRows;
    in.op_column_valid |= (draw >> 8U) & kAllColumns;
    for (std::uint32_t& row : in.op_row) {
        if (random.below(8) != 0) row = row / 4 * 4 + row_class_;
    }
    if (random.below(4) == 0) return;
    for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {  // distinct, in 16 of a class's banks
        in.op_column[j] = (4 * j + j / kOhmmaRows + column_class_) % kTileSize;
    }
}

void OhmmaStimulus::any_dense(OperandMix& random, AccumulationBuffer::Inputs& in) const {
    const auto draw = static_cast<std::uint32_t>(random.bits());
    in.op_dense = 1;
    in.op_word = draw % 8;
    in.op_first = static_cast<std::uint32_t>((draw >> 3U) % 4 == 0);
    in.op_last = static_cast<std::uint32_t>((draw >> 5U) % 4 == 0);
}

void OhmmaStimulus::owmma_ohmma(OperandMix& /*random*/, AccumulationBuffer::Inputs& in) {
    in.op_dense = 1;
    in.op_word = step_ % 2;
    in.op_first = static_cast<std::uint32_t>(step_ < 2);
    in.op_last = static_cast<std::uint32_t>(step_ >= kOwmmaOhmmas - 2);
    step_ = (step_ + 1) % kOwmmaOhmmas;
}

void OhmmaStimulus::fill_values(OperandMix& random, AccumulationBuffer::Inputs& in) const {
    const auto start = static_cast<std::uint32_t>(random.bits());
    const std::uint32_t stride = (start >> 20U) | 1U;
    for (std::uint32_t n = 0; n < kOhmmaProducts; ++n) {
        in.op_product[n] = products_[(start + n * stride) % kPool];
        in.op_c[n] = summands_[(start + n * stride) % kPool];
    }
}

std::uint32_t OhmmaStimulus::bitmap(OperandMix& random, std::uint32_t of_16) const {
    std::uint32_t bits = 0;
    for (std::uint32_t n = 0; n < kTileSize; ++n) {
        if (random.below(16) < of_16) bits |= 1U << n;
    }
    return bits;
}

}  // namespace tessera
