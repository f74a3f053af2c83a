#include "testbenches/cosim/spwmma_plan.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

namespace tessera {
namespace {

constexpr std::uint32_t kAllRows = (1U << kOhmmaRows) - 1;
constexpr std::uint32_t kAllColumns = (1U << kOhmmaColumns) - 1;
constexpr std::uint32_t kLastRow = kTileElements / kOhmmaProducts - 1;

[[nodiscard]] std::uint32_t bits_of(std::uint32_t largest) {
    return largest == 0 ? 0 : 32U - static_cast<std::uint32_t>(__builtin_clz(largest));
}

}  // namespace

SpwmmaPlan::SpwmmaPlan(std::uint32_t tag_bits) : tag_bits_(tag_bits) {
    for (std::uint32_t k = 0; k < kTileDepth; ++k) {
        a_offset_[k] = add_pin(spwmma_pins::word_name("a_offset_o", k), bits_of(kTileSize * k));
        b_offset_[k] = add_pin(spwmma_pins::word_name("b_offset_o", k), bits_of(kTileSize * k));
    }
    for (std::uint32_t n = 0; n < a_place_.size(); ++n) {
        a_place_[n] = add(fmt::format("group of A begins at value {} of two words", n));
    }
    for (std::uint32_t n = 0; n < b_place_.size(); ++n) {
        b_place_[n] = add(fmt::format("group of B begins at value {} of two words", n));
    }
}

std::array<std::uint32_t, kTileDepth> SpwmmaPlan::ohmmas_of(const Inputs& in) {
    const BitmapUnit::Summary summary = BitmapUnit::summarise(in.a_bitmap, in.b_bitmap);
    std::array<std::uint32_t, kTileDepth> counts{};
    std::transform(
        summary.predicates.begin(), summary.predicates.end(), counts.begin(),
        [](std::uint32_t bits) { return static_cast<std::uint32_t>(__builtin_popcount(bits)); });
    return counts;
}

void SpwmmaPlan::cycle(const Inputs& in, const Outputs& out) {
    note_pins(in, out);
    note_values(in);
    note_tile(in, out);
    note_clock(in, out);
    note_preload(in, out);
    note_ohmma(in, out);
    note_row(in, out);
    note_drain(in, out);
    const bool read_before = reads_;
    note_words(out);
    hit_if(in_array, inside_ > 0 && tiles_ == 0 && !read_before && !reads_ && out.ohmma_valid == 0);
    front_idle_ = out.front_idle != 0;
}

/// Notes valids and readies, which mean something in every cycle, or in those with run_i.
void SpwmmaPlan::note_pins(const Inputs& in, const Outputs& out) {
    sample(tile_valid_, in.tile_valid);
    sample(run_, in.run);
    if (in.run == 0) return;
    sample(preload_valid_, in.preload_valid);
    sample(drain_valid_, in.drain_valid);
    if (out.row_valid != 0) sample(row_ready_, in.row_ready);
}

void SpwmmaPlan::note_tile(const Inputs& in, const Outputs& out) {
    if (out.tile_done != 0) {
        note_summary(out.summary);
        if (tiles_ > 0) --tiles_;
    }
    tile_waits_ = in.tile_valid != 0 && out.tile_ready == 0;
    hit_if(tile_waits, tile_waits_);
    const bool accepts = in.tile_valid != 0 && out.tile_ready != 0;
    if (accepts) {
        hit_if(tile_behind, accepted_);
        hit_if(tile_at_end, out.tile_done != 0);
        hit_if(tile_beside_row, out.row_valid != 0 && in.row_ready != 0);
        hit_if(tile_beside_drain, draining_);
        hit_if(tile_beside_preload, in.preload_valid != 0 && out.preload_ready != 0);
        accept_tile(in);
    }
    accepted_ = accepts;
}

void SpwmmaPlan::accept_tile(const Inputs& in) {
    ++tiles_;
    sample(tag_, in.tile_tag);
    sample_words(a_bitmap_, in.a_bitmap);
    sample_words(b_bitmap_, in.b_bitmap);
    hit_if(tag_wraps, wraps(in.tile_tag));
    last_tag_ = in.tile_tag;
    const auto ohmmas = ohmmas_of(in);
    const std::uint32_t count = std::accumulate(ohmmas.begin(), ohmmas.end(), 0U);
    if (count == 0) {
        hit(empty);
        hit_if(empty_behind, empty_tiles_ > 0);
        ++empty_tiles_;
        return;
    }
    hit_if(empty_between, had_ohmmas_ && empty_tiles_ == 1 && !front_idle_);
    had_ohmmas_ = true;
    empty_tiles_ = 0;
    hit_if(only_first, count == 1 && ohmmas.front() == 1);
    hit_if(only_last, count == 1 && ohmmas.back() == 1);
    hit_if(whole, count == kTileDepth * kOhmmasOfKSet);
    queue_reads(in);
}

void SpwmmaPlan::queue_reads(const Inputs& in) {
    const BitmapUnit::Summary s = BitmapUnit::summarise(in.a_bitmap, in.b_bitmap);
    for (std::uint32_t k = 0; k < kTileDepth; ++k) {
        for (std::uint32_t n = 0; n < kOhmmasOfKSet; ++n) {
            if ((s.predicates[k] >> n & 1U) == 0) continue;
            const std::uint32_t a = kValuesA * (n / kMaxColumnGroups),
                                b = kValuesB * (n % kMaxColumnGroups);
            to_read_.push_back(
                {(s.a_offset[k] + a) % (2 * kValuesA), (s.b_offset[k] + b) % (2 * kValuesB),
                 std::min(s.a_count[k] - a, kValuesA), std::min(s.b_count[k] - b, kValuesB)});
        }
    }
}

void SpwmmaPlan::note_summary(const BitmapUnit::Summary& summary) {
    sample_words(a_count_, summary.a_count);
    sample_words(b_count_, summary.b_count);
    sample_words(a_offset_, summary.a_offset);
    sample_words(b_offset_, summary.b_offset);
    sample_words(row_groups_, summary.row_groups);
    sample_words(column_groups_, summary.column_groups);
    sample_words(predicates_, summary.predicates);
}

/// Notes the values that a lane of the OHMMA needs which was read in the cycle before.
void SpwmmaPlan::note_values(const Inputs& in) {
    if (!reads_) return;
    for (std::uint32_t i = 0; i < place_.a_count; ++i) {
        const std::uint32_t at = (place_.a + i) % (2 * kValuesA), n = at % kValuesA;
        at < kValuesA ? sample(a_even_[n], in.a_even[n]) : sample(a_odd_[n], in.a_odd[n]);
    }
    for (std::uint32_t j = 0; j < place_.b_count; ++j) {
        const std::uint32_t at = (place_.b + j) % (2 * kValuesB), n = at % kValuesB;
        at < kValuesB ? sample(b_even_[n], in.b_even[n]) : sample(b_odd_[n], in.b_odd[n]);
    }
}

void SpwmmaPlan::note_words(const Outputs& out) {
    reads_ = out.read != 0;
    if (!reads_) return;
    hit_if(read_beside_refusal, out.ohmma_valid != 0 && out.ohmma_ready == 0);
    sample(read_tag_, out.read_tag);
    sample(a_even_word_, out.a_even_word);
    sample(a_odd_word_, out.a_odd_word);
    sample(b_even_word_, out.b_even_word);
    sample(b_odd_word_, out.b_odd_word);
    ++inside_;
    if (to_read_.empty()) return;
    place_ = to_read_.front();
    to_read_.pop_front();
    hit(a_place_[place_.a]);
    hit(b_place_[place_.b]);
    hit_if(a_ends, place_.a >= kValuesA && out.a_even_word == 0 && out.a_odd_word != 0);
    hit_if(b_ends, place_.b >= kValuesB && out.b_even_word == 0 && out.b_odd_word != 0);
    hit(place_.a % kValuesA + place_.a_count > kValuesA ? a_two_words : a_one_word);
    hit(place_.b % kValuesB + place_.b_count > kValuesB ? b_two_words : b_one_word);
}

void SpwmmaPlan::note_ohmma(const Inputs& in, const Outputs& out) {
    const bool refuses = out.ohmma_valid != 0 && out.ohmma_ready == 0;
    hit_if(refused, refuses);
    hit_if(refused_again, refuses && refused_before_);
    hit_if(refused_by_drain, refuses && draining_);
    hit_if(adds_behind, in.run != 0 && out.front_idle != 0 && out.idle == 0 && !draining_);
    const bool was_refused = std::exchange(refused_before_, refuses);
    values_waited_ = refuses && inside_ == kRegisters;
    hit_if(values_wait, values_waited_);
    taken_ = out.ohmma_ready != 0;
    ++gap_;
    if (!taken_) {
        streak_ = 0;
        return;
    }
    hit_if(tile_change, gap_ == 1 && out.ohmma_tag != taken_tag_ && streak_ > 0);
    hit_if(bubble, gap_ == 2 && !was_refused);
    hit_if(ohmma_behind_drain, last_row_);
    hit_if(ohmma_without_run, in.run == 0);
    hit_if(one_product, out.ohmma_row_valid == 1 && out.ohmma_column_valid == 1);
    hit_if(all_products, out.ohmma_row_valid == kAllRows && out.ohmma_column_valid == kAllColumns);
    hit_if(streak, ++streak_ == 8);
    gap_ = 0;
    taken_tag_ = out.ohmma_tag;
    if (inside_ > 0) --inside_;
    sample(ohmma_tag_, out.ohmma_tag);
    sample(ohmma_k_, out.ohmma_k);
    sample(row_valid_, out.ohmma_row_valid >> 1U);
    sample(column_valid_, out.ohmma_column_valid >> 1U);
}

void SpwmmaPlan::note_clock(const Inputs& in, const Outputs& out) {
    const bool runs = in.run != 0 || out.ohmma_valid != 0;
    if (!runs) {
        hit(stands);
        hit_if(stands_behind_ohmma, taken_);
        hit_if(stands_in_drain, draining_);
    } else if (!ran_) {
        hit_if(started_by_ohmma, in.run == 0);
        hit_if(started_by_run, out.ohmma_valid == 0);
    }
    ran_ = runs;
}

void SpwmmaPlan::note_preload(const Inputs& in, const Outputs& out) {
    if (in.preload_valid == 0) return;
    hit_if(preload_without_run, in.run == 0);
    hit_if(preload_beside_row, out.row_valid != 0);
    hit_if(preload_waits, in.run != 0 && out.preload_ready == 0 && !draining_);
    if (out.preload_ready == 0) return;
    hit_if(preload_beside_ohmma, out.ohmma_ready != 0);
    hit_if(preload_beside_drain, in.drain_valid != 0 && out.drain_ready != 0);
    sample(preload_word_, in.preload_word);
    sample_words(preload_data_, in.preload_data);
}

void SpwmmaPlan::note_row(const Inputs& in, const Outputs& out) {
    hit_if(row_waits, out.row_valid != 0 && in.row_ready == 0);
    hit_if(row_without_run, draining_ && in.run == 0 && out.ohmma_valid != 0);
    was_last_row_ = std::exchange(last_row_, false);
    if (out.row_valid == 0) return;
    sample(row_word_, out.row_word);
    sample_words(row_data_, out.row_data);
    if (in.row_ready == 0 || out.row_word != kLastRow) return;
    draining_ = false;
    last_row_ = true;
}

void SpwmmaPlan::note_drain(const Inputs& in, const Outputs& out) {
    if (in.drain_valid == 0) return;
    hit_if(drain_without_run, in.run == 0);
    hit_if(drain_beside_row, out.row_valid != 0);
    if (out.drain_ready == 0) return;
    hit(in.drain_clear != 0 ? clears : keeps);
    hit_if(drain_beside_ohmma, out.ohmma_ready != 0);
    hit_if(drain_behind, was_last_row_);
    sample(clear_, in.drain_clear);
    draining_ = true;
}

void SpwmmaPlan::reset() {
    hit_if(reset_tile, tile_waits_);
    hit_if(reset_front, !front_idle_);
    hit_if(reset_read, reads_);
    hit_if(reset_sums, taken_);
    hit_if(reset_drain, draining_);
    hit_if(reset_stands, !ran_);
    forget_transactions();
    to_read_.clear();
    reads_ = values_waited_ = false;
    accepted_ = taken_ = refused_before_ = ran_ = tile_waits_ = draining_ = last_row_ =
        was_last_row_ = false;
    had_ohmmas_ = false;
    front_idle_ = true;
    inside_ = tiles_ = empty_tiles_ = streak_ = gap_ = 0;
}

SpwmmaError::SpwmmaError(const StuckPin& stuck, std::string wrong) : wrong_(std::move(wrong)) {
    if (stuck.pin.empty()) return;
    spwmma_pins::for_each_word([&](const std::string& name, std::uint32_t /*width*/, auto word) {
        if (name != stuck.pin) return;
        stick_ = [word, bit = 1U << stuck.bit, value = stuck.value](Inputs& in) {
            auto& bits = word(in);
            bits = static_cast<std::decay_t<decltype(bits)>>(value ? bits | bit : bits & ~bit);
        };
    });
}

SpwmmaError::Inputs SpwmmaError::seen_by_rtl(const Inputs& in, const Outputs& out,
                                             const SpwmmaPlan& plan) const {
    Inputs seen = in;
    if (stick_) stick_(seen);
    if (wrong_.empty()) return seen;
    if (in.tile_valid != 0 && out.tile_ready != 0) alter_tile(seen, out, plan);
    alter_buffer(seen, out, plan);
    if (is("values wait for the array") && plan.values_waited()) {
        for (HalfBits& value : seen.a_even) value = static_cast<HalfBits>(value ^ 0x8000U);
        for (HalfBits& value : seen.a_odd) value = static_cast<HalfBits>(value ^ 0x8000U);
    }
    return seen;
}

/// Alters a tile that is accepted in this cycle.
void SpwmmaError::alter_tile(Inputs& seen, const Outputs& out, const SpwmmaPlan& plan) const {
    const auto ohmmas = SpwmmaPlan::ohmmas_of(seen);
    const std::uint32_t count = std::accumulate(ohmmas.begin(), ohmmas.end(), 0U);
    if (is("tile without an OHMMA") && count == 0) seen.a_bitmap[0] = seen.b_bitmap[0] = 1;
    if (is("tile of all 128 OHMMAs") && count == kTileDepth * kOhmmasOfKSet) {
        seen.a_bitmap.back() = 1;
    }
    if ((is("tile whose only OHMMA is in k set 0") && count == 1 && ohmmas.front() == 1) ||
        (is("tile whose only OHMMA is in k set 15") && count == 1 && ohmmas.back() == 1) ||
        (is("tag 0 behind the last tag") && plan.wraps(seen.tile_tag))) {
        seen.tile_tag ^= 1U;
    }
    if ((is("tile beside a drain") && plan.draining()) ||
        (is("tile beside a preload") && seen.preload_valid != 0 && out.preload_ready != 0) ||
        (is("tile in the last cycle of the tile before it") && out.tile_done != 0)) {
        seen.tile_valid = 0;
    }
}

void SpwmmaError::alter_buffer(Inputs& seen, const Outputs& out, const SpwmmaPlan& plan) const {
    const bool preloads = seen.preload_valid != 0 && out.preload_ready != 0;
    const bool drains = seen.drain_valid != 0 && out.drain_ready != 0;
    if ((is("preload beside an OHMMA") && out.ohmma_ready != 0) ||
        (is("preload beside a drain") && drains)) {
        seen.preload_valid = preloads ? 0 : seen.preload_valid;
    }
    if ((is("drain beside an OHMMA") && drains && out.ohmma_ready != 0)) seen.drain_valid = 0;
    if (is("drain keeps the sums") && drains) seen.drain_clear = 1;
    if (is("drain clears the sums") && drains) seen.drain_clear = 0;
    if (is("row waits") && out.row_valid != 0) seen.row_ready = 1;
    if (seen.run != 0 || out.ohmma_valid != 0) return;
    if ((is("preload without run") && seen.preload_valid != 0) ||
        (is("drain without run") && seen.drain_valid != 0) ||
        (is("the buffer's clock stands in a drain") && plan.draining())) {
        seen.run = 1;
    }
}

}  // namespace tessera
