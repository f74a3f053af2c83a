#include "sc_models/workload/sparse/feature_map_operand.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace tessera {
namespace {

constexpr std::uint32_t kCopyBytes = 4 * kWarpRegisterBytes;
constexpr std::uint32_t kHalfBytes = sizeof(HalfBits);
constexpr std::uint32_t kByteBits = 8;
// Maximum halves of a row of a copy, which leaves room to fill up the last tile.
constexpr std::uint64_t kMostHalves = kCopyBytes / kHalfBytes - kDepthTile;

}  // namespace

MapWindow::MapWindow(const LoweringShape& shape)
    : shape_(shape),
      output_width_(shape.output_width()),
      outputs_(std::uint64_t{shape.output_height()} * output_width_) {}

void MapWindow::runs(std::uint32_t line_tile, std::uint32_t filter_row, std::uint32_t filter_column,
                     std::vector<LineRun>& out) const {
    const std::uint64_t first = std::uint64_t{line_tile} * kLineTile;
    const std::uint64_t end = std::min(first + kLineTile, shape_.lines());
    const std::int64_t stride = shape_.stride;
    const std::int64_t width = shape_.width;
    for (std::uint64_t line = first; line < end;) {
        const std::uint64_t output = line % outputs_;
        const auto column = static_cast<std::int64_t>(output % output_width_);
        const std::int64_t count =
            std::min(std::int64_t{output_width_} - column, static_cast<std::int64_t>(end - line));
        const std::int64_t y = static_cast<std::int64_t>(output / output_width_) * stride +
                               filter_row - std::int64_t{shape_.pad};
        const std::int64_t x = column * stride + filter_column - std::int64_t{shape_.pad};
        const std::int64_t begin = x < 0 ? ceil_div(-x, stride) : 0;
        const std::int64_t behind = x < width ? std::min(count, (width - 1 - x) / stride + 1) : 0;
        if (y >= 0 && y < std::int64_t{shape_.height} && begin < behind) {
            const auto image = static_cast<std::int64_t>(line / outputs_);
            out.push_back(
                {static_cast<std::uint32_t>(line - first) + static_cast<std::uint32_t>(begin),
                 static_cast<std::uint32_t>(behind - begin),
                 (image * shape_.height + y) * width + x + begin * stride});
        }
        line += static_cast<std::uint64_t>(count);
    }
}

std::vector<DenseMap::Row> DenseMap::rows(std::uint32_t line_tile, std::uint32_t filter_row,
                                          std::uint64_t first, std::uint64_t end) const {
    const LoweringShape& s = window_.shape();
    const std::uint64_t begin = std::uint64_t{line_tile} * kLineTile;
    std::vector<Row> rows(std::min<std::uint64_t>(kLineTile, s.lines() - begin));
    const std::uint64_t outputs = std::uint64_t{s.output_height()} * s.output_width();
    const std::int64_t channels = s.channels;
    for (std::uint64_t i = 0; i < rows.size(); ++i) {
        const std::uint64_t output = (begin + i) % outputs;
        const auto image = static_cast<std::int64_t>((begin + i) / outputs);
        const std::int64_t y =
            static_cast<std::int64_t>(output / s.output_width()) * s.stride + filter_row - s.pad;
        const std::int64_t x =
            static_cast<std::int64_t>(output % s.output_width()) * s.stride - s.pad;
        if (y < 0 || y >= std::int64_t{s.height}) continue;
        // Halves of the filter row beside the image are not in the map.
        const std::int64_t left = std::max(static_cast<std::int64_t>(first), -x * channels);
        const std::int64_t right =
            std::min(static_cast<std::int64_t>(end), (std::int64_t{s.width} - x) * channels);
        if (left >= right) continue;
        rows[i] = {((image * s.height + y) * s.width + x) * channels + left,
                   static_cast<std::uint32_t>(left - static_cast<std::int64_t>(first)),
                   static_cast<std::uint32_t>(right - left)};
    }
    return rows;
}

void DenseMap::copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                      std::uint32_t slot, std::uint32_t pitch, std::vector<StagedCopy>& out) const {
    const LoweringShape& shape = window_.shape();
    const std::uint64_t filter_row = std::uint64_t{shape.filter_width} * shape.channels;
    // Copies one tap at a time if its channels are whole tiles.
    const std::uint64_t segment = shape.channels % kDepthTile == 0 ? shape.channels : filter_row;
    const std::uint64_t begin = std::uint64_t{first} * kDepthTile;
    const std::uint64_t end = std::min(begin + std::uint64_t{depth_tiles} * kDepthTile, shape.k());
    for (std::uint64_t k = begin; k < end;) {
        const std::uint64_t stop = std::min({end, (k / segment + 1) * segment, k + kMostHalves});
        const std::uint64_t at = k % filter_row;
        const auto halves = static_cast<std::uint32_t>(
            (stop == end ? round_up(end, std::uint64_t{kDepthTile}) : stop) - k);
        const std::vector<Row> rows =
            this->rows(line_tile, static_cast<std::uint32_t>(k / filter_row), at, at + stop - k);
        const std::uint32_t most = kCopyBytes / (halves * kHalfBytes);
        for (std::uint32_t i = 0; i < rows.size();) {
            StagedCopy copy = block(rows, i, most, halves);
            copy.shared = slot + i * pitch + static_cast<std::uint32_t>(k - begin) * kHalfBytes;
            copy.shared_pitch = pitch;
            i += copy.stored_rows();
            out.push_back(copy);
        }
        k = stop;
    }
}

/// Returns up to `most` rows from `first` on that form one load: equidistant in the map, with rows
/// of padding before and behind.
StagedCopy DenseMap::block(const std::vector<Row>& rows, std::uint32_t first, std::uint32_t most,
                           std::uint32_t halves) const {
    const LoweringShape& shape = window_.shape();
    const std::int64_t step = std::int64_t{shape.stride} * shape.channels;
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(rows.size(), first + most));
    const auto row_bytes = static_cast<std::uint16_t>(halves * kHalfBytes);
    StagedCopy copy;
    std::uint32_t at = first;
    while (at < end && rows[at].halves == 0) ++at;
    copy.zero_rows_before = static_cast<std::uint16_t>(at - first);
    if (at == end) {
        copy.rows = 0;
        copy.row_bytes = row_bytes;
        return copy;
    }
    const Row& loaded = rows[at];
    std::uint16_t count = 1;
    while (++at < end && rows[at].halves == loaded.halves && rows[at].skipped == loaded.skipped &&
           rows[at].half == loaded.half + count * step) {
        ++count;
    }
    const std::uint32_t behind = at;
    while (at < end && rows[at].halves == 0) ++at;
    copy.global = base_ + static_cast<Address>(loaded.half) * kHalfBytes;
    copy.rows = count;
    copy.row_bytes = static_cast<std::uint16_t>(loaded.halves * kHalfBytes);
    copy.global_pitch = static_cast<std::uint32_t>(step) * kHalfBytes;
    copy.zero_rows_behind = static_cast<std::uint16_t>(at - behind);
    copy.zero_bytes_before = static_cast<std::uint16_t>(loaded.skipped * kHalfBytes);
    copy.zero_bytes_behind =
        static_cast<std::uint16_t>(row_bytes - copy.row_bytes - copy.zero_bytes_before);
    return copy;
}

StagedOperand::Needs MapLines::needs(std::uint32_t depth_tiles) const {
    Needs most{kLineTile * DenseLines::shared_pitch(depth_tiles), 0, 0, 0};
    const auto line_tiles =
        static_cast<std::uint32_t>(ceil_div(shape_.lines(), std::uint64_t{kLineTile}));
    const auto k_tiles =
        static_cast<std::uint32_t>(ceil_div(shape_.k(), std::uint64_t{kDepthTile}));
    std::vector<StagedCopy> list;
    for (std::uint32_t line_tile = 0; line_tile < line_tiles; ++line_tile) {
        for (std::uint32_t first = 0; first < k_tiles; first += depth_tiles) {
            list.clear();
            copies(line_tile, first, depth_tiles, 0, list);
            include(list, most);
        }
    }
    return most;
}

void MapLines::copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                      std::uint32_t slot, std::vector<StagedCopy>& out) const {
    map_.copies(line_tile, first, depth_tiles, slot, DenseLines::shared_pitch(depth_tiles), out);
}

void DenseMapTiles::copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                           std::uint32_t slot, std::vector<StagedCopy>& out) const {
    const std::uint32_t depth = std::min(depth_tiles, matrix().k_tiles() - first);
    map_.copies(line_tile, first, depth, slot, depth * kDepthTile * kHalfBytes, out);
}

void DenseMapTiles::gather(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                           bool bitmaps, std::vector<BitGather::Move>& out) const {
    if (bitmaps) return;
    const std::uint64_t left = matrix().lines() - std::uint64_t{line_tile} * kLineTile;
    const auto lines = static_cast<std::uint32_t>(std::min<std::uint64_t>(kLineTile, left));
    const std::uint32_t depth = std::min(depth_tiles, matrix().k_tiles() - first);
    const std::uint64_t begin = matrix().tile(line_tile, first);
    for (std::uint32_t t = 0; t < depth; ++t) {
        auto value = static_cast<std::uint32_t>(matrix().value_offset_bytes(begin + t) -
                                                matrix().value_offset_bytes(begin));
        for (std::uint32_t i = 0; i < kDepthTile; ++i) {
            const std::uint32_t k = t * kDepthTile + i;
            if (std::uint64_t{first} * kDepthTile + k >= matrix().k()) break;
            for (std::uint32_t line = 0; line < lines; ++line) {
                const std::uint32_t from = (line * depth * kDepthTile + k) * kHalfBytes;
                out.push_back({from * kByteBits, value * kByteBits});
                value += kHalfBytes;
            }
        }
    }
}

void MapTiles::cover(std::uint32_t line_tile, std::uint32_t k_tile,
                     std::vector<std::uint64_t>& tiles) const {
    const LoweringShape& shape = window_.shape();
    const std::uint64_t begin = std::uint64_t{k_tile} * kDepthTile;
    const std::uint64_t end = std::min(begin + kDepthTile, shape.k());
    std::vector<MapWindow::LineRun> runs;
    for (std::uint64_t k = begin; k < end;) {
        const std::uint64_t tap = k / shape.channels;
        const std::uint64_t stop = std::min(end, (tap + 1) * shape.channels);
        const auto first = static_cast<std::uint32_t>(k % shape.channels / kDepthTile);
        const auto last = static_cast<std::uint32_t>((stop - 1) % shape.channels / kDepthTile);
        runs.clear();
        window_.runs(line_tile, static_cast<std::uint32_t>(tap / shape.filter_width),
                     static_cast<std::uint32_t>(tap % shape.filter_width), runs);
        for (const MapWindow::LineRun& run : runs) {
            const std::int64_t last_pixel =
                run.pixel + (std::int64_t{run.lines} - 1) * std::int64_t{shape.stride};
            for (std::int64_t t = run.pixel / kLineTile; t <= last_pixel / kLineTile; ++t) {
                for (std::uint32_t c = first; c <= last; ++c) {
                    tiles.push_back(map_.tile(static_cast<std::uint32_t>(t), c));
                }
            }
        }
        k = stop;
    }
}

std::vector<std::uint64_t> MapTiles::covered(std::uint32_t line_tile, std::uint32_t first,
                                             std::uint32_t depth_tiles) const {
    std::vector<std::uint64_t> tiles;
    const std::uint32_t end = std::min(first + depth_tiles, matrix().k_tiles());
    for (std::uint32_t at = first; at < end; ++at) cover(line_tile, order_[at], tiles);
    std::sort(tiles.begin(), tiles.end());
    tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
    return tiles;
}

void MapTiles::copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                      std::uint32_t slot, std::vector<StagedCopy>& out) const {
    std::vector<std::uint64_t> tiles = covered(line_tile, first, depth_tiles);
    std::uint32_t at = slot;
    const auto append = [&](Address global, std::uint32_t rows, std::uint32_t row_bytes,
                            std::uint64_t pitch) {
        out.push_back({global, at, static_cast<std::uint16_t>(rows),
                       static_cast<std::uint16_t>(row_bytes), static_cast<std::uint32_t>(pitch),
                       row_bytes});
        at += rows * row_bytes;
    };
    if (first % kDescriptors < depth_tiles) {
        std::uint64_t done = ~std::uint64_t{0};
        for (const std::uint64_t id : tiles) {
            if (id / map_.k_tiles() == done) continue;
            done = id / map_.k_tiles();
            const std::uint64_t left = map_.k_tiles() - id % map_.k_tiles();
            const auto count =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(kDescriptors, left));
            append(place_.descriptors + id * sizeof(std::uint32_t), 1,
                   count * std::uint32_t{sizeof(std::uint32_t)}, 0);
        }
    }
    tiles.erase(std::remove_if(tiles.begin(), tiles.end(),
                               [this](std::uint64_t id) { return map_.tile_empty(id); }),
                tiles.end());
    // Equidistant bitmaps form one load.
    const auto bitmap = [&](std::size_t i) { return map_.bitmap_offset_bytes(tiles[i]); };
    for (std::size_t i = 0; i < tiles.size();) {
        const std::uint64_t pitch = i + 1 < tiles.size() ? bitmap(i + 1) - bitmap(i) : 0;
        std::size_t end = i + 1;
        while (end < tiles.size() && end - i < kCopyBytes / kBitmapBytes &&
               bitmap(end) - bitmap(end - 1) == pitch) {
            ++end;
        }
        append(place_.bitmaps + bitmap(i), static_cast<std::uint32_t>(end - i), kBitmapBytes,
               pitch);
        i = end;
    }
    for (const std::uint64_t id : tiles) {
        const std::uint32_t bytes = round_up(map_.tile_nnz(id) * kHalfBytes, kValueAlignmentBytes);
        const Address begin = place_.values + map_.value_offset_bytes(id);
        for (std::uint32_t done = 0; done < bytes; done += kCopyBytes) {
            append(begin + done, 1, std::min(kCopyBytes, bytes - done), 0);
        }
    }
}

void MapTiles::needed(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                      std::uint32_t tiles, std::vector<AddressRange>& out) const {
    out.push_back({place_.descriptors, place_.descriptors + map_.tile_desc_bytes()});
    const std::uint32_t end = std::min(first + depth_tiles, matrix().k_tiles());
    std::vector<std::uint64_t> of_map;
    for (std::uint32_t at = first; at < end; ++at) {
        if ((tiles >> (at - first) & 1U) != 0) cover(line_tile, order_[at], of_map);
    }
    std::sort(of_map.begin(), of_map.end());
    of_map.erase(std::unique(of_map.begin(), of_map.end()), of_map.end());
    for (const std::uint64_t id : of_map) {
        if (map_.tile_empty(id)) continue;
        const Address bitmaps = place_.bitmaps + map_.bitmap_offset_bytes(id);
        out.push_back({bitmaps, bitmaps + kBitmapBytes});
        const Address values = place_.values + map_.value_offset_bytes(id);
        out.push_back(
            {values, values + round_up(map_.tile_nnz(id) * kHalfBytes, kValueAlignmentBytes)});
    }
}

void MapTiles::gather(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                      bool bitmaps, std::vector<BitGather::Move>& out) const {
    std::vector<StagedCopy> copied;
    copies(line_tile, first, depth_tiles, 0, copied);
    const auto in_slot = [&copied](Address global) {
        for (const StagedCopy& copy : copied) {
            if (global < copy.global) continue;
            const Address pitch = std::max<Address>(copy.global_pitch, copy.row_bytes);
            const Address row = (global - copy.global) / pitch;
            const Address at = (global - copy.global) % pitch;
            if (row >= copy.rows || at >= copy.row_bytes) continue;
            return copy.shared + static_cast<std::uint32_t>(row * copy.shared_pitch + at);
        }
        throw std::logic_error("MapTiles: a step's input is not among its copies");
    };
    const LoweringShape& shape = window_.shape();
    const std::uint64_t begin = matrix().tile(line_tile, first);
    const std::uint32_t depth = std::min(depth_tiles, matrix().k_tiles() - first);
    std::vector<MapWindow::LineRun> runs;
    for (std::uint32_t t = 0; t < depth; ++t) {
        auto value = static_cast<std::uint32_t>(matrix().value_offset_bytes(begin + t) -
                                                matrix().value_offset_bytes(begin));
        for (std::uint32_t i = 0; i < kDepthTile; ++i) {
            const std::uint64_t k = std::uint64_t{order_[first + t]} * kDepthTile + i;
            if (k >= shape.k()) break;
            const auto tap = static_cast<std::uint32_t>(k / shape.channels);
            const auto channel = static_cast<std::uint32_t>(k % shape.channels);
            runs.clear();
            window_.runs(line_tile, tap / shape.filter_width, tap % shape.filter_width, runs);
            for (const MapWindow::LineRun& run : runs) {
                for (std::uint32_t line = 0; line < run.lines; ++line) {
                    const auto pixel =
                        static_cast<std::uint64_t>(run.pixel) + std::uint64_t{line} * shape.stride;
                    const std::uint64_t id = map_.tile(
                        static_cast<std::uint32_t>(pixel / kLineTile), channel / kDepthTile);
                    if (map_.tile_empty(id)) continue;
                    const std::uint32_t* const masks = map_.masks(id);
                    const std::uint32_t word = channel % kDepthTile;
                    const auto bit = static_cast<std::uint32_t>(pixel % kLineTile);
                    if (bitmaps) {
                        const Address address = place_.bitmaps + map_.bitmap_offset_bytes(id) +
                                                word * sizeof(std::uint32_t) + bit / kByteBits;
                        out.push_back({in_slot(address) * kByteBits + bit % kByteBits,
                                       (t * kDepthTile + i) * kLineTile + run.line + line});
                    } else if ((masks[word] >> bit & 1U) != 0) {
                        auto before = static_cast<std::uint32_t>(
                            __builtin_popcount(masks[word] & ((1U << bit) - 1)));
                        for (std::uint32_t w = 0; w < word; ++w) before += map_.counts(id)[w];
                        const Address address = place_.values + map_.value_offset_bytes(id) +
                                                Address{before} * kHalfBytes;
                        out.push_back({in_slot(address) * kByteBits, value * kByteBits});
                        value += kHalfBytes;
                    }
                }
            }
        }
    }
}

std::vector<std::uint32_t> taps_together(const LoweringShape& shape) {
    const auto k_tiles = static_cast<std::uint32_t>(ceil_div(shape.k(), std::uint64_t{kDepthTile}));
    std::vector<std::uint32_t> order;
    order.reserve(k_tiles);
    if (shape.channels % kDepthTile != 0) {
        order.resize(k_tiles);
        std::iota(order.begin(), order.end(), 0U);
        return order;
    }
    const std::uint32_t pieces = shape.channels / kDepthTile;
    for (std::uint32_t row = 0; row < shape.filter_height; ++row) {
        for (std::uint32_t piece = 0; piece < pieces; ++piece) {
            for (std::uint32_t column = 0; column < shape.filter_width; ++column) {
                order.push_back((row * shape.filter_width + column) * pieces + piece);
            }
        }
    }
    return order;
}

}  // namespace tessera
