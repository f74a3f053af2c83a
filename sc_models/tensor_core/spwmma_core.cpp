#include "sc_models/tensor_core/spwmma_core.h"

#include <utility>

#include "sc_models/common/error.h"

namespace tessera {
namespace {

constexpr std::uint32_t kLineMask = kTileSize - 1;  ///< rows and columns have five pins each
constexpr std::uint32_t kTagMask = (1U << SpwmmaCorePins::kTagBits) - 1;
constexpr std::uint32_t kPairsA = kTileSize * kTileDepth / (2 * SpwmmaCorePins::kValuesA);
constexpr std::uint32_t kPairsB = kTileSize * kTileDepth / (2 * SpwmmaCorePins::kValuesB);

/// Puts the values from `place` on into lanes that are valid; the others are 0. `place` counts
/// through the even word and the odd one, and from there into the even word again.
template <std::size_t kLanes>
void choose(const std::array<HalfBits, kLanes>& even, const std::array<HalfBits, kLanes>& odd,
            std::uint32_t place, std::uint32_t valid, std::array<HalfBits, kLanes>& lanes) {
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        const std::uint32_t at = (place + i) % (2 * kLanes);
        const HalfBits value = at < kLanes ? even[at] : odd[at - kLanes];
        lanes[i] = (valid >> i & 1U) != 0 ? value : HalfBits{0};
    }
}

}  // namespace

JoinedSpwmmaCore::JoinedSpwmmaCore(std::shared_ptr<BitmapDevice> bitmap,
                                   std::shared_ptr<FeopArrayDevice> array,
                                   std::shared_ptr<AccumulationDevice> buffer)
    : bitmap_(std::move(bitmap)), array_(std::move(array)), buffer_(std::move(buffer)) {}

void JoinedSpwmmaCore::at(Cycle now) {
    bitmap_->at(now);
    array_->at(now);
    buffer_->at(now);
}

SpwmmaCorePins::Outputs JoinedSpwmmaCore::step(const Inputs& in) {
    // From the back, so that each register detects whether the one behind it moves.
    Outputs out;
    const bool front = !fetched_ && lanes_.empty() && results_.op_valid == 0;
    step_buffer(in, out);
    step_array(in);
    step_bitmap(in, out);
    out.front_idle &= front ? 1U : 0U;
    return out;
}

/// Advances the accumulation buffer by a cycle if its clock runs.
void JoinedSpwmmaCore::step_buffer(const Inputs& in, Outputs& out) {
    if (results_.op_valid == 0 && in.run == 0) return;
    results_.preload_valid = in.run & in.preload_valid;
    results_.preload_word = in.preload_word;
    if (results_.preload_valid != 0) results_.preload_data = in.preload_data;
    results_.drain_valid = in.run & in.drain_valid;
    results_.drain_clear = in.drain_clear;
    results_.row_ready = in.run & in.row_ready;
    results_.result_ready = 1;
    const AccumulationBuffer::Outputs buffer = buffer_->step(results_);
    if (in.run != 0) {
        out.preload_ready = buffer.preload_ready;
        out.drain_ready = buffer.drain_ready;
        out.row_valid = buffer.row_valid;
        out.row_word = buffer.row_word;
        if (out.row_valid != 0) out.row_data = buffer.row_data;
        out.idle = buffer.idle;
    }
    if (results_.op_valid == 0) return;
    out.ohmma_valid = 1;
    out.ohmma_ready = buffer.op_ready;
    out.ohmma_tag = result_lanes_.tag;
    out.ohmma_k = result_lanes_.k;
    out.ohmma_row_valid = result_lanes_.row_valid;
    out.ohmma_column_valid = result_lanes_.column_valid;
    if (buffer.op_ready != 0) results_.op_valid = 0;
}

void JoinedSpwmmaCore::step_array(const Inputs& in) {
    FeopArrayInputs operands;
    operands.valid = fetched_ ? 1 : 0;
    operands.ready = results_.op_valid == 0 ? 1 : 0;
    if (fetched_) {
        const Lanes& lanes = lanes_.back();
        operands.meta[0] = lanes.number;
        choose(in.a_even, in.a_odd, a_place_, lanes.row_valid, operands.a);
        choose(in.b_even, in.b_odd, b_place_, lanes.column_valid, operands.b);
    }
    const FeopArrayOutputs out = array_->step(operands);
    if (fetched_ && out.ready != 0) fetched_ = false;
    if (out.valid == 0 || operands.ready == 0) return;
    if (lanes_.empty() || out.meta[0] != lanes_.front().number) {
        throw CheckError("SpWMMA: the array gives products of no OHMMA");
    }
    result_lanes_ = lanes_.front();
    lanes_.pop_front();
    results_.op_valid = 1;
    results_.op_row = result_lanes_.row;
    results_.op_row_valid = result_lanes_.row_valid;
    results_.op_column = result_lanes_.column;
    results_.op_column_valid = result_lanes_.column_valid;
    results_.op_product = out.product;
}

void JoinedSpwmmaCore::step_bitmap(const Inputs& in, Outputs& out) {
    BitmapUnit::Inputs tile;
    tile.tile_valid = in.tile_valid;
    if (in.tile_valid != 0) {
        tile.a_bitmap = in.a_bitmap;
        tile.b_bitmap = in.b_bitmap;
    }
    tile.ohmma_ready = fetched_ ? 0 : 1;
    const BitmapUnit::Outputs bitmap = bitmap_->step(tile);
    out.tile_ready = bitmap.tile_ready;
    out.summary_valid = bitmap.summary_valid;
    if (out.summary_valid != 0) out.summary = bitmap.summary;
    out.tile_done = bitmap.tile_done;
    out.front_idle = bitmap.idle;
    if (bitmap.ohmma_valid != 0 && tile.ohmma_ready != 0) read(bitmap.ohmma, out);
    if (bitmap.ohmma_valid == 0 || tile.ohmma_ready != 0) {
        made_tag_ = tags_.empty() ? 0 : tags_.front();
    }
    take_tag(in, bitmap);
}

/// Reads the word in which each group of the OHMMA begins, and the one behind it.
void JoinedSpwmmaCore::read(const BitmapUnit::Ohmma& ohmma, Outputs& out) {
    const std::uint32_t word_a = ohmma.a_offset / SpwmmaCorePins::kValuesA;
    const std::uint32_t word_b = ohmma.b_offset / SpwmmaCorePins::kValuesB;
    out.read = 1;
    out.read_tag = made_tag_;
    out.a_even_word = (word_a + 1) / 2 % kPairsA;
    out.a_odd_word = word_a / 2 % kPairsA;
    out.b_even_word = (word_b + 1) / 2 % kPairsB;
    out.b_odd_word = word_b / 2 % kPairsB;
    fetched_ = true;
    a_place_ = ohmma.a_offset % (2 * SpwmmaCorePins::kValuesA);
    b_place_ = ohmma.b_offset % (2 * SpwmmaCorePins::kValuesB);
    Lanes lanes;
    lanes.number = made_++;
    lanes.tag = made_tag_;
    lanes.k = ohmma.k % kTileDepth;
    lanes.row_valid = ohmma.row_valid;
    lanes.column_valid = ohmma.column_valid;
    for (std::uint32_t i = 0; i < kOhmmaRows; ++i) lanes.row[i] = ohmma.row[i] & kLineMask;
    for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
        lanes.column[j] = ohmma.column[j] & kLineMask;
    }
    lanes_.push_back(lanes);
}

void JoinedSpwmmaCore::take_tag(const Inputs& in, const BitmapUnit::Outputs& bitmap) {
    if (bitmap.tile_done != 0 && !tags_.empty()) tags_.pop_front();
    if (in.tile_valid != 0 && bitmap.tile_ready != 0) tags_.push_back(in.tile_tag & kTagMask);
}

std::unique_ptr<JoinedSpwmmaCore> SpwmmaCore::make() {
    return std::make_unique<JoinedSpwmmaCore>(std::make_shared<BitmapModel>(),
                                              std::make_shared<FeopArrayModel>(),
                                              std::make_shared<AccumulationModel>());
}

void SpwmmaCore::reset() {
    core_ = make();
}

}  // namespace tessera
