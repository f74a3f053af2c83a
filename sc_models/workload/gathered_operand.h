// An operand of a dense product whose elements lie anywhere: a warp's lanes load from addresses of
// their own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sc_models/workload/staged_operand.h"

namespace tessera {

/// Elements side by side in memory: `count` halves at `address` are elements `first` on.
struct ElementRun {
    Address address = 0;
    std::uint64_t first = 0, count = 0;
    std::uint32_t row = 0;  ///< of the block that was asked for
};

/// Elements `first` to before `end` of `rows` rows of an array, from row `outer` on.
struct ElementBlock {
    std::uint32_t member = 0;  ///< of a batch of products
    std::uint64_t outer = 0;
    std::uint32_t rows = 0;
    std::uint64_t first = 0, end = 0;
};

/// Which halves of memory an operand's elements are. An operand is an array, of which `inner` lies
/// side by side in memory where it can: k of a line, or lines of a k. What lies in no run is zero.
class ElementSource {
public:
    virtual ~ElementSource() = default;

    /// k of member `member` of a batch of products.
    [[nodiscard]] virtual std::uint64_t depth(std::uint32_t member) const = 0;
    /// Appends the runs of a block: rows ascending, and elements within a row. A run is of one row.
    virtual void runs(const ElementBlock& block, std::vector<ElementRun>& out) const = 0;
};

/// Lines of an ElementSource, staged as DenseLines are, or as LinesAside are where lines lie side
/// by side. A warp's load brings as many rows of the slot as its lanes can, each lane `lane_bytes`.
/// Where the rows of a load lie equally far apart it is a plain one; lanes whose element is zero
/// are predicated off.
class GatheredOperand : public StagedOperand {
public:
    struct Layout {
        bool aside = false;           ///< outer is k
        std::uint32_t cta_tiles = 1;  ///< line tiles of a CTA
        std::uint64_t lines = 0;      ///< of the largest member
        std::uint32_t lane_bytes = kPieceBytes;
    };
    /// `source` must live as long; without it only needs() and fragment() can be asked.
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
    [[nodiscard]] Fragment fragment(std::uint32_t line, std::uint32_t tile,
                                    std::uint32_t depth_tiles) const override;

private:
    /// A rectangle of the array that goes into a slot.
    struct Block {
        std::uint64_t outer = 0, rows = 0, inner = 0, elements = 0;
        std::uint32_t shared = 0, shared_pitch = 0;
    };
    void cut(std::uint32_t member, const Block& block, std::vector<StagedCopy>& out) const;
    [[nodiscard]] std::uint32_t shared_pitch(std::uint32_t depth_tiles) const;
    [[nodiscard]] std::uint32_t load_bytes() const;

    const ElementSource* source_;
    Layout layout_;
};

/// Makes `instruction` access what `lanes` has pieces of, their offsets being addresses: a plain
/// one where they are equally large and far apart, else one with these lanes. There is at least
/// one.
void set_pieces(WarpInstruction& instruction, LaneAccess& lanes);

}  // namespace tessera
