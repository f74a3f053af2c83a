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
    const bool front = !state_.fetched && state_.lanes.empty() && state_.results.op_valid == 0;
    step_buffer(in, out);
    step_array(in);
    step_bitmap(in, out);
    out.front_idle &= front ? 1U : 0U;
    return out;
}

/// Advances the accumulation buffer by a cycle if its clock runs.
void JoinedSpwmmaCore::step_buffer(const Inputs& in, Outputs& out) {
    if (state_.results.op_valid == 0 && in.run == 0) return;
    state_.results.preload_valid = in.run & in.preload_valid;
    state_.results.preload_word = in.preload_word;
    if (state_.results.preload_valid != 0) state_.results.preload_data = in.preload_data;
    state_.results.drain_valid = in.run & in.drain_valid;
    state_.results.drain_clear = in.drain_clear;
    state_.results.row_ready = in.run & in.row_ready;
    state_.results.result_ready = 1;
    const AccumulationBuffer::Outputs buffer = buffer_->step(state_.results);
    if (in.run != 0) {
        out.preload_ready = buffer.preload_ready;
        out.drain_ready = buffer.drain_ready;
        out.row_valid = buffer.row_valid;
        out.row_word = buffer.row_word;
        if (out.row_valid != 0) out.row_data = buffer.row_data;
        out.idle = buffer.idle;
    }
    if (state_.results.op_valid == 0) return;
    out.ohmma_valid = 1;
    out.ohmma_ready = buffer.op_ready;
    out.ohmma_tag = state_.result_lanes.tag;
    out.ohmma_k = state_.result_lanes.k;
    out.ohmma_row_valid = state_.result_lanes.row_valid;
    out.ohmma_column_valid = state_.result_lanes.column_valid;
    if (buffer.op_ready != 0) state_.results.op_valid = 0;
}

void JoinedSpwmmaCore::step_array(const Inputs& in) {
    FeopArrayInputs operands;
    operands.valid = state_.fetched ? 1 : 0;
    operands.ready = state_.results.op_valid == 0 ? 1 : 0;
    if (state_.fetched) {
        const Lanes& lanes = state_.lanes.back();
        operands.meta[0] = lanes.number;
        choose(in.a_even, in.a_odd, state_.a_place, lanes.row_valid, operands.a);
        choose(in.b_even, in.b_odd, state_.b_place, lanes.column_valid, operands.b);
    }
    const FeopArrayOutputs out = array_->step(operands);
    if (state_.fetched && out.ready != 0) state_.fetched = false;
    if (out.valid == 0 || operands.ready == 0) return;
    if (state_.lanes.empty() || out.meta[0] != state_.lanes.front().number) {
        throw CheckError("SpWMMA: the array gives products of no OHMMA");
    }
    state_.result_lanes = state_.lanes.front();
    state_.lanes.pop_front();
    state_.results.op_valid = 1;
    state_.results.op_row = state_.result_lanes.row;
    state_.results.op_row_valid = state_.result_lanes.row_valid;
    state_.results.op_column = state_.result_lanes.column;
    state_.results.op_column_valid = state_.result_lanes.column_valid;
    state_.results.op_product = out.product;
}

void JoinedSpwmmaCore::step_bitmap(const Inputs& in, Outputs& out) {
    BitmapUnit::Inputs tile;
    tile.tile_valid = in.tile_valid;
    if (in.tile_valid != 0) {
        tile.a_bitmap = in.a_bitmap;
        tile.b_bitmap = in.b_bitmap;
    }
    tile.ohmma_ready = state_.fetched ? 0 : 1;
    const BitmapUnit::Outputs bitmap = bitmap_->step(tile);
    out.tile_ready = bitmap.tile_ready;
    out.summary_valid = bitmap.summary_valid;
    if (out.summary_valid != 0) out.summary = bitmap.summary;
    out.tile_done = bitmap.tile_done;
    out.front_idle = bitmap.idle;
    if (bitmap.ohmma_valid != 0 && tile.ohmma_ready != 0) read(bitmap.ohmma, out);
    if (bitmap.ohmma_valid == 0 || tile.ohmma_ready != 0) {
        state_.made_tag = state_.tags.empty() ? 0 : state_.tags.front();
    }
    take_tag(in, bitmap);
}

/// Reads the word in which each group of the OHMMA begins, and the one behind it.
void JoinedSpwmmaCore::read(const BitmapUnit::Ohmma& ohmma, Outputs& out) {
    const std::uint32_t word_a = ohmma.a_offset / SpwmmaCorePins::kValuesA;
    const std::uint32_t word_b = ohmma.b_offset / SpwmmaCorePins::kValuesB;
    out.read = 1;
    out.read_tag = state_.made_tag;
    out.a_even_word = (word_a + 1) / 2 % kPairsA;
    out.a_odd_word = word_a / 2 % kPairsA;
    out.b_even_word = (word_b + 1) / 2 % kPairsB;
    out.b_odd_word = word_b / 2 % kPairsB;
    state_.fetched = true;
    state_.a_place = ohmma.a_offset % (2 * SpwmmaCorePins::kValuesA);
    state_.b_place = ohmma.b_offset % (2 * SpwmmaCorePins::kValuesB);
    Lanes lanes;
    lanes.number = state_.made++;
    lanes.tag = state_.made_tag;
    lanes.k = ohmma.k % kTileDepth;
    lanes.row_valid = ohmma.row_valid;
    lanes.column_valid = ohmma.column_valid;
    for (std::uint32_t i = 0; i < kOhmmaRows; ++i) lanes.row[i] = ohmma.row[i] & kLineMask;
    for (std::uint32_t j = 0; j < kOhmmaColumns; ++j) {
        lanes.column[j] = ohmma.column[j] & kLineMask;
    }
    state_.lanes.push_back(lanes);
}

void JoinedSpwmmaCore::take_tag(const Inputs& in, const BitmapUnit::Outputs& bitmap) {
    if (bitmap.tile_done != 0 && !state_.tags.empty()) state_.tags.pop_front();
    if (in.tile_valid != 0 && bitmap.tile_ready != 0) state_.tags.push_back(in.tile_tag & kTagMask);
}

SpwmmaCore& SpwmmaCore::operator=(const SpwmmaCore& other) {
    *bitmap_ = *other.bitmap_;
    *array_ = *other.array_;
    *buffer_ = *other.buffer_;
    core_.copy_registers(other.core_);
    return *this;
}

}  // namespace tessera
