// Staging of an operand of a product from global memory into shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/isa/warp_instruction.h"
#include "sc_models/sparse/bitmap_matrix.h"

namespace tessera {

/// Lines of an operand that are staged together: rows of A, columns of B.
inline constexpr std::uint32_t kLineTile = kSparseTileLines;
/// Number of k in one step of a tensor core's operand.
inline constexpr std::uint32_t kDepthTile = kSparseTileK;

/// Global memory from byte `begin` to before `end`.
struct AddressRange {
    Address begin = 0, end = 0;
};

/// One load from global and one store to shared memory, at most 512 B: `rows` pieces of `row_bytes`
/// bytes. The stored block may have zeros around the loaded one (padding of a feature map: lanes of
/// the load that are predicated off).
struct StagedCopy {
    Address global = 0;
    std::uint32_t shared = 0;  ///< start of the leading zeros
    std::uint16_t rows = 1;    ///< 0: only zeros, no load
    std::uint16_t row_bytes = 0;
    std::uint32_t global_pitch = 0;
    std::uint32_t shared_pitch = 0;
    std::uint16_t zero_rows_before = 0, zero_rows_behind = 0;
    std::uint16_t zero_bytes_before = 0, zero_bytes_behind = 0;  ///< of every row
    /// Position in the array of a GatheredOperand, which computes the addresses itself.
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
    /// Returns the load, to register `reg` on; a move of zeros if there is nothing to load.
    [[nodiscard]] WarpInstruction load_to(std::uint8_t reg) const;
    /// Returns the copy as one instruction without registers, past L1 (cp.async.cg); it must have
    /// no zeros.
    [[nodiscard]] WarpInstruction copy_async() const;
    /// Registers that hold the copy in flight.
    [[nodiscard]] std::uint32_t registers() const {
        return ceil_div(stored_rows() * stored_row_bytes(), kWarpRegisterBytes);
    }
    /// Cuts a copy without zeros to the rows (with one row, the bytes) from the first to the last
    /// that overlap `needed`, and keeps their positions. Returns false if nothing is left.
    [[nodiscard]] bool cut_to(const std::vector<AddressRange>& needed);
};

inline constexpr std::uint32_t kCopyRegisters = 4;  ///< of the largest copy

/// A or B of a product, cut into line tiles of 32 lines. A line tile's part of a k-step has a slot
/// in shared memory, of the same size for all tiles.
class StagedOperand {
public:
    virtual ~StagedOperand() = default;

    /// Maximum requirements of any line tile in any step.
    struct Needs {
        std::uint32_t slot_bytes = 0;       ///< in shared memory
        std::uint32_t copies = 0;           ///< number appended by copies()
        std::uint32_t copy_registers = 0;   ///< hold the copies in flight
        std::uint32_t value_registers = 0;  ///< hold the values of a step
    };
    /// Raises `most` to the requirements of these copies of a line tile's step.
    static void include(const std::vector<StagedCopy>& copies, Needs& most);
    /// Returns the requirements of steps of `depth_tiles` x 16 k.
    [[nodiscard]] virtual Needs needs(std::uint32_t depth_tiles) const = 0;
    /// Appends the copies of line tile `line_tile` for `depth_tiles` x 16 k from depth tile `first`
    /// on, into the slot at `slot`.
    virtual void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                        std::uint32_t slot, std::vector<StagedCopy>& out) const = 0;
    /// Line tiles `first` to before `end` of a CTA, whose slots of `slot_bytes` are contiguous.
    struct TileRange {
        std::uint32_t first = 0, end = 0;
        std::uint32_t member = 0;  ///< of a batch of products (StagedProduct::members)
    };
    virtual void copies_of_cta(const TileRange& tiles, std::uint32_t first,
                               std::uint32_t depth_tiles, std::uint32_t slot,
                               std::uint32_t slot_bytes, std::vector<StagedCopy>& out) const;
    /// Returns the load of a copy to register `reg` on; per-lane addresses are written to `lanes`.
    [[nodiscard]] virtual WarpInstruction load(const StagedCopy& copy, std::uint8_t reg,
                                               LaneAccess& /*lanes*/) const {
        return copy.load_to(reg);
    }
    /// Returns a copy as one instruction without registers; per-lane addresses are written to
    /// `lanes`.
    [[nodiscard]] virtual WarpInstruction copy_async(const StagedCopy& copy,
                                                     LaneAccess& /*lanes*/) const {
        return copy.copy_async();
    }
    /// Position of a 16x16 fragment in a CTA's slots: line `line` of the CTA and 16 k from depth
    /// tile `tile` of the step on. Lines have the layout of DenseLines by default.
    struct Fragment {
        std::uint32_t offset = 0, pitch_bytes = 0;
        bool transposed = false;  ///< a row is a k
    };
    [[nodiscard]] virtual Fragment fragment(std::uint32_t line, std::uint32_t tile,
                                            std::uint32_t depth_tiles) const;
};

/// Lines of `k_tiles` x 16 k, `tile_bytes` per tile and contiguous, allocated up to whole line
/// tiles: the source of FEDP fragments. Dense halves take 32 bytes per tile. In shared memory the
/// pitch of lines avoids bank conflicts of a fragment.
class DenseLines : public StagedOperand {
public:
    DenseLines(Address base, std::uint32_t k_tiles, std::uint32_t tile_bytes = kFragmentRowBytes,
               bool swizzled = false)
        : base_(base), k_tiles_(k_tiles), tile_bytes_(tile_bytes), swizzled_(swizzled) {}

    /// Bytes between lines in shared memory: an odd number of 32-byte pieces, or what a line needs
    /// if a swizzle avoids the conflicts.
    [[nodiscard]] static constexpr std::uint32_t shared_pitch(std::uint32_t depth_tiles,
                                                              bool swizzled = false) {
        return (swizzled ? depth_tiles : depth_tiles | 1U) * kFragmentRowBytes;
    }
    [[nodiscard]] Fragment fragment(std::uint32_t line, std::uint32_t tile,
                                    std::uint32_t depth_tiles) const override {
        const std::uint32_t pitch = shared_pitch(depth_tiles, swizzled_);
        return {line * pitch + tile * kFragmentRowBytes, pitch, false};
    }
    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override;
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;

private:
    Address base_;
    std::uint32_t k_tiles_, tile_bytes_;
    bool swizzled_;
};

/// Adjacent lines: `lines` halves of one k, followed `pitch_bytes` further on by those of the next,
/// of k_tiles x 16 k. A row of shared memory holds the part of one k that a CTA of `cta_tiles` line
/// tiles needs. The tensor cores also take such fragments (HMMA's row and column operands).
class TransposedLines : public StagedOperand {
public:
    struct Placement {
        Address base = 0;
        std::uint32_t pitch_bytes = 0;  ///< a multiple of 16
        std::uint64_t lines = 0;
        std::uint32_t k_tiles = 0;
    };
    TransposedLines(const Placement& place, std::uint32_t cta_tiles, bool swizzled = false)
        : place_(place), cta_tiles_(cta_tiles), swizzled_(swizzled) {}

    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override;
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;
    void copies_of_cta(const TileRange& tiles, std::uint32_t first, std::uint32_t depth_tiles,
                       std::uint32_t slot, std::uint32_t slot_bytes,
                       std::vector<StagedCopy>& out) const override;
    [[nodiscard]] Fragment fragment(std::uint32_t line, std::uint32_t tile,
                                    std::uint32_t depth_tiles) const override;

private:
    /// Bytes between k in shared memory: an odd number of 32-byte pieces, which avoids bank
    /// conflicts, or what a k needs if a swizzle does.
    [[nodiscard]] std::uint32_t shared_pitch() const {
        return (cta_tiles_ * kLineTile * std::uint32_t{sizeof(HalfBits)}) +
               (swizzled_ ? 0 : kFragmentRowBytes);
    }

    Placement place_;
    std::uint32_t cta_tiles_;
    bool swizzled_;
};

/// A of FEDP fragments that warps load directly from global memory.
class UnstagedLines : public StagedOperand {
public:
    [[nodiscard]] Needs needs(std::uint32_t /*depth_tiles*/) const override { return {}; }
    void copies(std::uint32_t /*line_tile*/, std::uint32_t /*first*/, std::uint32_t /*depth_tiles*/,
                std::uint32_t /*slot*/, std::vector<StagedCopy>& /*out*/) const override {}
};

/// Tiles of a bitmap matrix in global memory (dual-side sparse tensor core, III-C): descriptors,
/// bitmaps and values. In a slot the bitmaps of a step's tiles are contiguous, and so are their
/// values. No bitmaps are copied for a tile with all its elements, which its descriptor marks.
/// Without bitmaps, all elements are stored and only values are copied.
class BitmapTiles : public StagedOperand {
public:
    struct TilePlace {
        Address descriptors = 0, bitmaps = 0, values = 0;
        bool with_bitmaps = true;
        bool descriptors_apart = false;  ///< not in copies() but in descriptor_copies()
    };
    static constexpr std::uint32_t kBitmapBytes = kSparseTileK * sizeof(std::uint32_t);
    /// Number of descriptors fetched together.
    static constexpr std::uint32_t kDescriptors = 32;

    BitmapTiles(const BitmapMatrix& matrix, const TilePlace& place)
        : matrix_(matrix), place_(place) {}

    [[nodiscard]] const BitmapMatrix& matrix() const { return matrix_; }
    [[nodiscard]] bool with_bitmaps() const { return place_.with_bitmaps; }
    /// Whether the copies are tiles of a feature map, whose bitmaps warps lower themselves.
    [[nodiscard]] virtual bool lowers() const { return false; }
    /// Whether the values of a k are contiguous in a slot, so that those of other k need not be
    /// read.
    [[nodiscard]] virtual bool values_by_k() const { return true; }
    /// Bytes between lines if a slot of a step of `depth_tiles` x 16 k stores values by line, not
    /// tile by tile; otherwise 0.
    [[nodiscard]] virtual std::uint32_t line_bytes(std::uint32_t /*depth_tiles*/) const {
        return 0;
    }
    /// For operands cut from a feature map: appends to `out` the moves of the step's elements, from
    /// a bit in the slot to a bit behind the first tile's bitmaps or values, k then line ascending.
    virtual void gather(std::uint32_t /*line_tile*/, std::uint32_t /*first*/,
                        std::uint32_t /*depth_tiles*/, bool /*bitmaps*/,
                        std::vector<BitGather::Move>& /*out*/) const {}
    /// Depth tiles of the longest step.
    static constexpr std::uint32_t kStepTiles = 8;
    /// Offset in a slot of the `index`th bitmaps of the step, or of the beginning of the values.
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
    /// Bytes of a tile's values, including the padding to a multiple of 16.
    [[nodiscard]] std::uint32_t value_bytes(std::uint64_t id) const {
        return round_up(matrix_.tile_nnz(id) * std::uint32_t{sizeof(HalfBits)},
                        kValueAlignmentBytes);
    }
    /// Slots and registers have the size of the fullest step and tile of this matrix.
    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override;
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;
    /// Appends the copy of the descriptors fetched with the step at depth tile `first`, if any.
    void descriptor_copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                           std::uint32_t slot, std::vector<StagedCopy>& out) const;
    /// Whether needed() reports the parts of a step's copies that its tiles need.
    [[nodiscard]] virtual bool tells_needed() const { return true; }
    /// Appends the needed parts of copies() if, of the step's depth tiles, only those with a bit
    /// set in `tiles` are multiplied. Descriptors are always needed.
    virtual void needed(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                        std::uint32_t tiles, std::vector<AddressRange>& out) const;

private:
    const BitmapMatrix& matrix_;
    TilePlace place_;
};

/// A of SpWMMAs that stores all elements and that warps load as fragments directly from global
/// memory: two fragments for the 32 lines of a tile.
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
