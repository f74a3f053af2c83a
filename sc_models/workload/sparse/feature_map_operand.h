// Operand A of a convolution, read from its feature map step by step: implicit im2col.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/sparse/lowered_operand.h"
#include "sc_models/workload/staged/staged_operand.h"

namespace tessera {

/// Input positions of the lines of a lowered operand in the feature map.
class MapWindow {
public:
    explicit MapWindow(const LoweringShape& shape);

    [[nodiscard]] const LoweringShape& shape() const { return shape_; }

    /// Neighbouring lines of a line tile whose inputs are `stride` pixels apart.
    struct LineRun {
        std::uint32_t line = 0, lines = 0;
        std::int64_t pixel = 0;  ///< input of the first line; images are contiguous
    };
    /// Appends the runs of a line tile under a tap. Lines whose input is padding belong to no run.
    void runs(std::uint32_t line_tile, std::uint32_t filter_row, std::uint32_t filter_column,
              std::vector<LineRun>& out) const;

private:
    LoweringShape shape_;
    std::uint32_t output_width_;
    std::uint64_t outputs_;  ///< of an image
};

/// A dense feature map, NHWC without padding of channels.
class DenseMap {
public:
    DenseMap(const LoweringShape& shape, Address base) : window_(shape), base_(base) {}

    /// Appends the copies of the map that a line tile needs for `depth_tiles` x 16 k from `first`
    /// on: one piece per line and tap (if channels are no multiple of 16: per line and filter row),
    /// in shared memory at `slot`, lines `pitch` bytes apart. Padding, and k up to the end of the
    /// last tile, become zeros.
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::uint32_t pitch, std::vector<StagedCopy>& out) const;

private:
    /// Part of a filter row that a line reads from the map.
    struct Row {
        std::int64_t half = 0;      ///< first half in the map
        std::uint32_t skipped = 0;  ///< halves of the filter row piece before it
        std::uint32_t halves = 0;   ///< 0: the piece is padding
    };
    /// Rows of the lines of a line tile, for halves `first` to `end` of a filter row.
    [[nodiscard]] std::vector<Row> rows(std::uint32_t line_tile, std::uint32_t filter_row,
                                        std::uint64_t first, std::uint64_t end) const;
    [[nodiscard]] StagedCopy block(const std::vector<Row>& rows, std::uint32_t first,
                                   std::uint32_t most, std::uint32_t halves) const;

    MapWindow window_;
    Address base_;
};

/// Lines of a dense feature map for FEDP fragments, with the shared memory layout of DenseLines.
class MapLines : public StagedOperand {
public:
    MapLines(const LoweringShape& shape, Address base) : shape_(shape), map_(shape, base) {}

    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override;
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;

private:
    LoweringShape shape_;
    DenseMap map_;
};

/// A dense feature map as a side of SpWMMAs that stores all elements.
class DenseMapTiles : public BitmapTiles {
public:
    /// `lowered` is the operand with all its elements stored.
    DenseMapTiles(const BitmapMatrix& lowered, const LoweringShape& shape, Address base)
        : BitmapTiles(lowered, {0, 0, base, false}), map_(shape, base) {}

    [[nodiscard]] bool values_by_k() const override { return false; }
    [[nodiscard]] bool tells_needed() const override { return false; }
    [[nodiscard]] std::uint32_t line_bytes(std::uint32_t depth_tiles) const override {
        return depth_tiles * kFragmentRowBytes;
    }
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;

    void gather(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                bool bitmaps, std::vector<BitGather::Move>& out) const override;

private:
    DenseMap map_;
};

/// A feature map in bitmaps (dual-side sparse tensor core, IV-B): the copies are the map's own
/// tiles, 32 pixels x 16 channels, that contain the inputs of a step's lowered tiles, each copied
/// once for all taps of the step; warps shift and mask their bitmaps in registers. For timing,
/// warps read as much of a slot, from its beginning, as the lowered step has; values come from
/// their real positions.
class MapTiles : public BitmapTiles {
public:
    /// `order`: k-tile of the lowered operand (filter row, filter column, channel) at each position
    /// along k.
    MapTiles(const BitmapMatrix& lowered, const BitmapMatrix& map, const TilePlace& place,
             const LoweringShape& shape, std::vector<std::uint32_t> order)
        : BitmapTiles(lowered, place),
          map_(map),
          place_(place),
          window_(shape),
          order_(std::move(order)) {}

    [[nodiscard]] bool lowers() const override { return true; }
    [[nodiscard]] bool values_by_k() const override { return false; }
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;
    void gather(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                bool bitmaps, std::vector<BitGather::Move>& out) const override;
    void needed(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t tiles, std::vector<AddressRange>& out) const override;
    /// Tiles of the map under a step, ascending.
    [[nodiscard]] std::vector<std::uint64_t> covered(std::uint32_t line_tile, std::uint32_t first,
                                                     std::uint32_t depth_tiles) const;

private:
    void cover(std::uint32_t line_tile, std::uint32_t k_tile,
               std::vector<std::uint64_t>& tiles) const;

    const BitmapMatrix& map_;
    TilePlace place_;
    MapWindow window_;
    std::vector<std::uint32_t> order_;
};

/// Order along k in which the taps of a filter row that read the same channels are consecutive: by
/// filter row, 16 channels, filter column. If channels are no multiple of 16, the original order.
[[nodiscard]] std::vector<std::uint32_t> taps_together(const LoweringShape& shape);

/// Number of consecutive k-tiles in that order that read the same tiles of the map.
[[nodiscard]] inline std::uint32_t taps_in_a_row(const LoweringShape& shape) {
    return shape.channels % kDepthTile == 0 ? shape.filter_width : 1;
}

}  // namespace tessera
