// Operand of a dense product with elements at arbitrary addresses: each lane of a warp loads from
// its own address.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sc_models/workload/staged/staged_operand.h"

namespace tessera {

/// Contiguous elements in memory: `count` halves at `address` are elements `first` on.
struct ElementRun {
    Address address = 0;
    std::uint64_t first = 0, count = 0;
    std::uint32_t row = 0;  ///< within the requested block
};

/// Elements `first` to before `end` of `rows` rows of an array, from row `outer` on.
struct ElementBlock {
    std::uint32_t member = 0;  ///< of a batch of products
    std::uint64_t outer = 0;
    std::uint32_t rows = 0;
    std::uint64_t first = 0, end = 0;
};

/// Addresses of an operand's elements. An operand is an array whose `inner` dimension is contiguous
/// in memory where possible: k of a line, or lines of a k. Elements in no run are zero.
class ElementSource {
public:
    virtual ~ElementSource() = default;

    /// Number of k of member `member` of a batch of products.
    [[nodiscard]] virtual std::uint64_t depth(std::uint32_t member) const = 0;
    /// Appends the runs of a block: rows ascending, and elements ascending within a row. A run lies
    /// within one row.
    virtual void runs(const ElementBlock& block, std::vector<ElementRun>& out) const = 0;
};

/// Lines of an ElementSource, staged like DenseLines, or like TransposedLines if lines are
/// adjacent. A warp's load brings as many rows of the slot as its lanes can, `lane_bytes` per lane.
/// If the rows of a load are equidistant it is a plain load; lanes whose element is zero are
/// predicated off.
class GatheredOperand : public StagedOperand {
public:
    struct Layout {
        bool aside = false;           ///< the outer dimension is k
        std::uint32_t cta_tiles = 1;  ///< line tiles of a CTA
        std::uint64_t lines = 0;      ///< largest member
        std::uint32_t lane_bytes = kPieceBytes;
        bool swizzled = false;  ///< in shared memory
    };
    /// `source` must outlive this; without it only needs() and fragment() may be called.
    GatheredOperand(const ElementSource* source, const Layout& layout)
        : source_(source), layout_(layout) {}

    [[nodiscard]] Needs needs(std::uint32_t depth_tiles) const override;
    void copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                std::uint32_t slot, std::vector<StagedCopy>& out) const override;
    void copies_of_cta(const TileRange& tiles, std::uint32_t first, std::uint32_t depth_tiles,
                       std::uint32_t slot, std::uint32_t slot_bytes,
                       std::vector<StagedCopy>& out) const override;
    [[nodiscard]] WarpInstruction load(const StagedCopy& copy, std::uint8_t reg,
                                       LaneAccess& lanes) const override;
    /// The lanes of elements that are zero read nothing and write zeros (cp.async with a source
    /// size of 0). Lanes of 16 bytes bypass L1 (.cg), which takes no others.
    [[nodiscard]] WarpInstruction copy_async(const StagedCopy& copy,
                                             LaneAccess& lanes) const override;
    [[nodiscard]] Fragment fragment(std::uint32_t line, std::uint32_t tile,
                                    std::uint32_t depth_tiles) const override;

private:
    /// A rectangle of the array for a slot.
    struct Block {
        std::uint64_t outer = 0, rows = 0, inner = 0, elements = 0;
        std::uint32_t shared = 0, shared_pitch = 0;
    };
    void cut(std::uint32_t member, const Block& block, std::vector<StagedCopy>& out) const;
    [[nodiscard]] std::uint32_t shared_pitch(std::uint32_t depth_tiles) const;
    [[nodiscard]] std::uint32_t load_bytes() const;
    std::uint32_t find_pieces(const StagedCopy& copy, std::uint32_t pitch, LaneAccess& lanes) const;

    const ElementSource* source_;
    Layout layout_;
};

/// Makes `instruction` access the pieces of `lanes`, whose offsets are addresses: a plain access if
/// they are equally large and equidistant, otherwise one with these lanes. There is at least one
/// piece.
void set_pieces(WarpInstruction& instruction, LaneAccess& lanes);

}  // namespace tessera
