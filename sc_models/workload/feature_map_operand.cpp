#include "sc_models/workload/feature_map_operand.h"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

constexpr std::uint32_t kCopyBytes = 4 * kWarpRegisterBytes;
constexpr std::uint32_t kHalfBytes = sizeof(HalfBits);

}  // namespace

MapWindow::MapWindow(const LoweringShape& shape)
    : shape_(shape),
      output_width_(shape.output_width()),
      outputs_(std::uint64_t{shape.output_height()} * output_width_) {}

void MapWindow::runs(std::uint32_t line_tile, std::uint32_t filter_row, std::uint32_t filter_column,
                     bool beyond_sides, std::vector<Run>& out) const {
    const std::uint64_t first = std::uint64_t{line_tile} * kLineTile;
    const std::uint64_t end = std::min(first + kLineTile, shape_.lines());
    const std::int64_t stride = shape_.stride;
    const std::int64_t width = shape_.width;
    for (std::uint64_t line = first; line < end;) {
        const std::uint64_t output = line % outputs_;
        const std::int64_t column = static_cast<std::int64_t>(output % output_width_);
        const std::int64_t count =
            std::min(std::int64_t{output_width_} - column, static_cast<std::int64_t>(end - line));
        const std::int64_t y = static_cast<std::int64_t>(output / output_width_) * stride +
                               filter_row - std::int64_t{shape_.pad};
        const std::int64_t x = column * stride + filter_column - std::int64_t{shape_.pad};
        std::int64_t begin = 0;
        std::int64_t behind = count;
        if (!beyond_sides) {
            if (x < 0) begin = ceil_div(-x, stride);
            behind = x < width ? std::min(count, (width - 1 - x) / stride + 1) : 0;
        }
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

void DenseMap::copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                      std::uint32_t slot, std::uint32_t pitch, std::vector<StagedCopy>& out) const {
    const LoweringShape& shape = window_.shape();
    const bool by_tap = shape.channels % kDepthTile == 0;
    const std::uint64_t segment =
        by_tap ? shape.channels : std::uint64_t{shape.filter_width} * shape.channels;
    const std::uint64_t begin = std::uint64_t{first} * kDepthTile;
    const std::uint64_t end = std::min(begin + std::uint64_t{depth_tiles} * kDepthTile, shape.k());
    std::vector<MapWindow::Run> runs;
    for (std::uint64_t k = begin; k < end;) {
        const std::uint64_t stop = std::min(end, (k / segment + 1) * segment);
        const auto index = static_cast<std::uint32_t>(k / segment);
        runs.clear();
        if (by_tap) {
            window_.runs(line_tile, index / shape.filter_width, index % shape.filter_width, false,
                         runs);
        } else {
            window_.runs(line_tile, index, 0, true, runs);
        }
        const auto row_bytes = static_cast<std::uint32_t>(stop - k) * kHalfBytes;
        const std::uint32_t most = std::max(1U, kCopyBytes / row_bytes);
        for (const MapWindow::Run& run : runs) {
            for (std::uint32_t i = 0; i < run.lines; i += most) {
                const std::int64_t half =
                    (run.pixel + std::int64_t{i} * shape.stride) * shape.channels +
                    static_cast<std::int64_t>(k % segment);
                out.push_back({base_ + static_cast<Address>(half * kHalfBytes),
                               slot + (run.line + i) * pitch +
                                   static_cast<std::uint32_t>(k - begin) * kHalfBytes,
                               static_cast<std::uint16_t>(std::min(most, run.lines - i)),
                               static_cast<std::uint16_t>(row_bytes),
                               shape.stride * shape.channels * kHalfBytes, pitch});
            }
        }
        k = stop;
    }
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

void MapTiles::cover(std::uint32_t line_tile, std::uint32_t k_tile,
                     std::vector<std::uint64_t>& tiles) const {
    const LoweringShape& shape = window_.shape();
    const std::uint64_t begin = std::uint64_t{k_tile} * kDepthTile;
    const std::uint64_t end = std::min(begin + kDepthTile, shape.k());
    std::vector<MapWindow::Run> runs;
    for (std::uint64_t k = begin; k < end;) {
        const std::uint64_t tap = k / shape.channels;
        const std::uint64_t stop = std::min(end, (tap + 1) * shape.channels);
        const auto first = static_cast<std::uint32_t>(k % shape.channels / kDepthTile);
        const auto last = static_cast<std::uint32_t>((stop - 1) % shape.channels / kDepthTile);
        runs.clear();
        window_.runs(line_tile, static_cast<std::uint32_t>(tap / shape.filter_width),
                     static_cast<std::uint32_t>(tap % shape.filter_width), false, runs);
        for (const MapWindow::Run& run : runs) {
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
    // Bitmaps that lie equally far apart are one load.
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
