// How an operand of a staged product gets from global memory into shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sparse/bitmap_matrix.h"

namespace tessera {

/// Lines of an operand that are staged together: rows of A, columns of B.
inline constexpr std::uint32_t kLineTile = kSparseTileLines;
/// k of one step of a tensor core's operand.
inline constexpr std::uint32_t kDepthTile = kSparseTileK;

/// Bytes of global memory from `begin` to before `end`.
struct AddressRange {
    Address begin = 0, end = 0;
};

/// One load from global and one store to shared memory, 512 B at most: `rows` pieces of `row_bytes`
/// bytes. What is stored may have zeros around what is loaded (padding of a feature map: lanes of
/// the load that are predicated off).
struct StagedCopy {
    Address global = 0;
    std::uint32_t shared = 0;  ///< where the zeros before begin
    std::uint16_t rows = 1;    ///< 0: only zeros, no load
    std::uint16_t row_bytes = 0;
    std::uint32_t global_pitch = 0;
    std::uint32_t shared_pitch = 0;
    std::uint16_t zero_rows_before = 0, zero_rows_behind = 0;
    std::uint16_t zero_bytes_before = 0, zero_bytes_behind = 0;  ///< of every row
    /// Of a GatheredOperand, which alone knows the addresses: where in its array it begins.
    std::uint32_t member = 0;
    std::uint64_t outer = 0, inner = 0;

    [[nodiscard]] std::uint32_t stored_rows() const {
        return std::uint32_t{zero_rows_before} + rows + zero_rows_behind;
    }
    [[nodiscard]] std::uint32_t stored_row_bytes() const {
        return std::uint32_t{zero_bytes_before} + row_bytes + zero_bytes_behind;
    }
    [[nodiscard]] bool has_zeros() const {
        return stored_rows() != rows || stored_row_bytes() != row_bytes;
    }
    /// The load, to register `reg` on; a move of zeros where there is nothing to load.
    [[nodiscard]] WarpInstruction load_to(std::uint8_t reg) const;
    /// That hold it on its way.
    [[nodiscard]] std::uint32_t registers() const {
        return ceil_div(stored_rows() * stored_row_bytes(), kWarpRegisterBytes);
    }
    /// Of a copy without zeros: leaves the rows (of one row, the bytes) from the first to the last
    /// that some of `needed` has, where they are. False if that is nothing.
    [[nodiscard]] bool cut_to(const std::vector<AddressRange>& needed);
};

inline constexpr std::uint32_t kCopyRegisters = 4;  ///< of the largest copy

/// A or B of a product, cut into line tiles of 32 lines. A line tile's part of a k-step has a slot
/// in shared memory, the same for all tiles.
class StagedOperand {
public:
    virtual ~StagedOperand() = default;

    /// The most that any line tile needs in any step.
    struct Needs {
        std::uint32_t slot_bytes = 0;       ///< in shared memory
        std::uint32_t copies = 0;           ///< that copies() appends
        std::uint32_t copy_registers = 0;   ///< that hold them on their way
        std::uint32_t value_registers = 0;  ///< of the values of a step
    };
    /// Takes the copies of a line tile's step into account.
    static void include(const std::vector<StagedCopy>& copies, Needs& most);
    /// For steps of `depth_tiles` x 16 k.
    [[nodiscard]] virtual Needs needs(std::uint32_t depth_tiles) const = 0;
    /// Appends what must be copied of line tile `line_tile` for `depth_tiles` x 16 k from depth
    /// tile `first` on, into the slot at `slot`.
    virtual void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                        std::uint32_t slot, std::vector<StagedCopy>& out) const = 0;
    /// The same for line tiles `tiles.first` to before `tiles.end`, those of a CTA, whose slots of
    /// `slot_bytes` lie one behind the other.
    struct TileRange {
        std::uint32_t first = 0, end = 0;
        std::uint32_t member = 0;  ///< of a batch of products (StagedProduct::members)
    };
    virtual void copies_of_cta(const TileRange& tiles, std::uint32_t first,
                               std::uint32_t depth_tiles, std::uint32_t slot,
                               std::uint32_t slot_bytes, std::vector<StagedCopy>& out) const;
    /// The load of a copy to register `reg` on; what it has of lanes is put into `lanes`.
    [[nodiscard]] virtual WarpInstruction load(const StagedCopy& copy, std::uint8_t reg,
                                               LaneAccess& /*lanes*/) const {
        return copy.load_to(reg);
    }
    /// Where a 16x16 fragment lies in a CTA's slots: that of line `line` of the CTA and 16 k from
    /// depth tile `tile` of the step on. Lines lie as those of DenseLines, unless an operand says
    /// otherwise.
    struct Fragment {
        std::uint32_t offset = 0, pitch_bytes = 0;
        bool transposed = false;  ///< a row is a k
    };
    [[nodiscard]] virtual Fragment fragment(std::uint32_t line, std::uint32_t tile,
                                            std::uint32_t depth_tiles) const;
};

/// Lines of `k_tiles` x 16 k, `tile_bytes` each and one behind the other, allocated up to whole
/// line tiles: what FEDP fragments are cut from. Dense halves are 32 bytes a tile. In shared memory
/// lines lie such that a fragment has no bank conflicts.
class DenseLines : public StagedOperand {
public:
    DenseLines(Address base, std::uint32_t k_tiles, std::uint32_t tile_bytes = kFragmentRowBytes)
        : base_(base), k_tiles_(k_tiles), tile_bytes_(tile_bytes) {}

    /// Bytes from line to line in shared memory: an odd number of 32-byte pieces.
    [[nodiscard]] static constexpr std::uint32_t shared_pitch(std::uint32_t depth_tiles) {
        return (depth_tiles | 1U) * kFragmentRowBytes;
    }
    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override;
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;

private:
    Address base_;
    std::uint32_t k_tiles_, tile_bytes_;
};

/// Lines side by side: `lines` halves of one k, and `pitch_bytes` further on those of the next, of
/// k_tiles x 16 k. A row of shared memory has what a CTA of `cta_tiles` line tiles needs of a k.
/// The tensor cores take such fragments too (HMMA's row and column operands).
class LinesAside : public StagedOperand {
public:
    struct Place {
        Address base = 0;
        std::uint32_t pitch_bytes = 0;  ///< a multiple of 16
        std::uint64_t lines = 0;
        std::uint32_t k_tiles = 0;
    };
    LinesAside(const Place& place, std::uint32_t cta_tiles)
        : place_(place), cta_tiles_(cta_tiles) {}

    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override;
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;
    void copies_of_cta(const TileRange& tiles, std::uint32_t first, std::uint32_t depth_tiles,
                       std::uint32_t slot, std::uint32_t slot_bytes,
                       std::vector<StagedCopy>& out) const override;
    [[nodiscard]] Fragment fragment(std::uint32_t line, std::uint32_t tile,
                                    std::uint32_t depth_tiles) const override;

private:
    /// From k to k in shared memory: an odd number of 32-byte pieces, against bank conflicts.
    [[nodiscard]] std::uint32_t shared_pitch() const {
        return (cta_tiles_ * kLineTile * std::uint32_t{sizeof(HalfBits)}) + kFragmentRowBytes;
    }

    Place place_;
    std::uint32_t cta_tiles_;
};

/// A of FEDP fragments that warps load from global memory themselves.
class UnstagedLines : public StagedOperand {
public:
    [[nodiscard]] Needs needs(std::uint32_t /*depth_tiles*/) const override { return {}; }
    void copies(std::uint32_t /*line_tile*/, std::uint32_t /*first*/, std::uint32_t /*depth_tiles*/,
                std::uint32_t /*slot*/, std::vector<StagedCopy>& /*out*/) const override {}
};

/// Tiles of a bitmap matrix in global memory (dual-side sparse tensor core, III-C): descriptors,
/// bitmaps and values. In a slot the bitmaps of a step's tiles lie one behind the other, and so do
/// their values. Of a tile that has all its elements no bitmaps are copied: its descriptor says so.
/// Without bitmaps, all elements are stored and only values are copied.
class BitmapTiles : public StagedOperand {
public:
    struct TilePlace {
        Address descriptors = 0, bitmaps = 0, values = 0;
        bool with_bitmaps = true;
        bool descriptors_apart = false;  ///< not among copies(): descriptor_copies()
    };
    static constexpr std::uint32_t kBitmapBytes = kSparseTileK * sizeof(std::uint32_t);
    /// Descriptors that are fetched together.
    static constexpr std::uint32_t kDescriptors = 32;

    BitmapTiles(const BitmapMatrix& matrix, const TilePlace& place)
        : matrix_(matrix), place_(place) {}

    [[nodiscard]] const BitmapMatrix& matrix() const { return matrix_; }
    [[nodiscard]] bool with_bitmaps() const { return place_.with_bitmaps; }
    /// Whether what is copied are tiles of a feature map, whose bitmaps warps lower themselves.
    [[nodiscard]] virtual bool lowers() const { return false; }
    /// Whether the values of a k lie together in a slot, so that those of other k need not be read.
    [[nodiscard]] virtual bool values_by_k() const { return true; }
    /// Bytes from line to line where values lie by line in a slot of a step of `depth_tiles` x 16
    /// k, not tile by tile; else 0.
    [[nodiscard]] virtual std::uint32_t line_bytes(std::uint32_t /*depth_tiles*/) const {
        return 0;
    }
    /// Where elements of the step's tiles lie in a slot, for operands cut from a feature map:
    /// appended to `out`, from a bit in the slot to a bit behind the first tile's bitmaps or
    /// values, k then line ascending.
    virtual void gather(std::uint32_t /*line_tile*/, std::uint32_t /*first*/,
                        std::uint32_t /*depth_tiles*/, bool /*bitmaps*/,
                        std::vector<BitGather::Move>& /*out*/) const {}
    /// Depth tiles of the longest step.
    static constexpr std::uint32_t kStepTiles = 8;
    /// Offset in a slot of the `index`th bitmaps of the step, or of where the values begin.
    [[nodiscard]] static constexpr std::uint32_t bitmap_offset(std::uint32_t index) {
        return kDescriptors * std::uint32_t{sizeof(std::uint32_t)} + index * kBitmapBytes;
    }
    /// Offset in a slot of the values.
    [[nodiscard]] std::uint32_t values_offset(std::uint32_t depth_tiles) const {
        return place_.with_bitmaps ? bitmap_offset(depth_tiles) : 0;
    }
    /// Bytes of the values of `depth_tiles` tiles from tile `first` on.
    [[nodiscard]] std::uint32_t step_bytes(std::uint64_t first, std::uint32_t depth_tiles) const {
        const std::uint64_t last = first + depth_tiles - 1;
        return static_cast<std::uint32_t>(matrix_.value_offset_bytes(last) -
                                          matrix_.value_offset_bytes(first)) +
               value_bytes(last);
    }
    /// Bytes of a tile's values, with what fills them up to a multiple of 16.
    [[nodiscard]] std::uint32_t value_bytes(std::uint64_t id) const {
        return round_up(matrix_.tile_nnz(id) * std::uint32_t{sizeof(HalfBits)},
                        kValueAlignmentBytes);
    }
    /// Slots and registers are as large as the fullest step and tile of this matrix want them.
    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override;
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;
    /// Appends the copy of the descriptors that are fetched with the step at depth tile `first`, if
    /// there are any.
    void descriptor_copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                           std::uint32_t slot, std::vector<StagedCopy>& out) const;
    /// Whether needed() tells what of a step's copies its tiles need.
    [[nodiscard]] virtual bool tells_needed() const { return true; }
    /// Appends what is needed of copies() where, of the step's depth tiles, only those are
    /// multiplied whose bit is set in `tiles`. Descriptors always are.
    virtual void needed(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                        std::uint32_t tiles, std::vector<AddressRange>& out) const;

private:
    const BitmapMatrix& matrix_;
    TilePlace place_;
};

/// A of SpWMMAs, all of whose elements are stored, that warps load as fragments from global memory
/// themselves: two for the 32 lines of a tile.
class UnstagedTiles : public BitmapTiles {
public:
    static constexpr std::uint32_t kTileRegisters = 2 * kRegistersPerFragment;

    explicit UnstagedTiles(const BitmapMatrix& matrix) : BitmapTiles(matrix, {0, 0, 0, false}) {}

    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override {
        return {0, 0, 0, depth_tiles * kTileRegisters};
    }
    [[nodiscard]] bool values_by_k() const override { return false; }
    [[nodiscard]] bool tells_needed() const override { return false; }
    void copies(std::uint32_t /*line_tile*/, std::uint32_t /*first*/, std::uint32_t /*depth_tiles*/,
                std::uint32_t /*slot*/, std::vector<StagedCopy>& /*out*/) const override {}
};

}  // namespace tessera
