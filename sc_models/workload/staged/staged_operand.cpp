#include "sc_models/workload/staged/staged_operand.h"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::uint32_t kCopyBytes = 4 * kWarpRegisterBytes;

}  // namespace

WarpInstruction StagedCopy::copy_async() const {
    WarpInstruction w(Opcode::kCopyAsync);
    w.memory().set_rows(global, rows, row_bytes, global_pitch);
    w.shared().set_rows(shared, shared_pitch);
    w.shared().bypass_l1 = true;
    return w;
}

WarpInstruction StagedCopy::load_to(std::uint8_t reg) const {
    WarpInstruction w(rows == 0 ? Opcode::kAlu : Opcode::kLoadGlobal);
    w.dst = reg;
    const auto zero_fill = static_cast<std::uint8_t>(has_zeros() ? registers() : 0);
    if (rows == 0) {
        w.count = w.moves().zero_fill = zero_fill;
        return w;
    }
    w.memory().set_rows(global, rows, row_bytes, global_pitch);
    RegisterPlace& place = w.registers();
    place.zero_fill = zero_fill;
    place.pitch_bytes = static_cast<std::uint16_t>(stored_row_bytes());
    place.offset_bytes =
        static_cast<std::uint16_t>(zero_rows_before * stored_row_bytes() + zero_bytes_before);
    return w;
}

bool StagedCopy::cut_to(const std::vector<AddressRange>& needed) {
    const std::uint32_t unit = rows > 1 ? global_pitch : 1;
    const std::uint32_t units = rows > 1 ? rows : row_bytes;
    const std::uint32_t unit_bytes = rows > 1 ? row_bytes : 1;
    std::uint32_t first = units, end = 0;
    for (const AddressRange& range : needed) {
        if (range.end <= global || range.begin >= range.end) continue;
        const Address before = range.begin > global ? range.begin - global : 0;
        // A unit that ends before the range begins is not needed.
        const Address from = before < unit_bytes ? 0 : (before - unit_bytes) / unit + 1;
        const Address to = std::min<Address>(units, (range.end - global - 1) / unit + 1);
        if (from >= to) continue;
        first = std::min(first, static_cast<std::uint32_t>(from));
        end = std::max(end, static_cast<std::uint32_t>(to));
    }
    if (first >= end) return false;
    global += Address{first} * unit;
    shared += first * (rows > 1 ? shared_pitch : 1);
    (rows > 1 ? rows : row_bytes) = static_cast<std::uint16_t>(end - first);
    return true;
}

void StagedOperand::include(const std::vector<StagedCopy>& copies, Needs& most) {
    std::uint32_t registers = 0;
    for (const StagedCopy& copy : copies) registers += copy.registers();
    most.copies = std::max(most.copies, static_cast<std::uint32_t>(copies.size()));
    most.copy_registers = std::max(most.copy_registers, registers);
}

void StagedOperand::copies_of_cta(const TileRange& tiles, std::uint32_t first,
                                  std::uint32_t depth_tiles, std::uint32_t slot,
                                  std::uint32_t slot_bytes, std::vector<StagedCopy>& out) const {
    for (std::uint32_t tile = tiles.first; tile < tiles.end; ++tile) {
        copies(tile, first, depth_tiles, slot + (tile - tiles.first) * slot_bytes, out);
    }
}

StagedOperand::Fragment StagedOperand::fragment(std::uint32_t line, std::uint32_t tile,
                                                std::uint32_t depth_tiles) const {
    const std::uint32_t pitch = DenseLines::shared_pitch(depth_tiles);
    return {line * pitch + tile * kFragmentRowBytes, pitch, false};
}

StagedOperand::Needs DenseLines::needs(std::uint32_t depth_tiles) const {
    Needs most{kLineTile * shared_pitch(depth_tiles, swizzled_), 0, 0, 0};
    std::vector<StagedCopy> list;
    copies(0, 0, depth_tiles, 0, list);
    include(list, most);
    return most;
}

void DenseLines::copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                        std::uint32_t slot, std::vector<StagedCopy>& out) const {
    const std::uint32_t line_bytes = k_tiles_ * tile_bytes_;
    const std::uint32_t step_bytes = std::min(depth_tiles, k_tiles_ - first) * tile_bytes_;
    const std::uint32_t row_bytes = std::min(step_bytes, kCopyBytes);
    const std::uint32_t rows = std::min(kCopyBytes / row_bytes, kLineTile);
    const std::uint32_t pitch = shared_pitch(depth_tiles, swizzled_);
    const Address begin =
        base_ + Address{line_tile} * kLineTile * line_bytes + Address{first} * tile_bytes_;
    for (std::uint32_t row = 0; row < kLineTile; row += rows) {
        for (std::uint32_t at = 0; at < step_bytes; at += row_bytes) {
            const std::uint32_t bytes = std::min(row_bytes, step_bytes - at);
            out.push_back({begin + Address{row} * line_bytes + at, slot + row * pitch + at,
                           static_cast<std::uint16_t>(std::min(rows, kLineTile - row)),
                           static_cast<std::uint16_t>(bytes), line_bytes, pitch});
        }
    }
}

StagedOperand::Needs TransposedLines::needs(std::uint32_t depth_tiles) const {
    const std::uint32_t rows = depth_tiles * kDepthTile;
    const std::uint32_t copies = rows * kLineTile * std::uint32_t{sizeof(HalfBits)} / kCopyBytes;
    return {round_up(ceil_div(rows * shared_pitch(), cta_tiles_), kWarpRegisterBytes), copies,
            copies * kCopyRegisters, 0};
}

void TransposedLines::copies(std::uint32_t line_tile, std::uint32_t first,
                             std::uint32_t depth_tiles, std::uint32_t slot,
                             std::vector<StagedCopy>& out) const {
    copies_of_cta({line_tile, line_tile + 1}, first, depth_tiles, slot, 0, out);
}

void TransposedLines::copies_of_cta(const TileRange& tiles, std::uint32_t first,
                                    std::uint32_t depth_tiles, std::uint32_t slot,
                                    std::uint32_t /*slot_bytes*/,
                                    std::vector<StagedCopy>& out) const {
    constexpr std::uint64_t kHalf = sizeof(HalfBits);
    const std::uint64_t from = std::uint64_t{tiles.first} * kLineTile;
    const std::uint64_t to = std::min<std::uint64_t>(std::uint64_t{tiles.end} * kLineTile,
                                                     round_up(place_.lines, kPieceBytes / kHalf));
    const auto row_bytes = static_cast<std::uint32_t>((to - from) * kHalf);
    const std::uint32_t k = first * kDepthTile;
    const std::uint32_t rows = (std::min(first + depth_tiles, place_.k_tiles) - first) * kDepthTile;
    const std::uint32_t together = std::max(1U, kCopyBytes / row_bytes);
    for (std::uint32_t row = 0; row < rows; row += together) {
        const std::uint32_t count = std::min(together, rows - row);
        out.push_back({place_.base + Address{k + row} * place_.pitch_bytes + from * kHalf,
                       slot + row * shared_pitch(), static_cast<std::uint16_t>(count),
                       static_cast<std::uint16_t>(row_bytes), place_.pitch_bytes, shared_pitch()});
    }
}

StagedOperand::Fragment TransposedLines::fragment(std::uint32_t line, std::uint32_t tile,
                                                  std::uint32_t /*depth_tiles*/) const {
    return {tile * kDepthTile * shared_pitch() + line * std::uint32_t{sizeof(HalfBits)},
            shared_pitch(), true};
}

StagedOperand::Needs BitmapTiles::needs(std::uint32_t depth_tiles) const {
    Needs most;
    std::vector<StagedCopy> list;
    for (std::uint32_t line_tile = 0; line_tile < matrix_.line_tiles(); ++line_tile) {
        for (std::uint32_t first = 0; first < matrix_.k_tiles(); first += depth_tiles) {
            const std::uint64_t id = matrix_.tile(line_tile, first);
            const std::uint32_t depth = std::min(depth_tiles, matrix_.k_tiles() - first);
            const std::uint32_t bytes = step_bytes(id, depth);
            most.slot_bytes = std::max(
                most.slot_bytes, round_up(values_offset(depth_tiles) + bytes, kWarpRegisterBytes));
            most.value_registers =
                std::max(most.value_registers, ceil_div(bytes, kWarpRegisterBytes));
            list.clear();
            copies(line_tile, first, depth_tiles, 0, list);
            include(list, most);
            for (const StagedCopy& copy : list) {
                const std::uint32_t end =
                    copy.shared + (copy.rows - 1U) * copy.shared_pitch + copy.row_bytes;
                most.slot_bytes = std::max(most.slot_bytes, round_up(end, kWarpRegisterBytes));
            }
        }
    }
    return most;
}

void BitmapTiles::copies(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                         std::uint32_t slot, std::vector<StagedCopy>& out) const {
    const std::uint64_t id = matrix_.tile(line_tile, first);
    const std::uint32_t end = std::min(first + depth_tiles, matrix_.k_tiles());
    if (!place_.descriptors_apart) descriptor_copies(line_tile, first, depth_tiles, slot, out);
    // Bitmaps are contiguous in shared memory; those contiguous in global memory too form one copy.
    std::uint32_t place = slot + bitmap_offset(0);
    StagedCopy run;
    const auto end_run = [&] {
        if (run.row_bytes > 0) out.push_back(run);
        run.row_bytes = 0;
    };
    for (std::uint32_t tile = first; place_.with_bitmaps && tile < end; ++tile) {
        const std::uint64_t at = id + tile - first;
        if (matrix_.tile_empty(at) || matrix_.tile_full(at)) continue;
        const Address global = place_.bitmaps + matrix_.bitmap_offset_bytes(at);
        if (global != run.global + run.row_bytes) end_run();
        if (run.row_bytes == 0) run = {global, place, 1, 0, 0, 0};
        run.row_bytes = static_cast<std::uint16_t>(run.row_bytes + kBitmapBytes);
        place += kBitmapBytes;
    }
    end_run();
    const Address begin = matrix_.value_offset_bytes(id);
    const std::uint32_t bytes = step_bytes(id, end - first);
    for (std::uint32_t at = 0; at < bytes; at += kCopyBytes) {
        out.push_back({place_.values + begin + at, slot + values_offset(depth_tiles) + at, 1,
                       static_cast<std::uint16_t>(std::min(kCopyBytes, bytes - at)), 0, 0});
    }
}

void BitmapTiles::descriptor_copies(std::uint32_t line_tile, std::uint32_t first,
                                    std::uint32_t depth_tiles, std::uint32_t slot,
                                    std::vector<StagedCopy>& out) const {
    if (!place_.with_bitmaps || first % kDescriptors >= depth_tiles) return;
    const std::uint32_t count = std::min(kDescriptors, matrix_.k_tiles() - first);
    out.push_back({place_.descriptors + matrix_.tile(line_tile, first) * sizeof(std::uint32_t),
                   slot, 1, static_cast<std::uint16_t>(count * sizeof(std::uint32_t)), 0, 0});
}

void BitmapTiles::needed(std::uint32_t line_tile, std::uint32_t first, std::uint32_t depth_tiles,
                         std::uint32_t tiles, std::vector<AddressRange>& out) const {
    if (place_.with_bitmaps) {
        out.push_back({place_.descriptors, place_.descriptors + matrix_.tile_desc_bytes()});
    }
    const std::uint32_t end = std::min(first + depth_tiles, matrix_.k_tiles());
    for (std::uint32_t tile = first; tile < end; ++tile) {
        const std::uint64_t id = matrix_.tile(line_tile, tile);
        if ((tiles >> (tile - first) & 1U) == 0 || matrix_.tile_empty(id)) continue;
        const Address bitmaps = place_.bitmaps + matrix_.bitmap_offset_bytes(id);
        if (place_.with_bitmaps) out.push_back({bitmaps, bitmaps + kBitmapBytes});
        const Address values = place_.values + matrix_.value_offset_bytes(id);
        out.push_back({values, values + value_bytes(id)});
    }
}

}  // namespace tessera
