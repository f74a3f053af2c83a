#include "sc_models/tensor_core/spwmma_pipeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sc_models/common/error.h"
#include "sc_models/config/engine/config_entries.h"
#include "sc_models/tensor_core/feop.h"

namespace tessera {
namespace {

static_assert(kSpwmmaDepth == kTileDepth && kOhmmasPerSet == kOhmmasOfKSet);

constexpr std::uint32_t kWords = kTileElements / kOhmmaProducts;  ///< of a bank
constexpr std::uint32_t kIndexMask = kTileSize - 1;  ///< rows and columns have five pins each
constexpr Cycle kMaxCycles = 10'000;

std::uint32_t count_bits(std::uint32_t bits) {
    return static_cast<std::uint32_t>(__builtin_popcount(bits));
}

std::uint32_t values_of(const SpwmmaTile& tile) {
    std::uint32_t values = 0;
    for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) values += tile.counts[k];
    return values;
}

/// Returns bank and word of a tile element, numbered row-major.
BankWord place_of(std::uint32_t element) {
    constexpr AccumulationBufferConfig kBuffer;
    return bank_word(kBuffer.map, kBuffer.banks, element / kTileSize, element % kTileSize);
}

/// Calls `step` once per cycle until it returns true.
template <class Step>
Cycle until(const char* what, Step step) {
    for (Cycle cycle = 1; cycle <= kMaxCycles; ++cycle) {
        if (step()) return cycle;
    }
    throw CheckError(std::string(what) + ": no answer");
}

}  // namespace

SpwmmaPipeline::SpwmmaPipeline(const SpwmmaConfig& config, std::shared_ptr<BitmapDevice> bitmap,
                               std::shared_ptr<FeopArrayDevice> array,
                               std::shared_ptr<AccumulationDevice> buffer)
    : config_(config),
      bitmap_(std::move(bitmap)),
      array_(std::move(array)),
      buffer_(std::move(buffer)) {
    static_cast<void>(supports(config.buffer));  // the blocks are built for these values
}

bool SpwmmaPipeline::supports(const AccumulationBufferConfig& buffer) {
    constexpr AccumulationBufferConfig kBuffer;
    return buffer.banks == kBuffer.banks && buffer.map == kBuffer.map &&
           buffer.collector == kBuffer.collector && buffer.depth_entries == kBuffer.depth_entries &&
           buffer.adder_latency_cycles == kBuffer.adder_latency_cycles;
}

bool SpwmmaPipeline::supports(const SpwmmaConfig& config) {
    return config.accumulation == AccumulationDetail::kCollector &&
           config.granularity == OhmmaGranularity::k8x16 &&
           config.issue == SpwmmaIssue::kSequencer && config.ohmma_cycles == 1 &&
           config.bohmma_cycles == 0 && supports(config.buffer);
}

void SpwmmaPipeline::at(Cycle now) {
    bitmap_->at(now);
    array_->at(now);
    buffer_->at(now);
}

Cycle SpwmmaPipeline::run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) {
    tile_.tile_valid = 1;
    std::copy_n(a.masks, kTileDepth, tile_.a_bitmap.begin());
    std::copy_n(b.masks, kTileDepth, tile_.b_bitmap.begin());
    Progress progress;
    // Steps from the back, so that each register detects whether the one behind it moves.
    until("SpWMMA", [&] {
        step_buffer(progress);
        step_array(progress);
        step_bitmap(a, b, progress);
        return progress.through && progress.idle && progress.added == progress.made;
    });
    account(a, b, progress, work);
    return progress.total;
}

/// Advances the accumulation buffer by a cycle if its input is valid.
void SpwmmaPipeline::step_buffer(Progress& progress) {
    if (results_.op_valid == 0) {
        if (progress.total > 0) throw CheckError("SpWMMA: a gap between the OHMMAs of a tile");
        return;
    }
    ++progress.total;
    ++progress.cycles[results_k_];
    if (buffer_->step(results_).op_ready == 0) return;
    results_.op_valid = 0;
    ++progress.added;
    progress.additions +=
        std::uint64_t{count_bits(results_.op_row_valid)} * count_bits(results_.op_column_valid);
}

void SpwmmaPipeline::step_array(const Progress& progress) {
    operands_.ready = results_.op_valid == 0 ? 1 : 0;
    const FeopArrayOutputs out = array_->step(operands_);
    if (operands_.valid != 0 && out.ready != 0) operands_.valid = 0;
    if (out.valid == 0 || operands_.ready == 0) return;
    if (lanes_.empty() || out.meta[0] != lanes_.front().number || progress.made == 0) {
        throw CheckError("SpWMMA: the array gives products of no OHMMA");
    }
    const Lanes& lanes = lanes_.front();
    results_.op_valid = 1;
    results_.op_row = lanes.row;
    results_.op_row_valid = lanes.row_valid;
    results_.op_column = lanes.column;
    results_.op_column_valid = lanes.column_valid;
    results_.op_product = out.product;
    results_k_ = lanes.k;
    lanes_.pop_front();
}

void SpwmmaPipeline::step_bitmap(const SpwmmaTile& a, const SpwmmaTile& b, Progress& progress) {
    tile_.ohmma_ready = operands_.valid == 0 ? 1 : 0;
    const BitmapUnit::Outputs out = bitmap_->step(tile_);
    if (tile_.tile_valid != 0 && out.tile_ready != 0) {
        tile_.tile_valid = 0;
        progress.begun = true;
    }
    if (out.summary_valid != 0) progress.summary = out.summary;
    if (out.tile_done != 0) progress.through = true;
    progress.idle = out.idle != 0;
    if (out.ohmma_valid == 0 || tile_.ohmma_ready == 0) return;
    if (!progress.begun || progress.made == kSpwmmaDepth * kOhmmasPerSet) {
        throw CheckError("SpWMMA: the bitmap unit makes OHMMAs of no tile");
    }
    fetch(a, b, out.ohmma, progress.made++);
}

/// Fills the operand register with the values at the OHMMA's offsets. Offsets beyond the tile's
/// values, possible with a faulty bitmap unit, yield zeros.
void SpwmmaPipeline::fetch(const SpwmmaTile& a, const SpwmmaTile& b, const BitmapUnit::Ohmma& ohmma,
                           std::uint32_t number) {
    Lanes lanes;
    lanes.number = number;
    lanes.k = ohmma.k % kTileDepth;
    lanes.row_valid = ohmma.row_valid;
    lanes.column_valid = ohmma.column_valid;
    operands_.valid = 1;
    operands_.meta[0] = number;
    const std::uint32_t values_a = values_of(a);
    const std::uint32_t values_b = values_of(b);
    for (std::uint32_t i = 0; i < kOhmmaRows; ++i) {
        const bool there = (ohmma.row_valid >> i & 1U) != 0 && ohmma.a_offset + i < values_a;
        operands_.a[i] = there ? a.values[ohmma.a_offset + i] : HalfBits{0};
        lanes.row[i] = ohmma.row[i] & kIndexMask;
    }
    for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
        const bool there = (ohmma.column_valid >> j & 1U) != 0 && ohmma.b_offset + j < values_b;
        operands_.b[j] = there ? b.values[ohmma.b_offset + j] : HalfBits{0};
        lanes.column[j] = ohmma.column[j] & kIndexMask;
    }
    lanes_.push_back(lanes);
}

void SpwmmaPipeline::account(const SpwmmaTile& a, const SpwmmaTile& b, const Progress& progress,
                             SpwmmaWork& work) const {
    const BitmapUnit::Summary& summary = progress.summary;
    if (sets_ != nullptr) sets_->clear();
    Cycle begin = 0;
    for (std::uint32_t k = 0; k < kTileDepth; ++k) {
        if (summary.predicates[k] == 0) continue;
        ++work.k_sets;
        const std::uint32_t ohmmas = count_bits(summary.predicates[k]);
        if (sets_ != nullptr) {
            sets_->push_back({begin, static_cast<std::uint8_t>(summary.a_count[k]),
                              static_cast<std::uint8_t>(summary.b_count[k]),
                              static_cast<std::uint8_t>(summary.predicates[k]),
                              std::max(progress.cycles[k], ohmmas) - ohmmas});
        }
        begin += progress.cycles[k];
    }
    work.ohmmas += progress.added;
    work.skipped += kSpwmmaDepth * kOhmmasPerSet - progress.added;
    work.additions += progress.additions;
    work.tensor_cycles += progress.added;
    work.accumulate_cycles += progress.total;
    work.nonfinite_tiles += a.nonfinite || b.nonfinite ? 1 : 0;
}

Cycle SpwmmaPipeline::drain() {
    return until("accumulation buffer", [this] { return buffer_->step(results_).idle != 0; });
}

/// Loads 8 words of every bank, one per cycle.
void SpwmmaPipeline::load(const float* tile) {
    AccumulationBuffer::Inputs in;
    in.preload_valid = 1;
    for (std::uint32_t word = 0; word < kWords; ++word) {
        in.preload_word = word;
        for (std::uint32_t i = 0; i < kTileElements; ++i) {
            const BankWord place = place_of(i);
            if (place.word == word) in.preload_data[place.bank] = float_bits(tile[i]);
        }
        until("accumulation buffer", [&] { return buffer_->step(in).preload_ready != 0; });
    }
}

void SpwmmaPipeline::store(float* tile) {
    std::array<std::array<std::uint32_t, kOhmmaProducts>, kWords> words{};
    AccumulationBuffer::Inputs in;
    in.drain_valid = 1;
    in.row_ready = 1;
    std::uint32_t rows = 0;
    until("accumulation buffer", [&] {
        const AccumulationBuffer::Outputs out = buffer_->step(in);
        if (out.drain_ready != 0) in.drain_valid = 0;
        if (out.row_valid != 0) words[out.row_word % kWords] = out.row_data;
        rows += out.row_valid != 0 ? 1 : 0;
        return rows == kWords;
    });
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const BankWord place = place_of(i);
        const float value = float_from_bits(words[place.word][place.bank]);
        tile[i] = std::isnan(value) ? float_from_bits(kFeopNan) : value;
    }
}

}  // namespace tessera
