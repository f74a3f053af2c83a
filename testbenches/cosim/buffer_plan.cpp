#include "testbenches/cosim/buffer_plan.h"

#include <algorithm>
#include <array>

namespace tessera {
namespace {

constexpr std::uint32_t kNegativeZero = 0x80000000;
constexpr std::uint32_t kStreakSparse = 4, kStreakDense = 8;
constexpr std::uint32_t kLastWord = kTileElements / kOhmmaProducts - 1;

template <std::size_t kCount>
bool has_negative_zero(const std::array<std::uint32_t, kCount>& words) {
    return std::find(words.begin(), words.end(), kNegativeZero) != words.end();
}

bool has_row_twice(const AccumulationBuffer::Inputs& in) {
    std::uint32_t rows = 0;
    for (std::uint32_t i = 0; i < kOhmmaRows; ++i) {
        if ((in.op_row_valid >> i & 1U) == 0) continue;
        const std::uint32_t row = 1U << in.op_row[i];
        if ((rows & row) != 0) return true;
        rows |= row;
    }
    return false;
}

}  // namespace

void BufferPlan::cycle(const Inputs& in, const Outputs& out) {
    const bool taken = in.op_valid != 0 && out.op_ready != 0;
    if (in.op_valid != 0 && !taken) note_waiting_op(in);
    note_preload(in, out);
    note_drain(in, out);
    result_waits_ = out.result_valid != 0 && in.result_ready == 0;
    hit_if(stalls, result_waits_);
    hit_if(results, result_before_ && out.result_valid != 0 && in.result_ready != 0);
    result_before_ = out.result_valid != 0 && in.result_ready != 0;
    if (taken) {
        note_op(in);
    } else {
        streak_ = 0;
    }
    taken_ = taken;
}

void BufferPlan::note_op(const Inputs& in) {
    const bool is_dense = in.op_dense != 0;
    buffer_pins::kinds().sample(*this, kinds_, in);
    streak_ = is_dense == was_dense_ ? streak_ + 1 : 1;
    hit_if(streak_sparse, !is_dense && streak_ == kStreakSparse);
    hit_if(streak_dense, is_dense && streak_ == kStreakDense);
    hit_if(same_word, is_dense && was_dense_ && taken_ && in.op_word == word_);
    was_dense_ = is_dense;
    word_ = in.op_word;
    if (!is_dense) {
        const auto entries = static_cast<std::uint32_t>(__builtin_popcount(in.op_row_valid) *
                                                        __builtin_popcount(in.op_column_valid));
        hit_if(no_entry, entries == 0);
        hit_if(one_entry, entries == 1);
        hit_if(all_entries, entries == kOhmmaProducts);
        hit_if(row_twice, entries != 0 && has_row_twice(in));
        buffer_pins::sparse().sample(*this, sparse_, in);
        return;
    }
    buffer_pins::dense().sample(*this, dense_, in);
    hit_if(first, in.op_first != 0 && in.op_last == 0);
    hit_if(last, in.op_first == 0 && in.op_last != 0);
    hit_if(middle, in.op_first == 0 && in.op_last == 0);
    hit_if(first_and_last, in.op_first != 0 && in.op_last != 0);
    if (in.op_first == 0) return;
    buffer_pins::summands().sample(*this, summands_, in);
    hit_if(negative_zero, has_negative_zero(in.op_c));
}

void BufferPlan::note_waiting_op(const Inputs& in) {
    const bool is_dense = in.op_dense != 0;
    hit_if(op_waits_for_drain, draining_);
    if (draining_) return;
    hit_if(dense_behind, is_dense && !was_dense_);
    hit_if(sparse_behind, !is_dense && was_dense_);
    hit_if(refused, !is_dense && !was_dense_);
    hit_if(stalls_dense, is_dense && was_dense_);
}

void BufferPlan::note_preload(const Inputs& in, const Outputs& out) {
    if (in.preload_valid == 0) return;
    hit_if(preload_waits, out.preload_ready == 0);
    if (out.preload_ready == 0) return;
    buffer_pins::preloads().sample(*this, preloads_, in);
    hit_if(preload_zero, has_negative_zero(in.preload_data));
    hit_if(preload_beside_op, in.op_valid != 0 && out.op_ready != 0);
    hit_if(preload_beside_drain, in.drain_valid != 0 && out.drain_ready != 0);
}

void BufferPlan::note_drain(const Inputs& in, const Outputs& out) {
    hit_if(drain_waits, in.drain_valid != 0 && out.drain_ready == 0);
    hit_if(row_waits, out.row_valid != 0 && in.row_ready == 0);
    if (out.row_valid != 0 && in.row_ready != 0 && out.row_word == kLastWord) draining_ = false;
    if (in.drain_valid == 0 || out.drain_ready == 0) return;
    buffer_pins::drains().sample(*this, drains_, in);
    hit(in.drain_clear != 0 ? clears : keeps);
    hit_if(drain_beside_op, in.op_valid != 0 && out.op_ready != 0);
    hit_if(drain_idle, out.idle != 0);
    draining_ = true;
}

void BufferPlan::reset() {
    hit_if(reset_op, taken_);
    hit_if(reset_result, result_waits_);
    hit_if(reset_drain, draining_);
    forget_transactions();
    taken_ = result_waits_ = result_before_ = draining_ = was_dense_ = false;
    streak_ = 0;
}

std::vector<std::pair<std::string, std::uint32_t>> BufferError::pins() {
    std::vector<std::pair<std::string, std::uint32_t>> all;
    for (const buffer_pins::Pins* pins :
         {&buffer_pins::kinds(), &buffer_pins::sparse(), &buffer_pins::dense(),
          &buffer_pins::summands(), &buffer_pins::preloads(), &buffer_pins::drains()}) {
        const auto names = pins->names();
        all.insert(all.end(), names.begin(), names.end());
    }
    return all;
}

AccumulationBuffer::Inputs BufferError::seen_by_rtl(const Inputs& in,
                                                    const AccumulationBuffer::Outputs& out) const {
    Inputs seen = in;
    for (const buffer_pins::Pins* pins :
         {&buffer_pins::kinds(), &buffer_pins::sparse(), &buffer_pins::dense(),
          &buffer_pins::summands(), &buffer_pins::preloads(), &buffer_pins::drains()}) {
        pins->stick(seen, stuck);
    }
    const bool taken = in.op_valid != 0 && out.op_ready != 0;
    if (is("sparse OHMMA without an entry") && in.op_dense == 0 &&
        (in.op_row_valid == 0 || in.op_column_valid == 0)) {
        seen.op_row_valid = seen.op_column_valid = 1;
    }
    if (is("sparse OHMMA of 128 entries") && in.op_row_valid == (1U << kOhmmaRows) - 1 &&
        in.op_column_valid == (1U << kOhmmaColumns) - 1) {
        seen.op_row_valid >>= 1U;
    }
    if (is("dense OHMMA that is first and last") && in.op_first != 0 && in.op_last != 0) {
        seen.op_last = 0;
    }
    if (is("result waits")) seen.result_ready = 1;
    if (is("row waits")) seen.row_ready = 1;
    if (is("preload beside an OHMMA") && taken && out.preload_ready != 0) seen.preload_valid = 0;
    if (is("preload beside a drain") && in.drain_valid != 0 && out.drain_ready != 0 &&
        out.preload_ready != 0) {
        seen.preload_valid = 0;
    }
    if (is("drain beside an OHMMA") && taken && out.drain_ready != 0) seen.drain_valid = 0;
    if (is("drain keeps the sums") && in.drain_clear == 0) seen.drain_clear = 1;
    if (is("drain clears the sums") && in.drain_clear != 0) seen.drain_clear = 0;
    return seen;
}

}  // namespace tessera
