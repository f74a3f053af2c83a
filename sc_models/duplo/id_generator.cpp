#include "sc_models/duplo/id_generator.h"

#include <algorithm>

#include "sc_models/common/error.h"

namespace tessera {

namespace {

constexpr std::uint32_t kChunkHalves = 16;
constexpr std::uint64_t kIdLimit = std::uint64_t{1} << 48;

/// Marks the `padded` input rows (or columns) that are padding or inserted zeros.
void mark_zeros(std::vector<std::uint8_t>& zeros, std::uint32_t padded, std::uint32_t pad,
                std::uint32_t up_factor) {
    zeros.assign(padded, 1);
    for (std::uint32_t i = pad; i < padded - pad; i += up_factor) {
        zeros[i] = 0;
    }
}

}  // namespace

void IdGenerator::program(const ConvolutionPacket& packet, IdFormula formula, bool recurrence) {
    packet.check();
    packet_ = packet;
    formula_ = formula;
    later_.clear();
    if (packet.is_by_place()) return;
    image_rows_ = packet.output_height * packet.output_width;
    total_rows_ = packet.rows();
    pitch_bytes_ = Address{packet.row_pitch_chunks} * kFragmentRowBytes;
    by_pitch_ = ExactDivider(packet.row_pitch_chunks);
    by_image_ = ExactDivider(image_rows_);
    by_width_ = ExactDivider(packet.output_width);
    by_height_ = ExactDivider(packet.output_height);
    by_filter_row_ = ExactDivider(packet.filter_row);
    by_channels_ = ExactDivider(packet.channels);

    const std::uint64_t channels = packet.channels;
    if (formula == IdFormula::kCorrected) {
        step_x_ = packet.stride * channels;
        step_filter_y_ = packet.padded_width * channels;
    } else {
        step_x_ = formula == IdFormula::kNotes ? packet.stride * channels : channels;
        step_filter_y_ = (packet.padded_width - 2 * packet.pad) * channels;
    }
    step_y_ = packet.stride * step_filter_y_;
    if (total_rows_ / packet.output_height * step_y_ + step_filter_y_ * packet.filter_height >=
        kIdLimit) {
        throw ConfigError("duplo.id_formula: element ids of this layer pass 48 bits");
    }
    if (packet.zero_rule) {
        mark_zeros(zero_row_, packet.padded_height, packet.pad, packet.up_factor);
        mark_zeros(zero_column_, packet.padded_width, packet.pad, packet.up_factor);
    }
    if (recurrence) find_later_places();
}

void IdGenerator::find_later_places() {
    const std::int64_t stride = packet_.stride;
    const std::int64_t pixel = stride * packet_.channels;
    const std::int64_t filter_row =
        packet_.dense ? packet_.filter_row : packet_.filter_row * kChunkHalves;
    last_offset_ = filter_row - kChunkHalves;
    const std::int64_t across = filter_row / pixel;
    for (std::int64_t up = 0; up * stride < packet_.filter_height; ++up) {
        for (std::int64_t left = up == 0 ? 1 : -across; left <= across; ++left) {
            // Both offsets must be whole chunks apart.
            if ((up * stride * filter_row + left * pixel) % kChunkHalves != 0) continue;
            later_.push_back({up, left, up * stride, left * pixel});
        }
    }
}

template <std::uint32_t kRows>
bool IdGenerator::recurs(const ChunkPlace& place) const {
    const auto twin = [&](const LaterPlace& later) {
        const std::int64_t x = std::int64_t{place.x} - later.left;
        const std::int64_t offset = std::int64_t{place.offset} + later.halves;
        if (place.y < later.up || place.fy + later.filter_rows >= packet_.filter_height || x < 0 ||
            x >= packet_.output_width || offset < 0 || offset > last_offset_) {
            return false;
        }
        if (kRows == 1) return true;
        // Groups start at every 8th or 16th row and must wrap alike.
        if ((later.up * packet_.output_width + later.left) % kRows != 0) return false;
        ChunkPlace other = place;
        other.y = static_cast<std::uint32_t>(place.y - later.up);
        other.x = static_cast<std::uint32_t>(x);
        return wrap_tag(other, kRows) == wrap_tag(place, kRows);
    };
    return std::any_of(later_.begin(), later_.end(), twin);
}

void IdGenerator::generate_by_place(const Address* rows, DataId* out) const {
    for (std::uint32_t i = 0; i < kFragmentRows; ++i) {
        out[i] = DataId{};
        out[i].bypass = region_check(rows[i]);
        out[i].element = (rows[i] - packet_.base) / kFragmentRowBytes * kChunkHalves;
    }
}

void IdGenerator::generate(Address address, std::uint32_t row_pitch_bytes, std::uint32_t group_rows,
                           DataId* out) const {
    switch (group_rows) {
        case 1:
            walk<1>(address, row_pitch_bytes, out);
            break;
        case 8:
            walk<8>(address, row_pitch_bytes, out);
            break;
        default:
            walk<16>(address, row_pitch_bytes, out);
            break;
    }
}

template <std::uint32_t kRows>
void IdGenerator::walk(Address address, std::uint32_t row_pitch_bytes, DataId* out) const {
    constexpr std::uint32_t kGroups = kFragmentRows / kRows;
    const bool neighbours = row_pitch_bytes == pitch_bytes_;
    if (neighbours && region_check(address) == BypassReason::kNone) {
        ChunkPlace place = locate(address);
        for (std::uint32_t i = 0; i < kGroups; ++i) {
            out[i] = identify<kRows>(place);
            advance<kRows>(place);
        }
        return;
    }
    // Rows of another pitch, or a fragment that starts outside: each group is located separately.
    for (std::uint32_t i = 0; i < kGroups; ++i) {
        const Address at = address + Address{i} * kRows * row_pitch_bytes;
        out[i] = DataId{};
        out[i].bypass = region_check(at);
        if (out[i].bypass != BypassReason::kNone) {
            continue;
        }
        if (kRows > 1 && !neighbours) {
            out[i].bypass = BypassReason::kPitch;
        } else {
            out[i] = identify<kRows>(locate(at));
        }
    }
}

BypassReason IdGenerator::region_check(Address address) const {
    if (address < packet_.base || address >= packet_.end()) {
        return BypassReason::kOutsideWorkspace;
    }
    // The base is aligned, so the address has the alignment of the offset.
    return address % kFragmentRowBytes != 0 ? BypassReason::kUnaligned : BypassReason::kNone;
}

IdGenerator::ChunkPlace IdGenerator::locate(Address address) const {
    ChunkPlace place;
    const auto chunk = static_cast<std::uint32_t>((address - packet_.base) / kFragmentRowBytes);
    place.row = by_pitch_.divide(chunk);
    const std::uint32_t column = chunk - place.row * packet_.row_pitch_chunks;
    place.batch = by_image_.divide(place.row);
    const std::uint32_t in_image = place.row - place.batch * image_rows_;
    place.y = by_width_.divide(in_image);
    place.x = in_image - place.y * packet_.output_width;
    if (packet_.dense) {
        place.fy = by_filter_row_.divide(column * kChunkHalves);
        place.offset = column * kChunkHalves - place.fy * packet_.filter_row;
    } else {
        place.fy = by_filter_row_.divide(column);
        place.offset = (column - place.fy * packet_.filter_row) * kChunkHalves;
    }
    const bool crosses = packet_.dense && place.offset + kChunkHalves > packet_.filter_row;
    if (place.fy >= packet_.filter_height || (crosses && place.fy + 1 == packet_.filter_height)) {
        place.bypass = BypassReason::kRowTail;
    } else if (crosses) {
        place.bypass = BypassReason::kCrossing;
    }
    return place;
}

template <std::uint32_t kRows>
void IdGenerator::advance(ChunkPlace& place) const {
    place.row += kRows;
    place.x += kRows;
    while (place.x >= packet_.output_width) {
        place.x -= packet_.output_width;
        if (++place.y == packet_.output_height) {
            place.y = 0;
            ++place.batch;
        }
    }
}

std::uint64_t IdGenerator::element_of(const ChunkPlace& place) const {
    // For y the printed formulas divide the workspace row, counted over all images, by the output
    // height.
    const std::uint64_t y =
        formula_ == IdFormula::kCorrected ? place.y : by_height_.divide(place.row);
    return y * step_y_ + place.fy * step_filter_y_ + place.x * step_x_ + place.offset;
}

template <std::uint32_t kRows>
DataId IdGenerator::identify(const ChunkPlace& place) const {
    DataId id;
    id.element = element_of(place);
    id.batch = place.batch;
    id.bypass = place.bypass;
    const std::uint64_t last_row = std::uint64_t{place.row} + kRows;
    if (last_row > total_rows_) {
        const std::uint32_t rows = packet_.n_chunks / packet_.row_pitch_chunks;
        id.bypass = last_row > rows ? BypassReason::kOutsideWorkspace : BypassReason::kBatchTail;
    }
    if (id.bypass != BypassReason::kNone) {
        return id;
    }
    if (kRows > 1 && formula_ == IdFormula::kCorrected) {
        id.extra = wrap_tag(place, kRows);
    }
    if (!later_.empty()) id.recurs = recurs<kRows>(place);
    if (packet_.zero_rule) {
        ChunkPlace row = place;
        id.zero = zero_chunk(row);
        for (std::uint32_t i = 1; i < kRows && id.zero; ++i) {
            advance<1>(row);
            id.zero = zero_chunk(row);
        }
    }
    return id;
}

std::uint32_t IdGenerator::wrap_tag(const ChunkPlace& place, std::uint32_t rows) const {
    if (place.x + rows <= packet_.output_width) {
        return 0;
    }
    // The id determines the group's rows only up to the end of the output row: the tag adds the
    // position of that end, and of the end of the image if it lies within the group.
    const std::uint32_t left_in_image = image_rows_ - (place.y * packet_.output_width + place.x);
    const std::uint32_t image_end = left_in_image < rows ? left_in_image : 0;
    return 1u << 31 | image_end << 16 | place.x;
}

bool IdGenerator::zero_chunk(const ChunkPlace& place) const {
    const std::uint32_t first_pixel = by_channels_.divide(place.offset);
    const std::uint32_t last_pixel = by_channels_.divide(place.offset + kChunkHalves - 1);
    std::uint32_t iy = place.y * packet_.stride + place.fy;
    std::uint32_t ix = place.x * packet_.stride + first_pixel;
    // A chunk behind the last pixel of a filter row may continue in the next input row.
    for (std::uint32_t pixel = first_pixel; pixel <= last_pixel; ++pixel, ++ix) {
        if (ix >= packet_.padded_width) {
            ix -= packet_.padded_width;
            ++iy;
        }
        if (iy >= packet_.padded_height || (zero_row_[iy] == 0 && zero_column_[ix] == 0)) {
            return false;
        }
    }
    return true;
}

}  // namespace tessera
