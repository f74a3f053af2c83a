// A .tracez made field by field, so that tests can damage each.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/trace_text.h"

namespace tessera::test {

inline void append_number(std::string& out, std::uint64_t value, int bytes = 4) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

inline std::string zstd_frame(std::string_view text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

/// The fields of a .tracez. Frames of a warp are texts of lines; the numbers follow from them
/// unless set.
struct PackedTrace {
    struct Frame {
        std::string lines;
        std::uint32_t stated = 0;  ///< instructions in the index
    };
    struct Warp {
        std::vector<Frame> frames;
        std::uint32_t stated = 0;       ///< instructions in the index and before the frames
        std::uint32_t before_data = 0;  ///< added to the number before the frames
        std::uint64_t offset_by = 0;    ///< added to the index's offset
    };
    struct Block {
        std::uint32_t x = 0, y = 0, z = 0;
        std::vector<Warp> warps;
    };

    std::string header;  ///< without its NUL
    std::uint32_t dictionary_bytes = 0;
    std::vector<Block> blocks;
    std::string behind_frame;  ///< bytes counted with each frame
    std::string behind_index;
    std::uint32_t blocks_by = 0;  ///< added to the number of blocks
    std::uint64_t index_by = 0;   ///< added to the index's offset

    [[nodiscard]] std::string bytes() const {
        std::string out = header + '\0';
        append_number(out, dictionary_bytes);
        append_number(out, 2048);
        std::string index;
        append_number(index, blocks.size() + blocks_by);
        for (const Block& block : blocks) {
            for (const std::uint32_t number :
                 {block.x, block.y, block.z, 0U, 0U, 0U, 0U, 0U, 0U, 0U}) {
                append_number(index, number);
            }
            append_number(index, block.warps.size());
            for (const Warp& warp : block.warps) {
                append_number(index, warp.stated);
                append_number(index, warp.frames.size());
                append_number(index, out.size() + warp.offset_by, 8);
                append_number(out, warp.stated + warp.before_data);
                append_number(out, warp.frames.size());
                for (const Frame& frame : warp.frames) {
                    append_number(index, frame.stated);
                    const std::string packed = zstd_frame(frame.lines) + behind_frame;
                    append_number(out, packed.size());
                    out += packed;
                }
            }
        }
        const std::uint64_t offset = out.size() + index_by;
        out += index + behind_index;
        append_number(out, offset, 8);
        return out;
    }
};

inline const std::string kPackedExit = "0010 ffffffff 0 EXIT 0 0 0 NoVal";

/// A grid of four blocks of two warps, of which the second and the last block exist; warp 1 of the
/// last is empty, and its warp 0 has two frames.
inline PackedTrace small_packed_trace() {
    PackedTrace packed;
    packed.header = trace_header_text("(64,1,1)", "(4,1,1)");
    packed.header.replace(packed.header.find("tracer version = 5") + 17, 1, "6");
    PackedTrace::Warp exits{{{kPackedExit, 1}}, 1};
    PackedTrace::Warp loads{
        {{"0000 ffffffff 1 R2 MOV 0 0 0 NoVal\n0010 00000003 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 NoVal",
          2},
         {kPackedExit, 1}},
        3};
    packed.blocks = {{1, 0, 0, {exits, exits}}, {3, 0, 0, {loads, {}}}};
    return packed;
}

}  // namespace tessera::test
