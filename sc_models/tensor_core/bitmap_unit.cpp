#include "sc_models/tensor_core/bitmap_unit.h"

#include "sc_models/tensor_core/condensing.h"

namespace tessera {
namespace {

std::uint32_t count_bits(std::uint32_t bitmap) {
    return static_cast<std::uint32_t>(__builtin_popcount(bitmap));
}

std::uint32_t groups(std::uint32_t count, std::uint32_t size) {
    return (count + size - 1) / size;
}

}  // namespace

BitmapUnit::Summary BitmapUnit::summarise(const std::array<std::uint32_t, kTileDepth>& a_bitmap,
                                          const std::array<std::uint32_t, kTileDepth>& b_bitmap) {
    Summary s;
    for (std::uint32_t k = 0; k < kTileDepth; ++k) {
        s.a_count[k] = count_bits(a_bitmap[k]);
        s.b_count[k] = count_bits(b_bitmap[k]);
        if (k > 0) {
            s.a_offset[k] = s.a_offset[k - 1] + s.a_count[k - 1];
            s.b_offset[k] = s.b_offset[k - 1] + s.b_count[k - 1];
        }
        s.row_groups[k] = groups(s.a_count[k], kOhmmaRows);
        s.column_groups[k] = groups(s.b_count[k], kOhmmaColumns);
        for (std::uint32_t i = 0; i < s.row_groups[k]; ++i) {
            for (std::uint32_t j = 0; j < s.column_groups[k]; ++j) {
                s.predicates[k] |= 1U << (i * kMaxColumnGroups + j);
            }
        }
    }
    return s;
}

void BitmapUnit::reset() {
    arrived_valid_ = false;
    current_valid_ = false;
    pending_valid_ = false;
}

const BitmapUnit::Outputs& BitmapUnit::step(const Inputs& in) {
    out_.ohmma_valid = static_cast<std::uint32_t>(pending_valid_);
    out_.ohmma = pending_;
    out_.summary_valid = static_cast<std::uint32_t>(current_valid_);
    out_.summary = summary_;
    out_.idle = static_cast<std::uint32_t>(!arrived_valid_ && !current_valid_ && !pending_valid_);

    const bool room = !pending_valid_ || in.ohmma_ready != 0;
    const bool makes = current_valid_ && k_left_ != 0 && room;
    const bool done = current_valid_ && (k_left_ == 0 || (makes && is_last()));
    const bool moves = arrived_valid_ && (!current_valid_ || done);
    out_.tile_done = static_cast<std::uint32_t>(done);
    out_.tile_ready = static_cast<std::uint32_t>(!arrived_valid_ || moves);

    if (makes) {
        pending_ = make_ohmma();
        advance();
    }
    if (room) pending_valid_ = makes;
    if (done) current_valid_ = false;
    if (moves) start_tile();
    if (in.tile_valid != 0 && out_.tile_ready != 0) {
        arrived_valid_ = true;
        arrived_ = {in.a_bitmap, in.b_bitmap};
    }
    return out_;
}

void BitmapUnit::start_tile() {
    arrived_valid_ = false;
    current_valid_ = true;
    current_ = arrived_;
    summary_ = summarise(current_.a_bitmap, current_.b_bitmap);
    k_left_ = 0;
    for (std::uint32_t k = 0; k < kTileDepth; ++k) {
        if (summary_.predicates[k] != 0) k_left_ |= 1U << k;
    }
    i_ = 0;
    j_ = 0;
    first_ = true;
}

bool BitmapUnit::is_last_of_set() const {
    const std::uint32_t k = set();
    return i_ + 1 == summary_.row_groups[k] && j_ + 1 == summary_.column_groups[k];
}

bool BitmapUnit::is_last() const {
    return (k_left_ & (k_left_ - 1)) == 0 && is_last_of_set();
}

BitmapUnit::Ohmma BitmapUnit::make_ohmma() const {
    Ohmma ohmma;
    ohmma.k = set();
    ohmma.i = i_;
    ohmma.j = j_;
    const auto rows = condensed_group<kOhmmaRows>(current_.a_bitmap[ohmma.k], i_);
    const auto columns = condensed_group<kOhmmaColumns>(current_.b_bitmap[ohmma.k], j_);
    ohmma.row = rows.index;
    ohmma.row_valid = rows.valid;
    ohmma.column = columns.index;
    ohmma.column_valid = columns.valid;
    ohmma.a_offset = summary_.a_offset[ohmma.k] + i_ * kOhmmaRows;
    ohmma.b_offset = summary_.b_offset[ohmma.k] + j_ * kOhmmaColumns;
    ohmma.first = static_cast<std::uint32_t>(first_);
    ohmma.last = static_cast<std::uint32_t>(is_last());
    return ohmma;
}

void BitmapUnit::advance() {
    first_ = false;
    if (is_last_of_set()) {
        k_left_ &= k_left_ - 1;
        i_ = 0;
        j_ = 0;
    } else if (j_ + 1 < summary_.column_groups[set()]) {
        ++j_;
    } else {
        j_ = 0;
        ++i_;
    }
}

}  // namespace tessera
