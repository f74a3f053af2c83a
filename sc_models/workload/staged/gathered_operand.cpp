#include "sc_models/workload/staged/gathered_operand.h"

#include <algorithm>
#include <limits>

namespace tessera {
namespace {

constexpr std::uint32_t kHalf = sizeof(HalfBits);

bool equally_far(const std::vector<LaneAccess::Piece>& pieces) {
    if (pieces.size() < 2) return true;
    const std::int64_t pitch = pieces[1].offset - pieces[0].offset;
    const std::uint32_t place = pieces[1].place - pieces[0].place;
    if (pitch < 0 || pitch > std::numeric_limits<std::uint32_t>::max()) return false;
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        if (pieces[i].bytes != pieces[0].bytes ||
            pieces[i].offset - pieces[i - 1].offset != pitch ||
            pieces[i].place - pieces[i - 1].place != place) {
            return false;
        }
    }
    return true;
}

}  // namespace

void set_pieces(WarpInstruction& instruction, LaneAccess& lanes) {
    std::vector<LaneAccess::Piece>& pieces = lanes.pieces;
    const std::int64_t base = pieces[0].offset;
    MemoryAccess& memory = instruction.memory();
    memory.address = static_cast<Address>(base);
    if (equally_far(pieces)) {
        RegisterPlace& place = instruction.registers();
        memory.rows = static_cast<std::uint16_t>(pieces.size());
        memory.row_bytes = static_cast<std::uint16_t>(pieces[0].bytes);
        place.offset_bytes = static_cast<std::uint16_t>(pieces[0].place);
        if (pieces.size() == 1) return;
        memory.row_pitch_bytes = static_cast<std::uint32_t>(pieces[1].offset - base);
        place.pitch_bytes = static_cast<std::uint16_t>(pieces[1].place - pieces[0].place);
        return;
    }
    lanes.has_places = true;
    lanes.bytes = 0;
    for (LaneAccess::Piece& piece : pieces) {
        piece.offset -= base;
        lanes.bytes += piece.bytes;
    }
    memory.lanes = &lanes;
}

std::uint32_t GatheredOperand::load_bytes() const {
    constexpr std::uint32_t kLanes = 32;
    return kLanes * layout_.lane_bytes;
}

/// An odd number of 32-byte pieces, which avoids bank conflicts, or what a row needs if a swizzle
/// does.
std::uint32_t GatheredOperand::shared_pitch(std::uint32_t depth_tiles) const {
    return layout_.aside
               ? layout_.cta_tiles * kLineTile * kHalf + (layout_.swizzled ? 0 : kFragmentRowBytes)
               : DenseLines::shared_pitch(depth_tiles, layout_.swizzled);
}

StagedOperand::Fragment GatheredOperand::fragment(std::uint32_t line, std::uint32_t tile,
                                                  std::uint32_t depth_tiles) const {
    const std::uint32_t pitch = shared_pitch(depth_tiles);
    if (layout_.aside) return {tile * kDepthTile * pitch + line * kHalf, pitch, true};
    return {line * pitch + tile * kFragmentRowBytes, pitch, false};
}

StagedOperand::Needs GatheredOperand::needs(std::uint32_t depth_tiles) const {
    const std::uint32_t depth = depth_tiles * kDepthTile;
    std::vector<StagedCopy> list;
    const std::uint32_t tiles = layout_.aside ? layout_.cta_tiles : 1;
    const std::uint64_t width = std::uint64_t{tiles} * kLineTile;
    const std::uint32_t pitch = shared_pitch(depth_tiles);
    if (layout_.aside) {
        cut(0, {0, depth, 0, width, 0, pitch}, list);
    } else {
        cut(0, {0, kLineTile, 0, depth, 0, pitch}, list);
    }
    Needs most;
    include(list, most);
    const std::uint32_t slot = (layout_.aside ? depth : kLineTile) * pitch;
    most.slot_bytes = round_up(ceil_div(slot, tiles), kWarpRegisterBytes);
    most.copies = ceil_div(most.copies, tiles);
    most.copy_registers = ceil_div(most.copy_registers, tiles);
    return most;
}

void GatheredOperand::copies(std::uint32_t line_tile, std::uint32_t first,
                             std::uint32_t depth_tiles, std::uint32_t slot,
                             std::vector<StagedCopy>& out) const {
    copies_of_cta({line_tile, line_tile + 1}, first, depth_tiles, slot, 0, out);
}

void GatheredOperand::copies_of_cta(const TileRange& tiles, std::uint32_t first,
                                    std::uint32_t depth_tiles, std::uint32_t slot,
                                    std::uint32_t slot_bytes, std::vector<StagedCopy>& out) const {
    const std::uint64_t k = std::uint64_t{first} * kDepthTile;
    const std::uint64_t left =
        round_up(source_->depth(tiles.member), std::uint64_t{kDepthTile}) - k;
    const std::uint64_t depth = std::min(left, std::uint64_t{depth_tiles} * kDepthTile);
    const std::uint64_t line = std::uint64_t{tiles.first} * kLineTile;
    const std::uint32_t pitch = shared_pitch(depth_tiles);
    if (layout_.aside) {
        constexpr std::uint64_t kPieceHalves = kPieceBytes / kHalf;
        const std::uint64_t end =
            std::min(std::uint64_t{tiles.end} * kLineTile, round_up(layout_.lines, kPieceHalves));
        cut(tiles.member, {k, depth, line, end - line, slot, pitch}, out);
        return;
    }
    for (std::uint32_t tile = tiles.first; tile < tiles.end; ++tile) {
        cut(tiles.member,
            {std::uint64_t{tile} * kLineTile, kLineTile, k, depth,
             slot + (tile - tiles.first) * slot_bytes, pitch},
            out);
    }
}

void GatheredOperand::cut(std::uint32_t member, const Block& block,
                          std::vector<StagedCopy>& out) const {
    const std::uint64_t row_bytes = std::min<std::uint64_t>(block.elements * kHalf, load_bytes());
    const std::uint64_t together = load_bytes() / row_bytes;
    for (std::uint64_t row = 0; row < block.rows; row += together) {
        for (std::uint64_t at = 0; at < block.elements * kHalf; at += row_bytes) {
            StagedCopy copy;
            copy.rows = static_cast<std::uint16_t>(std::min(together, block.rows - row));
            copy.row_bytes =
                static_cast<std::uint16_t>(std::min(row_bytes, block.elements * kHalf - at));
            copy.shared = static_cast<std::uint32_t>(block.shared + row * block.shared_pitch + at);
            copy.shared_pitch = block.shared_pitch;
            copy.member = member;
            copy.outer = block.outer + row;
            copy.inner = block.inner + at / kHalf;
            out.push_back(copy);
        }
    }
}

/// Writes the pieces of a copy in memory to `lanes`, with addresses as offsets and places in rows
/// `pitch` bytes apart; returns their bytes.
std::uint32_t GatheredOperand::find_pieces(const StagedCopy& copy, std::uint32_t pitch,
                                           LaneAccess& lanes) const {
    thread_local std::vector<ElementRun> runs;  // avoids an allocation per copy
    runs.clear();
    source_->runs(
        {copy.member, copy.outer, copy.rows, copy.inner, copy.inner + copy.row_bytes / kHalf},
        runs);
    lanes.pieces.clear();
    std::uint32_t bytes = 0;
    for (const ElementRun& run : runs) {
        const auto place =
            static_cast<std::uint32_t>(run.row * pitch + (run.first - copy.inner) * kHalf);
        lanes.pieces.push_back({static_cast<std::int64_t>(run.address),
                                static_cast<std::uint32_t>(run.count * kHalf), place});
        bytes += lanes.pieces.back().bytes;
    }
    return bytes;
}

WarpInstruction GatheredOperand::load(const StagedCopy& copy, std::uint8_t reg,
                                      LaneAccess& lanes) const {
    const std::uint32_t bytes = find_pieces(copy, copy.row_bytes, lanes);
    if (bytes == 0) {
        StagedCopy zeros = copy;
        zeros.zero_rows_before = copy.rows;
        zeros.rows = 0;
        return zeros.load_to(reg);
    }
    WarpInstruction w(Opcode::kLoadGlobal);
    w.dst = reg;
    if (bytes < std::uint32_t{copy.rows} * copy.row_bytes) {
        w.registers().zero_fill = static_cast<std::uint8_t>(copy.registers());
    }
    set_pieces(w, lanes);
    return w;
}

WarpInstruction GatheredOperand::copy_async(const StagedCopy& copy, LaneAccess& lanes) const {
    const std::uint32_t all = std::uint32_t{copy.rows} * copy.row_bytes;
    const std::uint32_t bytes = find_pieces(copy, copy.shared_pitch, lanes);
    WarpInstruction w(Opcode::kCopyAsync);
    MemoryAccess& memory = w.memory();
    w.shared().set_rows(copy.shared, copy.shared_pitch);
    w.shared().bypass_l1 = layout_.lane_bytes == kPieceBytes;
    std::vector<LaneAccess::Piece>& pieces = lanes.pieces;
    if (bytes == all && pieces.size() == copy.rows && equally_far(pieces)) {
        const std::int64_t pitch = copy.rows > 1 ? pieces[1].offset - pieces[0].offset : 0;
        memory.set_rows(static_cast<Address>(pieces[0].offset), copy.rows, copy.row_bytes,
                        static_cast<std::uint64_t>(pitch));
        return w;
    }
    lanes.has_places = true;
    lanes.bytes = bytes;
    lanes.wavefronts = ceil_div(all, kWarpRegisterBytes);
    lanes.zeros.clear();
    std::size_t next = 0;
    for (std::uint32_t row = 0; row < copy.rows; ++row) {
        const std::uint32_t begin = row * copy.shared_pitch, end = begin + copy.row_bytes;
        std::uint32_t at = begin;
        for (; next < pieces.size() && pieces[next].place < end; ++next) {
            if (pieces[next].place > at) lanes.zeros.push_back({0, pieces[next].place - at, at});
            at = pieces[next].place + pieces[next].bytes;
        }
        if (at < end) lanes.zeros.push_back({0, end - at, at});
    }
    memory.address = pieces.empty() ? 0 : static_cast<Address>(pieces[0].offset);
    for (LaneAccess::Piece& piece : pieces) {
        piece.offset -= static_cast<std::int64_t>(memory.address);
    }
    memory.lanes = &lanes;
    return w;
}

}  // namespace tessera
