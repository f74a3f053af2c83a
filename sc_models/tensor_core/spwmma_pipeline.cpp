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
constexpr Cycle kMaxCycles = 10'000;

std::uint32_t count_bits(std::uint32_t bits) {
    return static_cast<std::uint32_t>(__builtin_popcount(bits));
}

/// Copies word `word` of a tile's packed values; those beyond the tile's are zeros.
template <std::size_t kValues>
void copy_word(const SpwmmaTile& tile, std::uint32_t word, std::array<HalfBits, kValues>& values) {
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < kSpwmmaDepth; ++k) count += tile.counts[k];
    const std::uint32_t first = std::min(word * static_cast<std::uint32_t>(kValues), count);
    const std::uint32_t last = std::min(first + static_cast<std::uint32_t>(kValues), count);
    std::copy(tile.values + first, tile.values + last, values.begin());
    std::fill(values.begin() + (last - first), values.end(), HalfBits{0});
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

SpwmmaPipeline::SpwmmaPipeline(const SpwmmaConfig& config, std::shared_ptr<SpwmmaCoreDevice> core)
    : config_(config), core_(std::move(core)) {
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

Cycle SpwmmaPipeline::run(const SpwmmaTile& a, const SpwmmaTile& b, SpwmmaWork& work) {
    in_.tile_valid = 1;
    ++in_.tile_tag;
    std::copy_n(a.masks, kTileDepth, in_.a_bitmap.begin());
    std::copy_n(b.masks, kTileDepth, in_.b_bitmap.begin());
    Progress progress;
    until("SpWMMA", [&] {
        const Outputs out = core_->step(in_);
        follow_tile(out, progress);
        follow_ohmma(out, progress);
        if (out.read != 0) give_values(a, b, out);
        return progress.through && out.front_idle != 0 && progress.added == progress.read;
    });
    account(a, b, progress, work);
    return progress.total;
}

void SpwmmaPipeline::follow_tile(const Outputs& out, Progress& progress) {
    if (in_.tile_valid != 0 && out.tile_ready != 0) {
        in_.tile_valid = 0;
        progress.begun = true;
    }
    if (out.summary_valid != 0) progress.summary = out.summary;
    if (out.tile_done != 0) progress.through = true;
    if (out.read == 0) return;
    if (!progress.begun || progress.read == kSpwmmaDepth * kOhmmasPerSet) {
        throw CheckError("SpWMMA: the bitmap unit makes OHMMAs of no tile");
    }
    ++progress.read;
}

void SpwmmaPipeline::follow_ohmma(const Outputs& out, Progress& progress) {
    if (out.ohmma_valid == 0) {
        progress.gap = progress.total > 0;
        return;
    }
    if (progress.gap) throw CheckError("SpWMMA: a gap between the OHMMAs of a tile");
    ++progress.total;
    ++progress.cycles[out.ohmma_k % kTileDepth];
    if (out.ohmma_ready == 0) return;
    ++progress.added;
    progress.additions +=
        std::uint64_t{count_bits(out.ohmma_row_valid)} * count_bits(out.ohmma_column_valid);
}

/// Puts the words that the core reads on the pins. Words beyond the tile's values, possible with a
/// faulty bitmap unit, are zeros.
void SpwmmaPipeline::give_values(const SpwmmaTile& a, const SpwmmaTile& b, const Outputs& out) {
    copy_word(a, 2 * out.a_even_word, in_.a_even);
    copy_word(a, 2 * out.a_odd_word + 1, in_.a_odd);
    copy_word(b, 2 * out.b_even_word, in_.b_even);
    copy_word(b, 2 * out.b_odd_word + 1, in_.b_odd);
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
    in_.run = 1;
    const Cycle cycles =
        until("accumulation buffer", [this] { return core_->step(in_).idle != 0; });
    in_.run = 0;
    return cycles;
}

/// Loads 8 words of every bank, one per cycle.
void SpwmmaPipeline::load(const float* tile) {
    in_.run = in_.preload_valid = 1;
    for (std::uint32_t word = 0; word < kWords; ++word) {
        in_.preload_word = word;
        for (std::uint32_t i = 0; i < kTileElements; ++i) {
            const BankWord place = place_of(i);
            if (place.word == word) in_.preload_data[place.bank] = float_bits(tile[i]);
        }
        until("accumulation buffer", [&] { return core_->step(in_).preload_ready != 0; });
    }
    in_.run = in_.preload_valid = 0;
}

void SpwmmaPipeline::store(float* tile) {
    std::array<std::array<std::uint32_t, kOhmmaProducts>, kWords> words{};
    in_.run = in_.drain_valid = in_.row_ready = 1;
    std::uint32_t rows = 0;
    until("accumulation buffer", [&] {
        const Outputs out = core_->step(in_);
        if (out.drain_ready != 0) in_.drain_valid = 0;
        if (out.row_valid != 0) words[out.row_word % kWords] = out.row_data;
        rows += out.row_valid != 0 ? 1 : 0;
        return rows == kWords;
    });
    in_.run = in_.row_ready = 0;
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const BankWord place = place_of(i);
        const float value = float_from_bits(words[place.word][place.bank]);
        tile[i] = std::isnan(value) ? float_from_bits(kFeopNan) : value;
    }
}

}  // namespace tessera
